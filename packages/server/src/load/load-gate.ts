import { createCrowd } from './crowd.ts'
import { type HeldRequest, holdRequest } from './held-request.ts'
import { createPace } from './pace.ts'
import { WINDOW_MS } from './pace-rules.ts'
import {
  type LoadKind,
  type LoadPool,
  type LoadTargets,
  mayHold,
  nextBound,
  poolOf,
  shareOf,
} from './shedding-rules.ts'
import type { TurnWatchOptions } from './turn-watch.ts'

/** Why a request is not taken. */
export type ShedReason = 'held' | 'paced' | 'running'

/** The first door of all: lets in what the service can hold, and refuses the rest before anything is done for it. */
export interface LoadGate {
  enter(kind: LoadKind): HeldRequest | ShedReason
  /** Why one more of this kind would not be taken now; null where it would be. */
  refuses(kind: LoadKind): ShedReason | null
  /** Requests taken and not yet handed on, and how many there may be at present of those that have no reserve. */
  readonly held: number
  readonly bound: number
}

export interface LoadGateOptions extends TurnWatchOptions {
  targets: LoadTargets
  /** Executions under way, which are bounded for themselves: most of their time they wait for somebody else. */
  running: () => number
  maxRunning: number
}

export function createLoadGate({ targets, running, maxRunning, ...turns }: LoadGateOptions): LoadGate {
  const { clock } = turns
  let bound = targets.maxBound
  const held: Record<LoadPool, number> = { common: 0, upkeep: 0, health: 0 }
  const crowd = createCrowd()
  const pace = createPace({ ...turns, inHand: () => crowd.size, crowdSize: targets.minBound })
  let seenAt = clock.now()
  let window = { elapsedMs: 0, heldMs: 0, handedOn: 0 }
  const look = () => {
    const now = clock.now()
    // A clock that was put back says nothing about how long anything took.
    const elapsedMs = Math.max(0, now - seenAt)
    seenAt = now
    crowd.pass(elapsedMs)
    pace.pass(elapsedMs)
    window.elapsedMs += elapsedMs
    window.heldMs += held.common * elapsedMs
    if (window.elapsedMs < WINDOW_MS) return
    bound = nextBound(bound, window, targets)
    window = { elapsedMs: 0, heldMs: 0, handedOn: 0 }
  }
  const refuses = (kind: LoadKind): ShedReason | null => {
    look()
    if (isExecution(kind) && running() >= maxRunning) return 'running'
    const pool = poolOf(kind)
    if (!mayHold(kind, held[pool], bound)) return 'held'
    return pool !== 'common' || pace.allows(shareOf(kind)) ? null : 'paced'
  }
  return {
    refuses,
    enter(kind) {
      const reason = refuses(kind)
      if (reason !== null) return reason
      const pool = poolOf(kind)
      const isCommon = pool === 'common'
      held[pool] += 1
      if (isCommon) pace.take()
      const leaveCrowd = isCommon ? crowd.join() : null
      return holdRequest({
        look,
        hold(change) {
          held[pool] += change
        },
        handOn() {
          if (isCommon) window.handedOn += 1
        },
        answer() {
          leaveCrowd?.()
          if (isCommon) pace.finish()
        },
      })
    },
    get held() {
      return held.common + held.upkeep + held.health
    },
    get bound() {
      return Math.floor(bound)
    },
  }
}

function isExecution(kind: LoadKind): boolean {
  return kind === 'broker' || kind === 'execute'
}
