import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const HEADER = 'x-request-id'
const WELL_FORMED = /^[A-Za-z0-9_-]{8,64}$/

/** The id of a request: the caller's own where it is well-formed, a new one otherwise. */
export function requestIdOf(raw: Pick<IncomingMessage, 'headers'>): string {
  const given = raw.headers[HEADER]
  return typeof given === 'string' && WELL_FORMED.test(given) ? given : randomUUID()
}
