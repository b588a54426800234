import type { LoadTargets } from './bound-rules.ts'
import { createCrowd } from './crowd.ts'
import { createHeldBound } from './held-bound.ts'
import { type HeldRequest, holdRequest } from './held-request.ts'
import { createPace } from './pace.ts'
import { type LoadKind, type LoadPool, mayHold, poolOf, shareOf } from './shedding-rules.ts'
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
  const bound = createHeldBound(targets)
  const held: Record<LoadPool, number> = { common: 0, upkeep: 0, health: 0 }
  const newPace = () => createPace({ ...turns, crowd: createCrowd(), crowdSize: targets.minBound })
  // Each has its own: where one's crowd makes turns long for both, the other is not refused for it.
  const paces = { common: newPace(), upkeep: newPace() }
  const paceOf = (pool: LoadPool) => (pool === 'health' ? null : paces[pool])
  let seenAt = clock.now()
  const look = () => {
    const now = clock.now()
    const elapsedMs = now - seenAt
    seenAt = now
    bound.pass(elapsedMs, held.common)
    paces.common.pass(elapsedMs)
    paces.upkeep.pass(elapsedMs)
  }
  const refuses = (kind: LoadKind): ShedReason | null => {
    look()
    if (isExecution(kind) && running() >= maxRunning) return 'running'
    const pool = poolOf(kind)
    if (!mayHold(kind, held[pool], bound.size)) return 'held'
    return paceOf(pool)?.allows(shareOf(kind)) === false ? 'paced' : null
  }
  return {
    refuses,
    enter(kind) {
      const reason = refuses(kind)
      if (reason !== null) return reason
      const pool = poolOf(kind)
      held[pool] += 1
      const finish = paceOf(pool)?.take()
      return holdRequest({
        look,
        hold(change) {
          held[pool] += change
        },
        handOn() {
          if (pool === 'common') bound.handOn()
        },
        answer() {
          finish?.()
        },
      })
    },
    get held() {
      return held.common + held.upkeep + held.health
    },
    get bound() {
      return Math.floor(bound.size)
    },
  }
}

function isExecution(kind: LoadKind): boolean {
  return kind === 'broker' || kind === 'execute'
}
