import { limitTime } from '../lib/limit-time.ts'
import type { RuntimeDeps } from './deps.ts'
import { openSecrets } from './serving-runtime.ts'
import { type RuntimeView, recordLastSeen } from './store.ts'

/** How long the caller waits for a probe. The probe goes on. */
const PROBE_WAIT_MS = 1_000

/**
 * Probes the endpoint of a runtime that an owner reads, unless it answered within the last minute. An answer counts as
 * `last_seen_at` in the returned row. Never rejects.
 */
export function probeEndpoint(deps: RuntimeDeps, row: RuntimeView): Promise<RuntimeView> {
  return limitTime(probe(deps, row), PROBE_WAIT_MS, row)
}

async function probe(deps: RuntimeDeps, row: RuntimeView): Promise<RuntimeView> {
  const { owner_id: ownerId, runtime_id: runtimeId, endpoint } = row
  if (endpoint === null) return row
  const target = () => ({
    target: { ownerId, runtimeId, endpoint, secrets: openSecrets(deps, row) },
    executionId: deps.newId('execution'),
    callId: deps.newId('call'),
  })
  try {
    if (!(await deps.dispatcher.probe({ ownerId, runtimeId, endpoint, target }))) return row
    const touched = await recordLastSeen(deps.db, { ownerId, runtimeId }, deps.clock.now())
    return { ...row, last_seen_at: touched?.last_seen_at ?? null }
  } catch (error) {
    deps.logger.warn({ err: error, runtimeId }, 'an endpoint could not be probed')
    return row
  }
}
