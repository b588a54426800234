import type { Deps } from '../deps.ts'
import { limitTime } from '../lib/limit-time.ts'
import { touchNode } from './readiness-store.ts'

/** Whether a balancer should send requests here, and what speaks against it. */
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
// All but the service's own times, such as certificates and the log, follows the machine's clock.
const MOST_OFFSET_MS = 10_000
// Whoever asks often is told of the last look: asking must not be work for the database.
const BELIEVED_MS = 1_000

interface ReadinessDeps extends Pick<Deps, 'db' | 'clock' | 'databaseClock' | 'drainState' | 'lease' | 'metrics'> {
  nodeId: string
  probeMs?: number
}

export function createReadinessProbe(deps: ReadinessDeps): ReadinessProbe {
  let last: { at: number; look: Look } | undefined
  const databaseWorks = () => {
    const now = deps.clock.now()
    const isOld = !last || now - last.at >= BELIEVED_MS || now < last.at
    // A look that hangs keeps its connection: one at a time leaves the others to the lease and to what settles.
    if (!last || (isOld && !last.look.isUnderWay())) last = { at: now, look: look(deps) }
    return last.look.result
  }
  return {
    async read() {
      const database = (await databaseWorks()) ? 'ok' : 'failed'
      const lease = deps.lease.isHeld() ? 'held' : 'lost'
      const clock = Math.abs(deps.databaseClock.offsetMs) > MOST_OFFSET_MS ? 'off' : 'ok'
      const state = deps.drainState.phase === 'serving' ? 'serving' : 'draining'
      const ready = database === 'ok' && lease === 'held' && clock === 'ok' && state === 'serving'
      return { ready, checks: { database, lease, clock, state } }
    },
  }
}

interface Look {
  /** False, too, where the database has not answered in time. */
  result: Promise<boolean>
  /** Until the database has answered, however late. */
  isUnderWay(): boolean
}

function look({ db, nodeId, metrics, probeMs = PROBE_MS }: ReadinessDeps): Look {
  let isUnderWay = true
  const touched = touchNode(db, nodeId)
    .catch(() => false)
    .finally(() => {
      isUnderWay = false
    })
  const result = limitTime(touched, probeMs, false).then((works) => {
    if (!works) metrics.databaseFailed('readiness')
    return works
  })
  return { result, isUnderWay: () => isUnderWay }
}
