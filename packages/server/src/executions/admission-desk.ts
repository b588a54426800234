import { type Batcher, createBatcher, QueueFullError } from '../database/batch.ts'
import { noteWithoutEffect } from '../database/errors.ts'
import type { Deps } from '../deps.ts'
import { busy } from '../errors.ts'
import { Lru } from '../lru.ts'
import { measuredRun } from '../metrics/measured-run.ts'
import { type AdmissionDoubts, createAdmissionDoubts } from './admission-doubts.ts'
import { type Admission, type AdmissionRequest, admitBatch, type Refusal, wasAdmitted } from './admission-store.ts'

/** Where executions are let in: in batches while busy, and without a look at the database while a bucket is known empty. */
export interface AdmissionDesk {
  /** Rejects where it is unknown for now whether the execution was let in: it is failed as soon as the database tells. */
  admit(request: AdmissionRequest): Promise<Admission>
  /** Fails what was let in although its caller heard of a failure; called with every renewal of the lease. */
  resolveDoubts(): Promise<void>
  /** How many wait for their batch. */
  readonly depth: number
  /** Of how many it is not known whether they were let in. */
  readonly unknown: number
  drain(): Promise<void>
}

interface KnownEmpty {
  refusal: Refusal
  refusedAt: number
  until: number
}

// A change of plan may fill a bucket early: a flood of refused calls asks the database ten times a second, and no more.
const BELIEVED_MS = 100

type DeskDeps = Pick<Deps, 'db' | 'clock' | 'logger' | 'metrics' | 'storage' | 'room'> & { nodeId: string }

export function createAdmissionDesk(deps: DeskDeps): AdmissionDesk {
  const doubts = createAdmissionDoubts(deps)
  const batcher: Batcher<AdmissionRequest, Admission> = createBatcher({
    run: measuredRun(deps, 'admissions', async (requests: AdmissionRequest[]) => {
      const admissions = await admitSurely(deps, doubts, requests)
      // The database answers: what it could not tell before, it can now.
      void doubts.resolve()
      return admissions
    }),
  })
  const empty = new Lru<string, KnownEmpty>(10_000)
  return {
    async admit(request) {
      const name = `${request.runtimeId} ${request.revision} ${request.door}`
      const known = stillEmpty(empty.get(name), deps.clock.now())
      if (known) return known
      const admission = await submit(batcher, request)
      if (admission.outcome === 'admitted') {
        deps.storage.note(request.ownerId, admission)
        deps.room.noteWrite()
      }
      if (admission.outcome === 'refused') empty.set(name, remember(admission.grant, deps.clock.now()))
      return admission
    },
    get depth() {
      return batcher.depth
    },
    get unknown() {
      return doubts.size
    },
    resolveDoubts: () => doubts.resolve(),
    async drain() {
      await batcher.drain()
      await doubts.resolve()
    },
  }
}

// Beyond this, whatever breaks the connections strikes at each commit.
const MAX_TRIES = 3

/** Admits a batch. Where the answer to the commit is lost, asks whether it took place; if not, admits the batch anew. */
async function admitSurely(
  deps: DeskDeps,
  doubts: AdmissionDoubts,
  requests: readonly AdmissionRequest[],
): Promise<Admission[]> {
  const { db, clock, nodeId } = deps
  for (let tries = 1; ; tries += 1) {
    const { answer: admissions, doubt } = await admitBatch(db, requests, { nodeId, now: clock.now() })
    const admitted = requests.filter((_, index) => admissions[index]?.outcome === 'admitted')
    const [first] = admitted
    if (doubt === null || !first) return admissions
    try {
      if (await wasAdmitted(db, first, nodeId)) return admissions
    } catch (error) {
      deps.logger.error({ err: error, count: admitted.length }, 'it is unknown whether executions were let in')
      doubts.keep(admitted)
      throw doubt
    }
    if (tries === MAX_TRIES) {
      noteWithoutEffect(doubt)
      throw doubt
    }
  }
}

async function submit(batcher: Batcher<AdmissionRequest, Admission>, request: AdmissionRequest): Promise<Admission> {
  try {
    return await batcher.submit(request)
  } catch (error) {
    if (error instanceof QueueFullError) throw busy()
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
