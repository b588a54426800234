import { randomText } from '../lib/random.ts'
import { parseTraceparent } from '../telemetry/traceparent.ts'

/** The caller's `traceparent` where it is a valid one (W3C Trace Context), else a new one, marked as sampled. */
export function traceparentOf(given: string | undefined): string {
  if (given !== undefined && parseTraceparent(given)) return given
  return `00-${randomText(16, 'hex')}-${randomText(8, 'hex')}-01`
}
