import { CommitUnknownError } from '../database/errors.ts'
import type { Deps } from '../deps.ts'
import { busy, databaseAway } from '../errors.ts'
import { Lru } from '../lib/lru.ts'
import type { Admission, AdmissionRequest, Refusal } from './batch-rules.ts'
import { type BatchWriter, QueueFullError } from './batch-writer.ts'
import type { Settlements } from './settlements.ts'

/** Where executions are let in, without a look at the database while a bucket is known to be empty. */
export interface Admissions {
  /** Rejects where it is unknown for now whether the execution was let in: it is failed as soon as the database tells. */
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

type AdmissionDeps = Pick<Deps, 'clock' | 'storage' | 'room'> & { writer: BatchWriter; settlements: Settlements }

export function createAdmissions(deps: AdmissionDeps): Admissions {
  const { writer, settlements, clock } = deps
  const empty = new Lru<string, KnownEmpty>(10_000)
  return {
    async admit(request) {
      const { runtime_id, owner_id } = request.row
      const name = `${runtime_id} ${request.revision} ${request.door}`
      const known = stillEmpty(empty.get(name), clock.now())
      if (known) return known
      const admission = await admitSurely(deps, request)
      // The database answers: what it could not tell before, it can now.
      if (settlements.unknownAdmissions > 0) void settlements.retryFailed()
      if (admission.outcome === 'admitted') {
        deps.storage.note(owner_id, admission)
        deps.room.noteWrite()
      }
      if (admission.outcome === 'refused') empty.set(name, remember(admission.grant, clock.now()))
      return admission
    },
    get depth() {
      return writer.depth('admissions')
    },
    drain: () => settlements.drain(),
  }
}

async function admitSurely(
  { writer, settlements }: Pick<AdmissionDeps, 'writer' | 'settlements'>,
  request: AdmissionRequest,
): Promise<Admission> {
  try {
    const admission = await writer.admit(request)
    if (admission === null) throw databaseAway()
    return admission
  } catch (error) {
    if (error instanceof QueueFullError) throw busy()
    if (error instanceof CommitUnknownError) settlements.failUnknown(request.row)
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
