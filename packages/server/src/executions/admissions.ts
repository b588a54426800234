import { CommitUnknownError } from '../database/errors.ts'
import type { Deps } from '../deps.ts'
import { busy, databaseAway } from '../errors.ts'
import { Lru } from '../lib/lru.ts'
import type { Admission, AdmissionRequest, Refusal } from './batch-rules.ts'
import { type BatchWriter, QueueFullError } from './batch-writer.ts'
import type { Settlements } from './settlements.ts'

export type Admissions = ReturnType<typeof createAdmissions>

interface KnownEmpty {
  refusal: Refusal
  refusedAt: number
  until: number
}

// A change of plan may fill a bucket early: a flood of refused calls asks the database ten times a second, and no more.
const BELIEVED_MS = 100

type AdmissionDeps = Pick<Deps, 'clock' | 'storage' | 'room'> & { writer: BatchWriter; settlements: Settlements }

/** Where executions are let in, without a look at the database while a bucket is known to be empty. */
export function createAdmissions(deps: AdmissionDeps) {
  const { writer, settlements, clock } = deps
  const empty = new Lru<string, KnownEmpty>(10_000)
  return {
    /** Rejects where it is unknown for now whether the execution was let in: it is failed as soon as the database tells. */
    async admit(request: AdmissionRequest): Promise<Admission> {
      const { runtime_id, owner_id } = request.row
      const name = `${runtime_id} ${request.revision} ${request.door}`
      const known = stillEmpty(empty.get(name), clock.now())
      if (known) return known
      const admission = await writer.admit(request).catch((error: unknown) => {
        if (error instanceof QueueFullError) throw busy()
        if (error instanceof CommitUnknownError) settlements.failUnknown(request.row)
        throw error
      })
      if (admission === null) throw databaseAway()
      // The database answers: what it could not tell before, it can now.
      if (settlements.unknownAdmissions > 0) void settlements.retryFailed()
      if (admission.outcome === 'admitted') {
        deps.storage.note(owner_id, admission)
        deps.room.noteWrite()
      }
      if (admission.outcome === 'refused') {
        const [refusal, refusedAt] = [admission.grant, clock.now()]
        empty.set(name, { refusal, refusedAt, until: refusedAt + Math.min(refusal.retryAfterMs, BELIEVED_MS) })
      }
      return admission
    },
  }
}

function stillEmpty(known: KnownEmpty | undefined, now: number): Admission | null {
  if (!known || now >= known.until || now < known.refusedAt) return null
  const elapsed = now - known.refusedAt
  return { outcome: 'refused', grant: { ...known.refusal, retryAfterMs: known.refusal.retryAfterMs - elapsed } }
}
