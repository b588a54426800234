/** What is to happen, earliest first; of two at the same time, the one that was added first. */
export interface EventQueue {
  /** Time of the event under way. */
  now(): number
  after(delay: number, happen: () => void): void
  /** Lets everything happen that lies before `end`, what comes up meanwhile included. */
  runUntil(end: number): void
}

interface Event {
  at: number
  order: number
  happen(): void
}

/** A binary heap. */
export function createEventQueue(): EventQueue {
  const heap: Event[] = []
  let now = 0
  let order = 0
  return {
    now: () => now,
    after(delay, happen) {
      order += 1
      push(heap, { at: now + delay, order, happen })
    },
    runUntil(end) {
      for (let next = heap[0]; next !== undefined && next.at < end; next = heap[0]) {
        pop(heap)
        now = next.at
        next.happen()
      }
      now = end
    },
  }
}

function isEarlier(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order)
}

function push(heap: Event[], event: Event): void {
  let place = heap.length
  heap.push(event)
  while (place > 0) {
    const parent = (place - 1) >> 1
    const above = heap[parent]
    if (above === undefined || !isEarlier(event, above)) break
    heap[place] = above
    place = parent
  }
  heap[place] = event
}

function pop(heap: Event[]): void {
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return
  let place = 0
  for (;;) {
    const child = earlierChild(heap, place)
    const below = heap[child]
    if (below === undefined || !isEarlier(below, last)) break
    heap[place] = below
    place = child
  }
  heap[place] = last
}

function earlierChild(heap: readonly Event[], place: number): number {
  const left = 2 * place + 1
  const [a, b] = [heap[left], heap[left + 1]]
  return a !== undefined && b !== undefined && isEarlier(b, a) ? left + 1 : left
}
