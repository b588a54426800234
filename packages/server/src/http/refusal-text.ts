import type { Clock } from '../clock.ts'
import { limited } from '../errors.ts'
import type { ShedReason } from '../load/load-gate.ts'
import { isPlainPath } from '../load/shedding-rules.ts'
import { anyOrigin, echoedOrigin } from './gate.ts'
import { requestIdOf } from './request-id.ts'
import type { RequestGist } from './whole-request.ts'

const RETRY_MS = 1_000

const BODIES: Readonly<Record<ShedReason, string>> = {
  held: bodyOf('The service is busy. Try again in a moment.'),
  running: bodyOf('Too many executions are under way. Try again in a moment.'),
}

/** What a request is refused with that the service has no room for, under the status 429. */
export interface Refusal {
  headers: Readonly<Record<string, string>>
  body: string
}

/** The one envelope, and what lets the page read it that may have asked. */
export function refusalOf(request: RequestGist, reason: ShedReason): Refusal {
  return {
    headers: {
      ...originHeaders(request),
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(BODIES[reason].length),
      'cache-control': 'no-store',
      'retry-after': String(RETRY_MS / 1_000),
      'x-request-id': requestIdOf(request),
    },
    body: request.method === 'HEAD' ? '' : BODIES[reason],
  }
}

/** The same as it stands on the wire, with the date that Node would add. */
export function refusalText(refusal: Refusal, date: string): string {
  const lines = Object.entries({ date, ...refusal.headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 429 Too Many Requests\r\n${lines.join('')}\r\n${refusal.body}`
}

/** The date as HTTP writes it. It counts seconds; a text for each is made once. */
export function createDates(clock: Clock): () => string {
  let [second, text] = [Number.NaN, '']
  return () => {
    const now = Math.floor(clock.now() / 1_000)
    if (now !== second) [second, text] = [now, new Date(now * 1_000).toUTCString()]
    return text
  }
}

/** A URL without its query. */
export function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? ''
}

const OF_PAGES = /^\/v1\/runtime\/(execute|capability)$/
const OF_ANYBODY = /^\/(v1\/capabilities\/|v1\/runtime\/[^/]+\/manifest$|openapi\.json$)/

// A refusal says nothing of anybody: where the path does not tell whose it is, any page may read it.
function originHeaders({ url, headers }: RequestGist): Readonly<Record<string, string>> {
  const path = pathOf(url)
  if (OF_PAGES.test(path)) return echoedOrigin(headers.origin)
  return OF_ANYBODY.test(path) || !isPlainPath(path) ? anyOrigin() : {}
}

function bodyOf(message: string): string {
  return JSON.stringify(limited(message, RETRY_MS).toBody())
}
