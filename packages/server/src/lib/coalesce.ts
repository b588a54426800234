/**
 * Shares reads of one thing among those who ask at once. Everybody gets a read that began after they asked: whoever
 * comes while one is under way waits for the next, together with all others who came meanwhile.
 */
export interface Coalescer<T> {
  read(name: string, begin: () => Promise<T>): Promise<T>
}

interface Reads<T> {
  current: Promise<T>
  next: Promise<T> | null
}

export function createCoalescer<T>(): Coalescer<T> {
  const underWay = new Map<string, Reads<T>>()

  function start(name: string, begin: () => Promise<T>): Promise<T> {
    const current = begin()
    const reads: Reads<T> = { current, next: null }
    underWay.set(name, reads)
    const forget = () => {
      if (underWay.get(name) === reads && reads.next === null) underWay.delete(name)
    }
    current.then(forget, forget)
    return current
  }

  return {
    read(name, begin) {
      const reads = underWay.get(name)
      if (!reads) return start(name, begin)
      const again = () => start(name, begin)
      reads.next ??= reads.current.then(again, again)
      return reads.next
    },
  }
}
