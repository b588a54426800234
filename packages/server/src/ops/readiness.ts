import { limitTime } from '../lib/limit-time.ts'
import type { ReadinessDeps } from './deps.ts'
import { touchNode } from './readiness-store.ts'

/** Whether a load balancer should send requests here, and why not. */
export interface Readiness {
  ready: boolean
  checks: {
    /** Whether it took a write and a read within the time limit. */
    database: 'ok' | 'failed'
    lease: 'held' | 'lost'
    /** `off`: this machine's clock and the database's differ by more than ten seconds. */
    clock: 'ok' | 'off'
    /** `draining` from the moment at which the service was told to stop. */
    state: 'serving' | 'draining'
  }
}

export interface ReadinessProbe {
  read(): Promise<Readiness>
}

const PROBE_MS = 2_000
// Certificates and the log follow the machine's clock.
const MAX_OFFSET_MS = 10_000
// Frequent probes share one result, so that they are no load on the database.
const CACHE_MS = 1_000

export function createReadinessProbe(deps: ReadinessDeps): ReadinessProbe {
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
    async read() {
      const now = clock.now()
      const isOld = now - checkedAt >= CACHE_MS || now < checkedAt
      // One at a time: a check that hangs keeps its connection, and the others belong to renewals and settlements.
      if (isOld && !isRunning) [checkedAt, result] = [now, checkDatabase()]
      const database = (await result) ? 'ok' : 'failed'
      const held = lease.isHeld() ? 'held' : 'lost'
      const offset = Math.abs(databaseClock.offsetMs) > MAX_OFFSET_MS ? 'off' : 'ok'
      const state = drainState.phase === 'serving' ? 'serving' : 'draining'
      const ready = database === 'ok' && held === 'held' && offset === 'ok' && state === 'serving'
      return { ready, checks: { database, lease: held, clock: offset, state } }
    },
  }
}
