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
  door: string | undefined
  /** In which round of its owner's doors it has its turn. */
  round: number
}

// What is full for others has this much more room for an owner of whom nothing waits: a few who wait keep nobody out.
const RESERVE = 1 / 8

/**
 * Things that wait their turn: owner by owner, within an owner door by door, and first come first served within a door.
 * A door takes no more of its owner's line than it leaves free, so that none takes all places from another.
 */
export class FairQueue<T> {
  readonly #limits: FairQueueLimits
  // In the order of their turns: whoever had one goes to the end.
  readonly #lines = new Map<string, Waiting<T>[]>()
  #weight = 0
  #count = 0

  constructor(limits: FairQueueLimits) {
    this.#limits = limits
  }

  /**
   * Puts something in line, or says whose line is too long for it. Whatever it weighs, the first of an owner's fits the
   * owner's share, but may have no room among all; where nothing waits at all, it has. Without a door it may have any place.
   */
  push(owner: string, item: T, weight: number, door?: string): QueueFull | null {
    const line = this.#lines.get(owner) ?? []
    const own = line.filter((waiting) => waiting.door === door)
    const room = line.length > 0 ? 1 : 1 + RESERVE
    if (!this.#fits(line, weight)) return 'owner'
    if (door !== undefined && !this.#leavesAsMuch(line, own, weight)) return 'owner'
    if (this.#count >= this.#limits.maxCount * room) return 'all'
    if (this.#weight > 0 && this.#weight + weight > this.#limits.maxWeight * room) return 'all'
    // Whoever comes through another door need not wait for the whole crowd at this one.
    const round = Math.max(line[0]?.round ?? 0, (own.at(-1)?.round ?? -1) + 1)
    const next = line.findIndex((waiting) => waiting.round > round)
    line.splice(next === -1 ? line.length : next, 0, { item, weight, door, round })
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

  #fits(line: readonly Waiting<T>[], weight: number): boolean {
    const { maxCountOfOwner, maxWeightOfOwner } = this.#limits
    if (line.length >= maxCountOfOwner) return false
    return line.length === 0 || weightOf(line) + weight <= maxWeightOfOwner
  }

  /** Whether a door that has these places in a line would leave as much as it has, once it has one more. */
  #leavesAsMuch(line: readonly Waiting<T>[], own: readonly Waiting<T>[], weight: number): boolean {
    const { maxCountOfOwner, maxWeightOfOwner } = this.#limits
    if (own.length === 0) return true
    if (own.length + 1 > maxCountOfOwner - line.length - 1) return false
    return weightOf(own) + weight <= maxWeightOfOwner - weightOf(line) - weight
  }
}

function weightOf<T>(line: readonly Waiting<T>[]): number {
  return line.reduce((sum, { weight }) => sum + weight, 0)
}
