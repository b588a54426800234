import type { DoctorRow } from '@svc/contract'
import { failed, passed } from './endpoint-rows.ts'
import type { Observation } from './probe-exchange.ts'

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
