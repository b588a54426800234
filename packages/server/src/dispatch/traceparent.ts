import { randomText } from '../random.ts'

const VALID = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** The caller's `traceparent` where it is a valid one (W3C Trace Context), else a new one, marked as sampled. */
export function traceparentOf(given: string | undefined): string {
  if (given !== undefined && VALID.test(given)) return given
  return `00-${randomText(16, 'hex')}-${randomText(8, 'hex')}-01`
}
