import { createHmac } from 'node:crypto'
import { type DoctorCheck, signingString } from '@svc/contract'
import { OUTSIDE_MS } from './false-checks.ts'
import type { CallChanges } from './probe-calls.ts'

/** A call in a way that common mistakes take for genuine. Where it is accepted, the mistake is found. */
export interface Diagnosis {
  call: CallChanges
  check: DoctorCheck
  message: string
  mend: string
}

const HOUR_MS = 3_600_000
const SYNCHRONIZE =
  'Synchronize the clock of the endpoint’s machine (NTP), and compare the timestamp in UTC milliseconds.'

const clockIsOff = (offsetMs: number, words: string): Diagnosis => ({
  call: { offsetMs },
  check: 'clock',
  message: `The endpoint refuses calls of this moment and accepts one ${words}: its clock is off by about that much.`,
  mend: SYNCHRONIZE,
})

export const DIAGNOSES: readonly Diagnosis[] = [
  clockIsOff(-OUTSIDE_MS, 'that was signed eleven minutes ago'),
  clockIsOff(OUTSIDE_MS, 'that is dated eleven minutes ahead'),
  clockIsOff(-HOUR_MS, 'that was signed an hour ago'),
  clockIsOff(HOUR_MS, 'that is dated an hour ahead'),
  {
    call: { headerName: (name) => name.replaceAll(/(^|-)[a-z]/g, (letters) => letters.toUpperCase()) },
    check: 'genuine-call',
    message: 'The endpoint finds the signature headers only where their names are capitalized.',
    mend: 'Look headers up without regard to case: HTTP has none, and proxies change it.',
  },
  {
    call: { timestamp: (milliseconds) => milliseconds.slice(0, -3) },
    check: 'genuine-call',
    message: 'The endpoint takes the timestamp for seconds.',
    mend: 'Read x-svc-timestamp as milliseconds since the epoch, 13 digits.',
  },
  {
    call: {
      sign: (secret, parts) =>
        createHmac('sha256', Buffer.from(secret.reveal(), 'base64')).update(signingString(parts)).digest('hex'),
    },
    check: 'genuine-call',
    message: 'The endpoint decodes the secret from base64 before it uses it.',
    mend: 'Use the text of the secret as the HMAC key, as UTF-8.',
  },
  {
    call: {
      sign: (secret, { runtimeId, timestamp, nonce }, body) =>
        createHmac('sha256', secret.reveal()).update(`${runtimeId}.${timestamp}.${nonce}.${body}`).digest('hex'),
    },
    check: 'genuine-call',
    message: 'The endpoint computes the signature over the body itself.',
    mend: 'Put the lower-case hex SHA-256 digest of the body into the signing string, in place of the body.',
  },
]

const SECRET = 'Give the endpoint this runtime’s id and signing secret; if the secret is lost, rotate it.'
const BODY = 'Verify the bytes of the body as they arrived: mount the handler before any body parser.'

/** What to change where the genuine call was refused with this code. */
export const MENDS_BY_CODE: Readonly<Record<string, string>> = {
  missing_headers: 'Look headers up without regard to case, and let proxies pass those on that begin with x-svc-.',
  runtime_mismatch: 'Set the endpoint’s runtime id (SVC_RUNTIME_ID) to the id of this runtime.',
  timestamp_invalid: 'Read x-svc-timestamp as it arrives: 13 decimal digits.',
  timestamp_outside_tolerance: SYNCHRONIZE,
  signature_mismatch: `${SECRET} ${BODY}`,
  nonce_replayed: 'Claim a nonce once for each call: something verifies the same call twice, or proxies repeat it.',
  nonce_store_cold: 'The endpoint’s nonce store keeps starting anew. Keep nonces in a store that outlives the process.',
  nonce_store_full: 'Give the nonce store more room, or let expired nonces be deleted.',
  nonce_store_unavailable: 'Let the endpoint reach its nonce store.',
  invalid_json: BODY,
  missing_capability: BODY,
  raw_body_required: BODY,
  not_configured: 'Set SVC_RUNTIME_ID and SVC_RUNTIME_SECRET where the endpoint runs, and restart it.',
  method_not_allowed: 'Let the endpoint take POST.',
  body_too_large: 'Let the endpoint take bodies of 2 MiB.',
  internal_error: 'Look into the endpoint’s log: the handler failed before it judged the call.',
}

export const MEND_REFUSAL = `${SECRET} ${BODY} Let nothing before the handler, such as a log-in or a firewall, answer in its place.`
