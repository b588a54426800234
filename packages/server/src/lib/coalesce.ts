export type Coalescer<T> = ReturnType<typeof createCoalescer<T>>

/**
 * Shares the reads of one name among concurrent callers. A caller gets a read that began after its call: while one runs,
 * later callers share the next one.
 */
export function createCoalescer<T>() {
  const reads = new Map<string, { current: Promise<T>; next: Promise<T> | null }>()

  function start(name: string, begin: () => Promise<T>): Promise<T> {
    const read = { current: begin(), next: null }
    reads.set(name, read)
    const forget = () => {
      if (reads.get(name) === read && read.next === null) reads.delete(name)
    }
    read.current.then(forget, forget)
    return read.current
  }

  return {
    read(name: string, begin: () => Promise<T>): Promise<T> {
      const read = reads.get(name)
      if (!read) return start(name, begin)
      const again = () => start(name, begin)
      read.next ??= read.current.then(again, again)
      return read.next
    },
  }
}
