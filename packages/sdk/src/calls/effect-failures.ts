import { type CapabilityCall, OUTCOME_UNKNOWN } from '@svc/contract'
import type { FailedOutcome } from './run-capability.ts'

/** The call was begun, at a time in milliseconds where that is known, and how it ended is not known. */
export function outcomeUnknown({ capability }: CapabilityCall, begunAt?: number): FailedOutcome {
  const message =
    begunAt === undefined
      ? `Whether this call of “${capability}” took effect is not known. It was not run now.`
      : `This call of “${capability}” was begun at ${new Date(begunAt).toISOString()}, and no outcome of it is recorded. ` +
        'It may have taken effect, and was not run again.'
  return { ok: false, code: OUTCOME_UNKNOWN, message }
}

export function callIdReused({ capability }: CapabilityCall): FailedOutcome {
  const message = `“${capability}” was not run: another call came with the same callId.`
  return { ok: false, code: 'call_id_reused', message }
}

export function neverRun({ capability }: CapabilityCall): FailedOutcome {
  const message = `“${capability}” was not run: the service has been told that this call never ran.`
  return { ok: false, code: 'never_run', message }
}
