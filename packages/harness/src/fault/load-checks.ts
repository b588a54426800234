import { atLeast, atMost, type Check, exactly } from '../support/scenario.ts'
import { type Evidence, wasDisturbed } from './checker.ts'
import type { Operation } from './history.ts'

/** What a load did once it had begun in earnest: nothing of its warm-up. */
export interface LoadNotes extends Pick<Evidence, 'disturbances'> {
  operations: readonly Operation[]
  /** Calls that reached the endpoint. */
  effects: number
  /** Kills, stops or restarts of the run. */
  faults: number
  hasLostServer: boolean
}

/** For each fault, at least. */
const ACKNOWLEDGED_EACH = 5
const EFFECTS_EACH = 2
/** Of what is asked of a server that nothing is wrong with. A service that refuses everything breaks no law. */
const REFUSED_SHARE = 0.2

/** That there was a load worth the name around every fault, and that no server ended by itself. */
export function judgeLoad({ operations, effects, faults, hasLostServer, disturbances }: LoadNotes): Check[] {
  const acknowledged = operations.filter(({ told }) => told.as === 'completed' || told.as === 'failed')
  const calm = operations.filter((operation) => !wasDisturbed(operation, { disturbances }))
  const refused = calm.filter(({ told }) => told.as === 'refused')
  return [
    exactly('servers that ended by themselves', hasLostServer ? 1 : 0, 0),
    atLeast('acknowledged executions, the warm-up aside', acknowledged.length, faults * ACKNOWLEDGED_EACH),
    atLeast('calls that reached the endpoint, the warm-up aside', effects, faults * EFFECTS_EACH),
    atMost('share of refusals while nothing was wrong', refused.length / Math.max(1, calm.length), REFUSED_SHARE),
  ]
}
