import type { DoctorRow } from '@svc/contract'
import { failed, passed } from './endpoint-rows.ts'
import type { FalseCheck } from './false-checks.ts'
import type { Observation } from './probe-exchange.ts'
import { inWords, refusalCodeOf } from './read-observation.ts'

/** Whether a call was taken for genuine: answered as the genuine one was, or with any success. */
export function isAccepted(observation: Observation, genuine: Observation): boolean {
  const { status } = observation
  if (status === null) return false
  if (status >= 200 && status < 300) return true
  return status === 404 && genuine.status === 404 && refusalCodeOf(observation) === refusalCodeOf(genuine)
}

/** A 429 is no refusal: the call was not looked at. */
function isRefused({ status }: Observation): boolean {
  return status !== null && status >= 400 && status < 500 && status !== 429
}

/** The row of calls that had to be refused, by the first that was not. */
export function falseRow(rule: FalseCheck, answers: readonly Observation[], genuine: Observation): DoctorRow {
  const { check, calls, refused, mend } = rule
  const accepted = answers.findIndex((answer) => isAccepted(answer, genuine))
  if (accepted !== -1) return failed(check, calls[accepted]?.accepted ?? '', mend)
  // A rotated secret is tried after a 401 alone.
  const isRight = (answer: Observation) => (check === 'wrong-secret' ? answer.status === 401 : isRefused(answer))
  const wrong = answers.find((answer) => !isRight(answer))
  if (!wrong) return passed(check, refused)
  return failed(check, `A false call was not refused: ${inWords(wrong)}.`, wrong.status === 429 ? MEND_LIMIT : mend)
}

/** Whether the signature is judged before the body is parsed. No row where false signatures are not refused at all. */
export function verifyFirstRows(unparsable: Observation, wrongSecret: Observation, genuine: Observation): DoctorRow[] {
  if (!isRefused(wrongSecret) || isAccepted(wrongSecret, genuine)) return []
  if (isRefused(unparsable) && unparsable.status === wrongSecret.status) {
    return [passed('verify-first', 'A false signature is refused before the body is parsed.')]
  }
  const message = `A false signature over a body that is no JSON was not refused for its signature: ${inWords(unparsable)}.`
  return [failed('verify-first', message, 'Verify the signature before a parser reads the body.')]
}

export function rawBodyRow(unusual: Observation, genuine: Observation): DoctorRow {
  if (isAccepted(unusual, genuine)) {
    return passed('raw-body', 'A genuine call is accepted however its JSON is spaced.')
  }
  const message = `A genuine call was not accepted whose JSON has unusual spaces and escapes: ${inWords(unusual)}.`
  const mend = 'Verify the bytes of the body as they arrived. JSON that is parsed and written again has other bytes.'
  return failed('raw-body', message, mend)
}

const MEND_LIMIT = 'Leave the calls of the service out of the endpoint’s rate limit, and run the doctor again.'

/** The quicker of two calls counts, since the first one may have woken the endpoint up. */
export function latencyRow([first, second]: readonly [Observation, Observation | null], slowMs: number): DoctorRow {
  const answerMs = Math.min(first.answerMs, second?.answerMs ?? Infinity)
  const message = `A call that runs nothing took ${answerMs} ms, after ${first.connectMs ?? 0} ms to connect.`
  if (answerMs <= slowMs) return passed('latency', message)
  return failed('latency', message, 'Keep an instance running, near the service, and verify calls before slow work.')
}

/** `Date` has whole seconds, and the answer took its time. */
const MAX_DIFFERENCE_MS = 60_000

export function clockRow({ clockAheadMs: difference }: Observation): DoctorRow {
  if (difference === null) {
    return passed('clock', 'The genuine call was within the tolerance; the answer has no Date header.')
  }
  const seconds = Math.round(Math.abs(difference) / 1000)
  if (Math.abs(difference) <= MAX_DIFFERENCE_MS) {
    return passed('clock', `The clocks differ by about ${seconds} s; a call may be five minutes off.`)
  }
  const message = `By its Date header the endpoint’s clock is ${seconds} s ${difference > 0 ? 'ahead' : 'behind'}.`
  return failed('clock', message, 'Synchronize the clock of the endpoint’s machine (NTP).')
}
