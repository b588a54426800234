import type { EventQueue } from './event-queue.ts'

/** Something that so many can use at a time; the others wait in the order in which they came. */
export interface Resource {
  use(lengthMs: number, done: () => void): void
  /** How long its places were in use altogether, milliseconds. */
  busyMs(): number
}

export function createResource(events: EventQueue, places: number): Resource {
  const waiting: (() => void)[] = []
  let head = 0
  let free = places
  let busy = 0
  const release = () => {
    const next = waiting[head]
    if (next === undefined) {
      free += 1
      return
    }
    head += 1
    if (head > 1_024 && head * 2 > waiting.length) {
      waiting.splice(0, head)
      head = 0
    }
    next()
  }
  return {
    use(lengthMs, done) {
      const begin = () => {
        busy += lengthMs
        events.after(lengthMs, () => {
          release()
          done()
        })
      }
      if (free > 0) {
        free -= 1
        begin()
      } else waiting.push(begin)
    },
    busyMs: () => busy,
  }
}

/** A program of one thread on processors that it shares: it takes a processor only for as long as it works. */
export function createThread(events: EventQueue, processors: Resource | null): Resource {
  if (processors === null) return createResource(events, 1)
  const waiting: (() => void)[] = []
  let isBusy = false
  let busy = 0
  const next = () => {
    const begin = waiting.shift()
    isBusy = begin !== undefined
    begin?.()
  }
  return {
    use(lengthMs, done) {
      const begin = () =>
        processors.use(lengthMs, () => {
          busy += lengthMs
          next()
          done()
        })
      if (isBusy) waiting.push(begin)
      else {
        isBusy = true
        begin()
      }
    },
    busyMs: () => busy,
  }
}

/** Row locks of a database: each is one holder's, and then the next one's. */
export interface Locks {
  /** Takes all of them, one after the other in the order given; what is held stays held while the next is waited for. */
  take(names: readonly number[], taken: () => void): void
  release(names: readonly number[]): void
}

export function createLocks(): Locks {
  const held = new Map<number, (() => void)[]>()
  const takeFrom = (names: readonly number[], start: number, taken: () => void): void => {
    for (let index = start; index < names.length; index += 1) {
      const name = names[index]
      if (name === undefined) continue
      const queue = held.get(name)
      if (queue !== undefined) {
        queue.push(() => takeFrom(names, index + 1, taken))
        return
      }
      held.set(name, [])
    }
    taken()
  }
  return {
    take: (names, taken) => takeFrom(names, 0, taken),
    release(names) {
      const next: (() => void)[] = []
      for (const name of names) {
        const first = held.get(name)?.shift()
        if (first === undefined) held.delete(name)
        else next.push(first)
      }
      for (const go of next) go()
    },
  }
}
