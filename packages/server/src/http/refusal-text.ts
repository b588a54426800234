import type { Clock } from '../clock.ts'
import { type AppError, busy, limited, tooManyRunning } from '../errors.ts'
import type { ShedReason } from '../load/load-gate.ts'
import { isPlainPath } from '../load/shedding-rules.ts'
import { anyOrigin, echoedOrigin } from './gate.ts'
import { requestIdOf } from './request-id.ts'
import type { RequestGist } from './whole-request.ts'

/** Why a request is refused; `owed`: its connection is owed too many answers, and ends with this one. */
export type RefusalReason = ShedReason | 'owed'

const RETRY_MS = 1_000

const BUSY = bodyOf(busy())
const BODIES: Readonly<Record<RefusalReason, string>> = {
  held: BUSY,
  paced: BUSY,
  running: bodyOf(tooManyRunning()),
  owed: bodyOf(limited('Too many requests on this connection wait for an answer. Try again in a moment.', RETRY_MS)),
}

type Headers = Readonly<Record<string, string>>

/** What a request is refused with that the service has no room for, under the status 429. */
export interface Refusal {
  headers: Headers
  body: string
}

/** The one envelope, and what lets the page read it that may have asked. */
export function refusalOf(request: RequestGist, reason: RefusalReason): Refusal {
  const id = requestIdOf(request)
  return {
    headers: { ...originHeaders(request), ...commonHeaders(reason), 'x-request-id': id },
    body: bodyFor(request, reason),
  }
}

/**
 * Writes refusals as they stand on the wire, with the date that Node would add. A date counts seconds: what all refusals
 * of one have in common is put together once.
 */
export function createRefusalWriter(clock: Clock): (request: RequestGist, reason: ShedReason) => string {
  let second = Number.NaN
  let heads: Readonly<Record<ShedReason, string>> = { held: '', paced: '', running: '' }
  return (request, reason) => {
    const now = Math.floor(clock.now() / 1_000)
    if (now !== second) {
      const date = new Date(now * 1_000).toUTCString()
      heads = { held: headOf('held', date), paced: headOf('paced', date), running: headOf('running', date) }
      second = now
    }
    const lines = heads[reason] + originLines(request)
    return `${lines}x-request-id: ${requestIdOf(request)}\r\n\r\n${bodyFor(request, reason)}`
  }
}

function headOf(reason: ShedReason, date: string): string {
  return `HTTP/1.1 429 Too Many Requests\r\n${linesOf({ date, ...commonHeaders(reason) })}`
}

function commonHeaders(reason: RefusalReason): Headers {
  return {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(BODIES[reason].length),
    'cache-control': 'no-store',
    'retry-after': String(RETRY_MS / 1_000),
    ...(reason === 'owed' && { connection: 'close' }),
  }
}

function bodyFor({ method }: RequestGist, reason: RefusalReason): string {
  return method === 'HEAD' ? '' : BODIES[reason]
}

function linesOf(headers: Headers): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
}

/** A URL without its query. */
export function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? ''
}

const OF_PAGES = /^\/v1\/runtime\/(execute|capability)$/
const OF_ANYBODY = /^\/(v1\/capabilities\/|v1\/runtime\/[^/]+\/manifest$|openapi\.json$)/

const ANY_ORIGIN: Headers = anyOrigin()
const ANY_ORIGIN_LINES = linesOf(ANY_ORIGIN)

// A refusal says nothing of anybody: where the path does not tell whose it is, any page may read it.
function originHeaders({ url, headers }: RequestGist): Headers {
  const path = pathOf(url)
  if (OF_PAGES.test(path)) return echoedOrigin(headers.origin)
  return OF_ANYBODY.test(path) || !isPlainPath(path) ? ANY_ORIGIN : {}
}

function originLines(request: RequestGist): string {
  const headers = originHeaders(request)
  return headers === ANY_ORIGIN ? ANY_ORIGIN_LINES : linesOf(headers)
}

function bodyOf(refusal: AppError): string {
  return JSON.stringify(refusal.toBody())
}
