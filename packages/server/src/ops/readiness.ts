import type { Deps } from '../deps.ts'
import { limitTime } from '../limit-time.ts'
import { touchNode } from './readiness-store.ts'

/** Whether a balancer should send requests here, and what speaks against it. */
export interface Readiness {
  ready: boolean
  checks: {
    /** Whether it took a write and a read within the time limit. */
    database: 'ok' | 'failed'
    lease: 'held' | 'lost'
    /** `draining` from the moment at which the service was told to stop. */
    state: 'serving' | 'draining'
  }
}

export interface ReadinessProbe {
  read(): Promise<Readiness>
  /** From now on the service is not ready, whatever else holds. */
  drain(): void
}

const PROBE_MS = 2_000
// Whoever asks often is told of the last look: asking must not be work for the database.
const BELIEVED_MS = 1_000

interface ReadinessDeps extends Pick<Deps, 'db' | 'clock' | 'lease' | 'metrics'> {
  nodeId: string
  probeMs?: number
}

export function createReadinessProbe(deps: ReadinessDeps): ReadinessProbe {
  let isDraining = false
  let last: { at: number; result: Promise<boolean> } | undefined
  const databaseWorks = () => {
    const now = deps.clock.now()
    if (!last || now - last.at >= BELIEVED_MS || now < last.at) last = { at: now, result: probe(deps) }
    return last.result
  }
  return {
    async read() {
      const database = (await databaseWorks()) ? 'ok' : 'failed'
      const lease = deps.lease.isHeld() ? 'held' : 'lost'
      const ready = database === 'ok' && lease === 'held' && !isDraining
      return { ready, checks: { database, lease, state: isDraining ? 'draining' : 'serving' } }
    },
    drain() {
      isDraining = true
    },
  }
}

async function probe({ db, nodeId, metrics, probeMs = PROBE_MS }: ReadinessDeps): Promise<boolean> {
  const works = await limitTime(
    touchNode(db, nodeId).catch(() => false),
    probeMs,
    false,
  )
  if (!works) metrics.databaseFailed('readiness')
  return works
}
