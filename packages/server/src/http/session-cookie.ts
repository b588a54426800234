import type { FastifyReply, FastifyRequest } from 'fastify'

/** A cookie that a browser keeps for this service alone, and shows to no page. */
interface SessionCookie {
  value: string
  /** Epoch milliseconds. */
  expiresAt: number
}

/** The session token that a browser sent along, or undefined. */
export function readSessionCookie(request: FastifyRequest, baseUrl: string): string | undefined {
  const start = `${cookieName(baseUrl)}=`
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(start))?.slice(start.length)
}

/** Has the browser keep a session for as long as it goes on. */
export function setSessionCookie(reply: FastifyReply, baseUrl: string, cookie: SessionCookie, now: number): void {
  const maxAge = Math.max(0, Math.floor((cookie.expiresAt - now) / 1000))
  reply.header('set-cookie', `${cookieName(baseUrl)}=${cookie.value}; Max-Age=${maxAge}; ${attributes(baseUrl)}`)
}

/** Has the browser forget its session. */
export function clearSessionCookie(reply: FastifyReply, baseUrl: string): void {
  reply.header('set-cookie', `${cookieName(baseUrl)}=; Max-Age=0; ${attributes(baseUrl)}`)
}

/** The cookie’s name. Browsers take one of the “__Host-” kind from its own host over https alone: no neighbour can plant it. */
export function cookieName(baseUrl: string): string {
  return isSecure(baseUrl) ? '__Host-svc_session' : 'svc_session'
}

function attributes(baseUrl: string): string {
  return `Path=/; HttpOnly; SameSite=Lax${isSecure(baseUrl) ? '; Secure' : ''}`
}

function isSecure(baseUrl: string): boolean {
  return new URL(baseUrl).protocol === 'https:'
}
