import { limitTime } from '../lib/limit-time.ts'
import type { ReadinessDeps } from './deps.ts'
import { touchNode } from './readiness-store.ts'

const PROBE_MS = 2_000
// Certificates and the log follow the machine's clock.
const MAX_OFFSET_MS = 10_000
// Frequent probes share one result, so that they are no load on the database.
const CACHE_MS = 1_000

export type ReadinessProbe = ReturnType<typeof createReadinessProbe>

export function createReadinessProbe(deps: ReadinessDeps) {
  const { db, clock, databaseClock, drainState, lease, metrics, nodeId, probeMs = PROBE_MS } = deps
  let checkedAt = Number.NEGATIVE_INFINITY
  let isRunning = false
  let result = Promise.resolve(false)

  async function checkDatabase(): Promise<boolean> {
    isRunning = true
    const touched = touchNode(db, nodeId)
      .catch(() => false)
      .finally(() => {
        isRunning = false
      })
    const works = await limitTime(touched, probeMs, false)
    if (!works) metrics.databaseFailed('readiness')
    return works
  }

  return {
    /** Whether a load balancer should send requests here, and the checks behind that. */
    async read() {
      const now = clock.now()
      const isOld = now - checkedAt >= CACHE_MS || now < checkedAt
      // One at a time: a check that hangs keeps its connection, and the others belong to renewals and settlements.
      if (isOld && !isRunning) [checkedAt, result] = [now, checkDatabase()]
      const checks = {
        /** Whether it took a write and a read within the time limit. */
        database: (await result) ? 'ok' : 'failed',
        lease: lease.isHeld() ? 'held' : 'lost',
        /** `off`: this machine's clock and the database's differ by more than ten seconds. */
        clock: Math.abs(databaseClock.offsetMs) > MAX_OFFSET_MS ? 'off' : 'ok',
        /** `draining` from the moment at which the service was told to stop. */
        state: drainState.phase === 'serving' ? 'serving' : 'draining',
      } as const
      const { database, lease: held, clock: offset, state } = checks
      const ready = database === 'ok' && held === 'held' && offset === 'ok' && state === 'serving'
      return { ready, checks }
    },
  }
}
