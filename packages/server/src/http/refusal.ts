import type { IncomingMessage } from 'node:http'
import { limited } from '../errors.ts'
import type { ShedReason } from '../load/load-gate.ts'
import { isPlainPath } from '../load/shedding-rules.ts'
import { anyOrigin, echoedOrigin } from './gate.ts'
import { requestIdOf } from './request-id.ts'

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
export function refusalOf(request: IncomingMessage, reason: ShedReason): Refusal {
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

/** The path that a request is for, as it was sent. */
export function pathOf({ url = '' }: Pick<IncomingMessage, 'url'>): string {
  return url.split('?', 1)[0] ?? ''
}

const OF_PAGES = /^\/v1\/runtime\/(execute|capability)$/
const OF_ANYBODY = /^\/(v1\/capabilities\/|v1\/runtime\/[^/]+\/manifest$|openapi\.json$)/

// A refusal says nothing of anybody: where the path does not tell whose it is, any page may read it.
function originHeaders(request: IncomingMessage): Readonly<Record<string, string>> {
  const path = pathOf(request)
  if (OF_PAGES.test(path)) return echoedOrigin(request.headers.origin)
  return OF_ANYBODY.test(path) || !isPlainPath(path) ? anyOrigin() : {}
}

function bodyOf(message: string): string {
  return JSON.stringify(limited(message, RETRY_MS).toBody())
}
