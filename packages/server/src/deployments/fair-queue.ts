/** Why something was not taken into a queue. */
export type QueueFull = 'all' | 'owner'

export interface FairQueueLimits {
  /** What waits may weigh in all, and what waits of one owner. */
  maxWeight: number
  maxWeightOfOwner: number
  /** How many may wait in all, and how many of one owner. */
  maxCount: number
  maxCountOfOwner: number
}

interface Waiting<T> {
  item: T
  weight: number
  isStrangers: boolean
}

// Of an owner's line, by count and by weight.
const STRANGERS_SHARE = 1 / 2

// What is full for others has this much more room for an owner of whom nothing waits: a few who wait keep nobody out.
const RESERVE = 1 / 8

/** Things that wait their turn, first come first served within an owner, and owner by owner between them. */
export class FairQueue<T> {
  readonly #limits: FairQueueLimits
  // In the order of their turns: whoever had one goes to the end.
  readonly #lines = new Map<string, Waiting<T>[]>()
  #weight = 0
  #count = 0

  constructor(limits: FairQueueLimits) {
    this.#limits = limits
  }

  /** Puts something in line, or says whose line is too long for it. An owner without a line is let in whatever it weighs. */
  push(owner: string, item: T, weight: number, isStrangers = false): QueueFull | null {
    const line = this.#lines.get(owner) ?? []
    const room = line.length > 0 ? 1 : 1 + RESERVE
    if (!this.#fits(line, weight, 1)) return 'owner'
    if (isStrangers && !this.#fits(strangersIn(line), weight, STRANGERS_SHARE)) return 'owner'
    if (this.#count >= this.#limits.maxCount * room) return 'all'
    if (this.#weight > 0 && this.#weight + weight > this.#limits.maxWeight * room) return 'all'
    line.push({ item, weight, isStrangers })
    this.#lines.set(owner, line)
    this.#weight += weight
    this.#count += 1
    return null
  }

  /** Takes what waits out of its line, wherever in it that is. */
  remove(owner: string, item: T): void {
    const line = this.#lines.get(owner) ?? []
    const at = line.findIndex((waiting) => waiting.item === item)
    const [removed] = at === -1 ? [] : line.splice(at, 1)
    if (removed === undefined) return
    if (line.length === 0) this.#lines.delete(owner)
    this.#weight -= removed.weight
    this.#count -= 1
  }

  shift(): T | undefined {
    const [next] = this.#lines
    if (next === undefined) return undefined
    const [owner, line] = next
    this.#lines.delete(owner)
    const first = line.shift()
    if (first === undefined) return this.shift()
    if (line.length > 0) this.#lines.set(owner, line)
    this.#weight -= first.weight
    this.#count -= 1
    return first.item
  }

  /** Whether something of that weight fits into a line, or into a part of it that may have this share. */
  #fits(line: readonly Waiting<T>[], weight: number, share: number): boolean {
    const { maxCountOfOwner, maxWeightOfOwner } = this.#limits
    if (line.length >= maxCountOfOwner * share) return false
    const waiting = line.reduce((sum, other) => sum + other.weight, 0)
    return line.length === 0 || waiting + weight <= maxWeightOfOwner * share
  }
}

function strangersIn<T>(line: readonly Waiting<T>[]): Waiting<T>[] {
  return line.filter(({ isStrangers }) => isStrangers)
}
