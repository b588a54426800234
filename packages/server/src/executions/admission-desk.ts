import { type Batcher, createBatcher, QueueFullError } from '../database/batch.ts'
import type { Deps } from '../deps.ts'
import { limited } from '../errors.ts'
import { Lru } from '../lru.ts'
import { measuredRun } from '../metrics/measured-run.ts'
import { type Admission, type AdmissionRequest, admitBatch, type Refusal } from './admission-store.ts'

/** Where executions are let in: in batches while busy, and without a look at the database while a bucket is known empty. */
export interface AdmissionDesk {
  admit(request: AdmissionRequest): Promise<Admission>
  /** How many wait for their batch. */
  readonly depth: number
  drain(): Promise<void>
}

interface KnownEmpty {
  refusal: Refusal
  refusedAt: number
  until: number
}

// A change of plan may fill a bucket early: a flood of refused calls asks the database ten times a second, and no more.
const BELIEVED_MS = 100
const BUSY_RETRY_MS = 1_000

export function createAdmissionDesk(deps: Pick<Deps, 'db' | 'clock' | 'metrics'> & { nodeId: string }): AdmissionDesk {
  const batcher: Batcher<AdmissionRequest, Admission> = createBatcher({
    run: measuredRun(deps, 'admissions', (requests: AdmissionRequest[]) =>
      admitBatch(deps.db, requests, { nodeId: deps.nodeId, now: deps.clock.now() }),
    ),
  })
  const empty = new Lru<string, KnownEmpty>(10_000)
  return {
    async admit(request) {
      const name = `${request.runtimeId} ${request.revision} ${request.door}`
      const known = stillEmpty(empty.get(name), deps.clock.now())
      if (known) return known
      const admission = await submit(batcher, request)
      if (admission.outcome === 'refused') empty.set(name, remember(admission.grant, deps.clock.now()))
      return admission
    },
    get depth() {
      return batcher.depth
    },
    drain: () => batcher.drain(),
  }
}

async function submit(batcher: Batcher<AdmissionRequest, Admission>, request: AdmissionRequest): Promise<Admission> {
  try {
    return await batcher.submit(request)
  } catch (error) {
    if (error instanceof QueueFullError) throw limited('The service is busy. Try again in a moment.', BUSY_RETRY_MS)
    throw error
  }
}

function remember(refusal: Refusal, now: number): KnownEmpty {
  return { refusal, refusedAt: now, until: now + Math.min(refusal.retryAfterMs, BELIEVED_MS) }
}

function stillEmpty(known: KnownEmpty | undefined, now: number): Admission | null {
  if (!known || now >= known.until || now < known.refusedAt) return null
  const elapsed = now - known.refusedAt
  return { outcome: 'refused', grant: { ...known.refusal, retryAfterMs: known.refusal.retryAfterMs - elapsed } }
}
