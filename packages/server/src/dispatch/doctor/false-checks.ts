import { type DoctorCheck, SIGNATURE_HEADERS, TIMESTAMP_TOLERANCE_MS } from '@svc/contract'
import { Secret } from '../../secrets/secret.ts'
import type { CallChanges, SignatureHeader } from './probe-calls.ts'

/** A call that a receiver must refuse. */
export interface FalseCall {
  /** `again` sends the genuine call once more, byte for byte. */
  call: CallChanges | 'again'
  accepted: string
}

export interface FalseCheck {
  check: DoctorCheck
  calls: readonly FalseCall[]
  refused: string
  mend: string
}

/** Too old or too new even for a receiver whose clock is as far off as it may be. */
export const OUTSIDE_MS = 2 * TIMESTAMP_TOLERANCE_MS + 60_000

const altered = (digit: string | undefined) => (digit === '0' ? '1' : '0')

/** Sent several times, since each process behind a balancer may keep nonces of its own. */
const replayed: FalseCall = { call: 'again', accepted: 'A call that was sent again, byte for byte, was accepted.' }

const missing = (without: SignatureHeader): FalseCall => ({
  call: { without },
  accepted: `A call without the header ${SIGNATURE_HEADERS[without]} was accepted.`,
})

const withSignature = (signature: (right: string) => string, what: string): FalseCall => ({
  call: { signature },
  accepted: `A signature was accepted ${what}.`,
})

export const FALSE_CHECKS: readonly FalseCheck[] = [
  {
    check: 'replay',
    calls: [replayed, replayed, replayed],
    refused: 'A call that is sent again is refused.',
    mend: 'Claim the nonce of each call in one atomic step, in a store that all your processes share, and answer 401 where it was claimed before.',
  },
  {
    check: 'tampered-body',
    calls: [
      {
        call: { sent: (body) => body.replace('"input":{}', '"input":{"tampered":true}') },
        accepted: 'A call whose body was changed after it was signed was accepted.',
      },
      {
        call: { sent: (body) => `${body} ` },
        accepted: 'A call was accepted to whose body a space was added after it was signed.',
      },
    ],
    refused: 'A call whose body was changed after it was signed is refused.',
    mend: 'Compute the SHA-256 digest over the very bytes of the body that arrived, before a parser reads them, and verify the signature over that digest.',
  },
  {
    check: 'stale-timestamp',
    calls: [{ call: { offsetMs: -OUTSIDE_MS }, accepted: 'A call that was signed eleven minutes ago was accepted.' }],
    refused: 'A call that was signed eleven minutes ago is refused.',
    mend: 'Refuse a call whose x-svc-timestamp lies more than five minutes before your clock.',
  },
  {
    check: 'future-timestamp',
    calls: [{ call: { offsetMs: OUTSIDE_MS }, accepted: 'A call that is dated eleven minutes ahead was accepted.' }],
    refused: 'A call that is dated eleven minutes ahead is refused.',
    mend: 'Refuse a call whose x-svc-timestamp lies more than five minutes after your clock.',
  },
  {
    check: 'wrong-secret',
    calls: [
      {
        call: { secret: new Secret('not-the-signing-secret-of-any-runtime') },
        accepted: 'A call that was signed with a wrong secret was accepted.',
      },
    ],
    refused: 'A call that is signed with a wrong secret is refused.',
    mend: 'Verify the HMAC-SHA-256 of the signing string under this runtime’s secret, and answer 401 where it differs: after a 401, and no other status, a rotated secret is tried.',
  },
  {
    check: 'other-runtime',
    calls: [{ call: { runtimeId: 'rt_anotherRuntime01' }, accepted: 'A call for another runtime was accepted.' }],
    refused: 'A call for another runtime is refused.',
    mend: 'Compare x-svc-runtime-id with the id of your runtime.',
  },
  {
    check: 'loose-signature',
    calls: [
      withSignature((right) => `${altered(right[0])}${right.slice(1)}`, 'whose first digit is wrong'),
      withSignature((right) => `${right.slice(0, -1)}${altered(right.at(-1))}`, 'whose last digit is wrong'),
      withSignature((right) => right.slice(0, 32), 'of which half was left out'),
      withSignature((right) => `${right}00`, 'to which two digits were added'),
      withSignature((right) => right.toUpperCase(), 'in upper case'),
    ],
    refused: 'A signature that differs in one digit, in length or in case is refused.',
    mend: 'Accept 64 lower-case hex digits alone, and compare all of them, in constant time.',
  },
  {
    check: 'missing-header',
    calls: [missing('runtimeId'), missing('timestamp'), missing('nonce'), missing('signature')],
    refused: 'A call without one of the four headers is refused.',
    mend: 'Refuse a call where one of the four x-svc- headers is missing or empty, before anything else is looked at.',
  },
]

/** Invalid JSON under a false signature. A receiver that parses first answers for the JSON. */
export const UNPARSABLE: CallChanges = { body: () => '{"capability":', signature: () => '0'.repeat(64) }

/** Genuine, in JSON that no serializer would write again in the same bytes. */
export const UNUSUAL_JSON: CallChanges = {
  body: (genuine) =>
    ` ${genuine.replace('"metadata":{}', '"metadata": { "note" : "\\u00e9", "number" : 1.50e1 }')}\r\n`,
}
