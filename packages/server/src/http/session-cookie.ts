import type { FastifyReply, FastifyRequest } from 'fastify'

export function readSessionCookie(request: FastifyRequest, baseUrl: string): string | undefined {
  const start = `${cookieName(baseUrl)}=`
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(start))?.slice(start.length)
}

/** Sets a cookie that a browser sends to this service alone, and shows to no page. Times are epoch milliseconds. */
export function setSessionCookie(
  reply: FastifyReply,
  baseUrl: string,
  cookie: { value: string; expiresAt: number },
  now: number,
): void {
  const maxAge = Math.max(0, Math.floor((cookie.expiresAt - now) / 1000))
  const secure = isSecure(baseUrl) ? '; Secure' : ''
  const attributes = `Max-Age=${maxAge}; Path=/; HttpOnly; SameSite=Lax${secure}`
  reply.header('set-cookie', `${cookieName(baseUrl)}=${cookie.value}; ${attributes}`)
}

export function clearSessionCookie(reply: FastifyReply, baseUrl: string): void {
  setSessionCookie(reply, baseUrl, { value: '', expiresAt: 0 }, 0)
}

/** Browsers take a “__Host-” cookie only from its own host over https: no neighbouring host can plant it. */
export function cookieName(baseUrl: string): string {
  return isSecure(baseUrl) ? '__Host-svc_session' : 'svc_session'
}

function isSecure(baseUrl: string): boolean {
  return new URL(baseUrl).protocol === 'https:'
}
