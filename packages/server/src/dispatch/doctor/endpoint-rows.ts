import type { DoctorCheck, DoctorRow } from '@svc/contract'
import { MEND_REFUSAL, MENDS_BY_CODE } from './diagnoses.ts'
import { type Observation, PROBE_ANSWER_BYTES } from './probe-exchange.ts'
import { inWords, isCompressed, jsonOf, refusalCodeOf } from './read-observation.ts'

export function passed(check: DoctorCheck, message: string): DoctorRow {
  return { check, ok: true, message, mend: null }
}

export function failed(check: DoctorCheck, message: string, mend: string): DoctorRow {
  return { check, ok: false, message, mend }
}

export interface TlsFacts {
  protocol: string
  validTo: string
}

const CERTIFICATE_FAULTS: readonly (readonly [pattern: RegExp, message: string, mend: string])[] = [
  [
    /SELF_SIGNED/,
    'The certificate of the endpoint is self-signed.',
    'Install a certificate of a public authority, such as Let’s Encrypt.',
  ],
  [/CERT_HAS_EXPIRED/, 'The certificate of the endpoint has expired.', 'Renew it, and let it be renewed by itself.'],
  [/CERT_NOT_YET_VALID/, 'The certificate of the endpoint is not valid yet.', 'Install one that is valid now.'],
  [
    /ALTNAME|HOSTNAME/,
    'The certificate of the endpoint is for another name.',
    'Install one for the host name of the endpoint’s address.',
  ],
  [
    /UNABLE_TO_|CERT|CRL|INVALID_CA/,
    'The certificate of the endpoint is not trusted.',
    'Install one of a public authority, together with its intermediate certificates.',
  ],
  [
    /SSL|TLS|EPROTO/,
    'The endpoint did not agree on TLS.',
    'Serve TLS 1.2 or newer at the port of the endpoint’s address.',
  ],
]

/** Rows of the way to the endpoint, and whether it is passable. */
export function connectionRows(genuine: Observation, isHttps: boolean, tls: TlsFacts | null): DoctorRow[] {
  const { fault, errorCode, status, connectMs } = genuine
  if (connectMs === null) {
    const certificate = CERTIFICATE_FAULTS.find(([pattern]) => pattern.test(errorCode))
    if (certificate) return [failed('tls', certificate[1], certificate[2])]
    return [failed('connection', 'The endpoint could not be reached.', MEND_UNREACHED)]
  }
  if (status === null && fault === 'broken-off') {
    return [failed('connection', 'The endpoint closed the connection before it answered.', MEND_CLOSED)]
  }
  return [passed('connection', `The endpoint was reached in ${connectMs} ms.`), tlsRow(isHttps, tls)]
}

function tlsRow(isHttps: boolean, tls: TlsFacts | null): DoctorRow {
  if (!isHttps) return passed('tls', 'The endpoint is on the machine of the service, without TLS.')
  const facts = tls === null ? '' : ` ${tls.protocol}, valid until ${tls.validTo}.`
  return passed('tls', `The certificate is trusted.${facts}`)
}

// The same for a private address as for none: the answer must not map a network.
const MEND_UNREACHED =
  'Start the server: on your own machine, `svc dev`. Elsewhere open its port to the internet, and see that public DNS knows its name and leads to a public address.'
const MEND_CLOSED =
  'Look into the log of the endpoint and of the proxies before it: something ends connections, as a crash does.'

const MENDS_BY_STATUS: Readonly<Record<number, string>> = {
  404: 'Correct the path of the endpoint’s address, or serve the capabilities there.',
  405: 'Let the endpoint take POST.',
  411: 'Let the endpoint take bodies with a content-length.',
  413: 'Let the endpoint take bodies of 2 MiB.',
  415: 'Let the endpoint take content-type: application/json.',
  429: 'Leave the calls of the service out of the endpoint’s rate limit.',
}

/** The genuine call where it was not accepted. */
export function refusedRow(genuine: Observation): DoctorRow {
  const { status, fault } = genuine
  const words = inWords(genuine)
  const message = `A genuine call was not accepted: ${words}.`
  const code = refusalCodeOf(genuine)
  const byCode = code === null ? undefined : MENDS_BY_CODE[code]
  if (code === 'timestamp_outside_tolerance' && byCode) return failed('clock', message, byCode)
  if (byCode) return failed('genuine-call', message, byCode)
  if (status === null) return failed('genuine-call', message, fault === 'late' ? MEND_LATE : MEND_NO_HTTP)
  if (status < 300) return failed('genuine-call', message, MEND_STATUS)
  if (status < 400) return failed('genuine-call', `${message} Redirects are not followed.`, MEND_REDIRECT)
  if (status >= 500) return failed('genuine-call', message, MEND_FAILURE)
  return failed('genuine-call', message, MENDS_BY_STATUS[status] ?? MEND_REFUSAL)
}

const MEND_STATUS = 'Answer every accepted call with status 200 and {"output": …}.'
const MEND_LATE = 'Answer within seconds: look what the endpoint waits for, such as a body that was read already.'
const MEND_NO_HTTP = 'Serve HTTP/1.1 at the port of the endpoint’s address.'
const MEND_REDIRECT = 'Set the endpoint to the address that the redirect leads to, to the letter: scheme, host, slash.'
const MEND_FAILURE = 'Look into the log of the endpoint and of the proxies before it: the call made something fail.'

const MEND_FORM = 'Answer with content-type: application/json and a JSON object {"output": …}.'
const MEND_SIZE = 'Answer with less: the output alone, page by page, and end the answer.'
const MEND_COMPRESSED = 'Do not compress the answers of this address: the request says accept-encoding: identity.'

/** The form of the answer to a genuine call that was accepted; of a 404, whatever its words, what every answer keeps. */
export function answerRow(genuine: Observation): DoctorRow {
  const { fault, contentEncoding, contentType, status, body } = genuine
  const fail = (message: string, mend: string) => failed('answer', message, mend)
  if (fault === 'too-large') {
    return fail(`The answer to the probe did not end within ${PROBE_ANSWER_BYTES / 1024} KiB.`, MEND_SIZE)
  }
  if (fault === 'late') return fail('The answer began and did not end in time.', MEND_SIZE)
  if (fault !== null) return fail('The answer broke off.', MEND_CLOSED)
  if (isCompressed(contentEncoding)) return fail('The answer is compressed, which is not accepted.', MEND_COMPRESSED)
  if (status === 404) return passed('answer', 'The endpoint does not know the probe, and says so.')
  const isJson = /^application\/([\w.+-]+\+)?json\b/i.test(contentType ?? '')
  if (body.length === 0) return fail('The answer has no body.', MEND_FORM)
  const json = jsonOf(genuine)
  if (json === null) {
    return fail(isHtml(contentType) ? 'The answer is a page of HTML.' : 'The answer is no JSON object.', MEND_FORM)
  }
  if (!('output' in json)) return fail('The answer has no field “output”.', MEND_FORM)
  if (!isJson) return fail('The answer does not say content-type: application/json.', MEND_FORM)
  return passed('answer', 'The answer is JSON, plain and within its limits.')
}

export function isHtml(contentType: string | null): boolean {
  return /\bhtml\b/i.test(contentType ?? '')
}
