import type { FastifyRequest } from 'fastify'
import { forbidden } from '../errors.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD'])

/**
 * Refuses what a browser may have been made to send by a page of somebody else's: a cookie goes along with that. A page
 * of our own says so in `Origin`, or, where it sends none, in `Sec-Fetch-Site`, which no page can set.
 */
export function requireOwnOrigin(request: FastifyRequest, baseUrl: string): void {
  if (SAFE_METHODS.has(request.method)) return
  const { origin } = request.headers
  const isOurs =
    origin === undefined ? request.headers['sec-fetch-site'] === 'same-origin' : origin === originOf(baseUrl)
  if (!isOurs) throw foreign(baseUrl)
}

/** Refuses pages of other origins, which could sign a visitor in to an account of theirs. What is no browser passes. */
export function refuseForeignPages(request: FastifyRequest, baseUrl: string): void {
  const { origin } = request.headers
  const site = request.headers['sec-fetch-site']
  const isForeign = origin === undefined ? site !== undefined && site !== 'same-origin' : origin !== originOf(baseUrl)
  if (isForeign) throw foreign(baseUrl)
}

function originOf(baseUrl: string): string {
  return new URL(baseUrl).origin
}

function foreign(baseUrl: string): Error {
  return forbidden(
    `A browser’s requests that change something must come from a page of ${originOf(baseUrl)}. Programs use a bearer credential and send no Origin.`,
  )
}
