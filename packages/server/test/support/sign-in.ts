import { randomUUID } from 'node:crypto'
import { Session } from '@svc/contract'
import type { LightMyRequestResponse } from 'fastify'
import { PASSWORD, type TestService } from './service.ts'

/** An address that no account has. */
export function newAddress(): string {
  return `${randomUUID()}@example.com`
}

/** Asks for a session, from a client of its own unless `ip` names one. */
export function askToSignIn(
  service: TestService,
  { email, password = PASSWORD, ip = '192.0.2.1' }: { email: string; password?: string; ip?: string },
): Promise<LightMyRequestResponse> {
  return post(service, '/v1/auth/sign-in', { email, password }, ip)
}

/** Asks for an account. */
export function askToSignUp(
  service: TestService,
  { email, password = PASSWORD, ip = '192.0.2.1' }: { email: string; password?: string; ip?: string },
): Promise<LightMyRequestResponse> {
  return post(service, '/v1/auth/sign-up', { email, password }, ip)
}

/** The session of an answer that must have begun one. */
export function begunSession(answer: LightMyRequestResponse): Session {
  if (answer.statusCode > 201) throw new Error(`no session was begun: ${answer.statusCode} ${answer.body}`)
  return Session.parse(answer.json())
}

/** The status of a request that changes nothing and only asks who is asking. */
export async function statusWith(service: TestService, key: string): Promise<number> {
  return (await service.send('GET', '/v1/account', { key })).statusCode
}

function post(service: TestService, url: string, payload: object, remoteAddress: string) {
  return service.inject({ method: 'POST', url, payload, remoteAddress })
}

/** What an answer has the browser keep: name, value and attributes; undefined where it sets no cookie. */
export function cookieSet(answer: LightMyRequestResponse): SetCookie | undefined {
  const header = answer.headers['set-cookie']
  if (header === undefined) return undefined
  const [pair = '', ...attributes] = String(header).split('; ')
  const [name = '', value = ''] = pair.split('=')
  return { name, value, attributes: attributes.sort() }
}

interface SetCookie {
  name: string
  value: string
  attributes: string[]
}
