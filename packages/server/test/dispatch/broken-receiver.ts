import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { commitFault, type EndpointFault, listenOnFreePort } from '@svc/testkit'
import { onTestFinished } from 'vitest'

export const IDENTITY = { runtimeId: 'rt_examined0001', secret: 'q3Zk9uN0p7mWb2xT1cVfYd5hLr8sEaGiOoQnJwKzRtU' }

/** What a receiver does in place of what it should. */
export interface Breakage {
  secret?: string
  runtimeId?: string
  /** By how much its clock is ahead. */
  clockAheadMs?: number
  toleranceMs?: { past?: number; future?: number }
  ignoresNonce?: true
  ignoresRuntime?: true
  /** Headers that may be missing. */
  ignoresMissing?: readonly string[]
  /** The digest over what stands in for the body. */
  digested?(body: string): string
  key?(secret: string): string | Buffer
  matches?(right: string, given: string): boolean
  /** Before anything else; what it returns is the refusal. */
  before?(body: string): [status: number, error: string] | null
  headerOf?(request: IncomingMessage, name: string): string | undefined
  /** Where an accepted call goes; by default it is answered as the SDK does. */
  accepted?(response: ServerResponse): void
  /** How a refusal is answered. */
  refused?(response: ServerResponse, status: number, error: string): void
  /** Takes every request, before anything is checked. */
  instead?(response: ServerResponse): void
  tls?: { key: string; cert: string }
}

/** Serves a receiver with one thing broken; with none it does all that docs/reference/signing.md asks for. */
export async function startReceiver(breakage: Breakage = {}): Promise<{ url: string; requests: () => number }> {
  const nonces = new Set<string>()
  let requests = 0
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    requests += 1
    request.on('error', () => response.destroy())
    serve(breakage, nonces, request, response).catch(() => response.destroy())
  }
  const server = breakage.tls ? createTlsServer(breakage.tls, listener) : createServer(listener)
  const { port, close } = await listenOnFreePort(server)
  onTestFinished(close)
  return { url: `http${breakage.tls ? 's' : ''}://127.0.0.1:${port}/svc`, requests: () => requests }
}

async function serve(breakage: Breakage, nonces: Set<string>, request: IncomingMessage, response: ServerResponse) {
  if (breakage.instead) return breakage.instead(response)
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks).toString()
  const refusal = breakage.before?.(body) ?? judge(breakage, nonces, request, body)
  if (refusal) return (breakage.refused ?? refuse)(response, ...refusal)
  if (breakage.accepted) return breakage.accepted(response)
  json(response, 200, { output: { ok: true } })
}

type Refusal = [status: number, error: string]

interface Claimed {
  'runtime-id': string
  timestamp: string
  nonce: string
  signature: string
}

function judge(breakage: Breakage, nonces: Set<string>, request: IncomingMessage, body: string): Refusal | null {
  const { headerOf = (from, name) => textOf(from.headers, name), ignoresMissing = [] } = breakage
  const read = (name: string) => headerOf(request, `x-svc-${name}`) ?? ''
  const claimed = {
    'runtime-id': read('runtime-id'),
    timestamp: read('timestamp'),
    nonce: read('nonce'),
    signature: read('signature'),
  }
  const missing = Object.entries(claimed).filter(([name, value]) => value === '' && !ignoresMissing.includes(name))
  if (missing.length > 0) return [401, 'missing_headers']
  const { 'runtime-id': runtimeId, nonce } = claimed
  const isOurs = breakage.ignoresRuntime || runtimeId === (breakage.runtimeId ?? IDENTITY.runtimeId)
  if (!isOurs) return [401, 'runtime_mismatch']
  if (!isInTime(breakage, claimed)) return [401, 'timestamp_outside_tolerance']
  if (!isSigned(breakage, claimed, body)) return [401, 'signature_mismatch']
  if (!breakage.ignoresNonce && nonces.has(nonce)) return [401, 'nonce_replayed']
  nonces.add(nonce)
  return null
}

function isInTime({ clockAheadMs = 0, toleranceMs = {} }: Breakage, { timestamp }: Claimed): boolean {
  const { past = 300_000, future = 300_000 } = toleranceMs
  const age = Date.now() + clockAheadMs - Number(timestamp)
  return age <= past && -age <= future
}

function isSigned(breakage: Breakage, claimed: Claimed, body: string): boolean {
  const { secret = IDENTITY.secret, matches = (right, given) => right === given } = breakage
  const hmac = createHmac('sha256', breakage.key?.(secret) ?? secret)
  const digested = breakage.digested?.(body) ?? sha256(body)
  hmac.update(`${claimed['runtime-id']}.${claimed.timestamp}.${claimed.nonce}.${digested}`)
  return matches(hmac.digest('hex'), claimed.signature)
}

function textOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join() : value
}

function refuse(response: ServerResponse, status: number, error: string): void {
  json(response, status, { error })
}

export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** A receiver that commits this fault in place of an answer to a genuine call. */
export function answering(fault: EndpointFault): Breakage {
  return { accepted: (response) => commitFault(fault, response) }
}

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
