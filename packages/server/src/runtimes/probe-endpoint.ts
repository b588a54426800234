import type { Deps } from '../deps.ts'
import { openSecrets } from './serving-runtime.ts'
import { type RuntimeRow, touchRuntime } from './store.ts'

export type ProbeDeps = Pick<Deps, 'db' | 'clock' | 'dispatcher' | 'keyring' | 'newId' | 'logger'>

/**
 * Asks the endpoint of a runtime that somebody looks at whether it answers, where it was silent for a minute. An answer is a
 * sign of life, which the returned row has. Never rejects.
 */
export async function probeEndpoint<Row extends RuntimeRow>(deps: ProbeDeps, row: Row): Promise<Row> {
  const { owner_id: ownerId, runtime_id: runtimeId, endpoint } = row
  if (endpoint === null) return row
  const target = () => ({
    target: { ownerId, runtimeId, endpoint, secrets: openSecrets(deps, row) },
    executionId: deps.newId('execution'),
    callId: deps.newId('call'),
  })
  try {
    const hasAnswered = await deps.dispatcher.probe({ ownerId, runtimeId, endpoint, target })
    if (!hasAnswered) return row
    return { ...row, last_seen_at: await touchRuntime(deps.db, ownerId, runtimeId, deps.clock.now()) }
  } catch (error) {
    deps.logger.warn({ err: error, runtimeId }, 'an endpoint could not be probed')
    return row
  }
}
