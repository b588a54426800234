import type { FastifyRequest } from 'fastify'
import { forbidden } from '../errors.ts'

/**
 * Against CSRF: 403 for a change with a session cookie that a page of another origin may have sent. Browsers name the page's
 * origin in `Origin`, or, where they send none, in `Sec-Fetch-Site`, which no page can set.
 */
export function requireOwnOrigin(request: FastifyRequest, baseUrl: string): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') requireSameOrigin(request, baseUrl, { isBrowser: true })
}

/** Against login CSRF: pages of other origins could sign a visitor in to their own account. Requests that no browser sent pass. */
export function refuseForeignPages(request: FastifyRequest, baseUrl: string): void {
  requireSameOrigin(request, baseUrl, { isBrowser: request.headers['sec-fetch-site'] !== undefined })
}

function requireSameOrigin({ headers }: FastifyRequest, baseUrl: string, { isBrowser }: { isBrowser: boolean }): void {
  const { origin: own } = new URL(baseUrl)
  const isOwn = headers.origin === undefined ? headers['sec-fetch-site'] === 'same-origin' : headers.origin === own
  if (isOwn || (headers.origin === undefined && !isBrowser)) return
  throw forbidden(
    `A browser’s requests that change something must come from a page of ${own}. Programs use a bearer credential and send no Origin.`,
  )
}
