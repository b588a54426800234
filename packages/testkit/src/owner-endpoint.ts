import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import {
  bodyDigest,
  CapabilityCall,
  computeSignature,
  PROBE_CAPABILITY,
  RECEIVER_REFUSALS,
  type ReceiverRefusal,
  SIGNATURE_HEADERS,
  TIMESTAMP_TOLERANCE_MS,
} from '@svc/contract'
import { watchConnections } from './connection-watch.ts'
import { listenOnFreePort } from './listen-on-free-port.ts'
import { commitFault, type Fault } from './owner-faults.ts'

/** One call whose signature held, as the owner's code gets it. */
export interface ReceivedCall extends CapabilityCall {
  headers: IncomingHttpHeaders
  /** The body's bytes as text, exactly as they came. */
  body: string
}

/** What a script lets the endpoint do: answer, fail as a capability does, or misbehave. */
export type ScriptedAnswer = { output: unknown } | { error: string | { message: string } } | Fault
export type CapabilityScript = (call: ReceivedCall) => ScriptedAnswer | Promise<ScriptedAnswer>

export interface OwnerEndpointOptions {
  runtimeId?: string
  secret?: string
  /** Scripts by capability name; a call of any other name is answered with 404, as an owner's handler would. */
  handle?: Readonly<Record<string, CapabilityScript>>
  /** The endpoint's clock, milliseconds since the epoch. */
  now?: () => number
  /** Serves over TLS with this key and certificate, PEM. */
  tls?: { key: string; cert: string }
}

/** A scripted owner's endpoint on a port of its own. */
export interface OwnerEndpoint {
  readonly url: string
  readonly port: number
  readonly runtimeId: string
  readonly secret: string
  /** Every call that reached a capability, in order: what an owner's database would show. */
  readonly effects: readonly ReceivedCall[]
  /** Every call that was refused, in order. */
  readonly refusals: readonly ReceiverRefusal[]
  /** Path and query of every request, in order. */
  readonly paths: readonly string[]
  /** Connections ever accepted, the ones reset on arrival included. */
  readonly connections: number
  readonly openConnections: number
  /** Sets or replaces the script of one capability. */
  script(capability: string, script: CapabilityScript): void
  /** Replaces what the endpoint verifies with, as an owner does after a registration or a rotation. */
  trust(identity: { runtimeId?: string; secrets?: readonly string[] }): void
  /** The next `count` connections are reset on arrival, before anything is read. */
  resetConnections(count: number): void
  /** Resolves when a client has left a call before its answer was complete; at once if one has already. */
  whenLeft(): Promise<void>
  /** Resolves when no connection is open. */
  whenIdle(): Promise<void>
  close(): Promise<void>
}

const DEFAULT_RUNTIME_ID = 'rt_scripted0001'
const DEFAULT_SECRET = 'the-signing-secret-of-a-scripted-endpoint'

/** Starts an endpoint on 127.0.0.1 that verifies each call by itself, notes it, and answers from a script. */
export async function startOwnerEndpoint(options: OwnerEndpointOptions = {}): Promise<OwnerEndpoint> {
  const { runtimeId = DEFAULT_RUNTIME_ID, secret = DEFAULT_SECRET, now = Date.now, tls } = options
  let onLeft = () => {}
  const left = new Promise<void>((resolve) => {
    onLeft = resolve
  })
  const state: State = {
    now,
    runtimeId,
    secrets: [secret],
    scripts: new Map(Object.entries(options.handle ?? {})),
    effects: [],
    refusals: [],
    paths: [],
    nonces: new Set(),
  }
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    response.on('close', () => !response.writableFinished && onLeft())
    serve(state, request, response).catch(() => response.destroy())
  }
  const server = tls ? createTlsServer(tls, listener) : createServer(listener)
  const connections = watchConnections(server)
  const { port, close } = await listenOnFreePort(server)
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}/svc`,
    port,
    runtimeId,
    secret,
    effects: state.effects,
    refusals: state.refusals,
    paths: state.paths,
    get connections() {
      return connections.accepted()
    },
    get openConnections() {
      return connections.open.size
    },
    script: (capability, script) => void state.scripts.set(capability, script),
    trust: (identity) => void Object.assign(state, identity),
    resetConnections: connections.resetNext,
    whenLeft: () => left,
    whenIdle: connections.whenIdle,
    close,
  }
}

interface State {
  now: () => number
  runtimeId: string
  secrets: readonly string[]
  scripts: Map<string, CapabilityScript>
  effects: ReceivedCall[]
  refusals: ReceiverRefusal[]
  paths: string[]
  nonces: Set<string>
}

async function serve(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  state.paths.push(request.url ?? '')
  const bytes = await readAll(request)
  const refusal = await verify(state, request.headers, bytes)
  if (refusal) return refuse(state, response, refusal)
  const call = received(request.headers, bytes)
  if (!call) return refuse(state, response, 'invalid_json')
  const script = state.scripts.get(call.capability)
  // As the SDK does.
  if (call.capability === PROBE_CAPABILITY && !script) return answer(response, { output: { ok: true } })
  if (!script) return refuse(state, response, 'unknown_capability')
  state.effects.push(call)
  const scripted = await script(call)
  if ('fault' in scripted) return commitFault(scripted, response)
  answer(response, 'error' in scripted ? { output: null, error: scripted.error } : { output: scripted.output })
}

function answer(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

// Written apart from every other verifier in the project, so that no two share a mistake.
async function verify(state: State, headers: IncomingHttpHeaders, bytes: Uint8Array<ArrayBuffer>) {
  const runtimeId = headers[SIGNATURE_HEADERS.runtimeId]
  const timestamp = headers[SIGNATURE_HEADERS.timestamp]
  const nonce = headers[SIGNATURE_HEADERS.nonce]
  const signature = headers[SIGNATURE_HEADERS.signature]
  for (const value of [runtimeId, timestamp, nonce, signature]) {
    if (typeof value !== 'string' || value === '') return 'missing_headers'
  }
  if (runtimeId !== state.runtimeId) return 'runtime_mismatch'
  if (!/^\d{13}$/.test(String(timestamp))) return 'timestamp_invalid'
  if (Math.abs(state.now() - Number(timestamp)) > TIMESTAMP_TOLERANCE_MS) return 'timestamp_outside_tolerance'
  const digest = await bodyDigest(bytes)
  const parts = { runtimeId, timestamp: String(timestamp), nonce: String(nonce), bodyDigest: digest }
  const expected = await Promise.all(state.secrets.map((secret) => computeSignature(secret, parts)))
  if (!expected.includes(String(signature))) return 'signature_mismatch'
  if (state.nonces.has(parts.nonce)) return 'nonce_replayed'
  state.nonces.add(parts.nonce)
  return null
}

function refuse(state: State, response: ServerResponse, refusal: ReceiverRefusal): void {
  state.refusals.push(refusal)
  const status = RECEIVER_REFUSALS[refusal]
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error: refusal }))
}

function received(headers: IncomingHttpHeaders, bytes: Uint8Array): ReceivedCall | null {
  const body = Buffer.from(bytes).toString()
  try {
    return { ...CapabilityCall.parse(JSON.parse(body)), headers, body }
  } catch {
    return null
  }
}

async function readAll(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk)
  return new Uint8Array(Buffer.concat(chunks))
}
