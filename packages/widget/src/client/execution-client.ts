import type { ExecuteResponse, JsonObject, Message, StreamEvent } from '@svc/contract'
import { ClientError } from './client-error.ts'
import { type Clock, systemClock } from './clock.ts'
import { type ExecutionDoor, publicKeyDoor } from './execution-door.ts'
import { readEvents } from './read-events.ts'
import { isRecord, numberOf, readExecuteResponse, readFailure } from './read-json.ts'
import { readRefusal } from './read-refusal.ts'
import { unlessAborted } from './unless-aborted.ts'

/** The end user’s own credential, asked for anew with each request and kept nowhere. Nothing, or `''`: nobody is signed in. */
export type EndUserTokenSource = () => TokenOrNone | Promise<TokenOrNone>

type TokenOrNone = string | null | undefined

/** The runtime’s public key, `svc_pk_…`, or another way in. */
type WayIn = { publicKey: string; door?: undefined } | { door: ExecutionDoor; publicKey?: undefined }

export type ExecutionClientOptions = WayIn & ClientSettings

interface ClientSettings {
  /** The control plane’s address, such as `https://svc.example.com`. */
  baseUrl: string
  endUserToken?: EndUserTokenSource | undefined
  /** Kept in traces: nothing that is secret belongs here. Read with each request. */
  metadata?: JsonObject | undefined
  fetch?: typeof fetch | undefined
  clock?: Clock | undefined
  /** How long a stream may be silent, its beginning included, before it is taken as lost. Default 45,000. */
  idleMs?: number | undefined
}

export interface ExecuteInput {
  messages: readonly Message[]
  signal?: AbortSignal | undefined
}

export interface CapabilityInput {
  capability: string
  input: JsonObject
  signal?: AbortSignal | undefined
}

/** An answer as it comes in; `done` is the last event. */
export interface ExecutionStream {
  requestId: string | null
  events: AsyncIterable<StreamEvent>
}

/** What a capability answered, or that it failed, which is a result. */
export type CapabilityResult =
  | { executionId: string; output: unknown; error: null; durationMs: number }
  | { executionId: string; output: null; error: { message: string }; durationMs: number }

/**
 * Speaks to a runtime. Every method throws a {@link ClientError} where there is no result; once the
 * signal is aborted, the signal’s reason.
 */
export interface ExecutionClient {
  /** The whole answer at once. A failed execution is a result: look at its `status`. */
  execute(input: ExecuteInput): Promise<ExecuteResponse>
  stream(input: ExecuteInput): Promise<ExecutionStream>
  /** One capability, without a model. */
  callCapability(input: CapabilityInput): Promise<CapabilityResult>
}

const IDLE_MS = 45_000

export function createExecutionClient(options: ExecutionClientOptions): ExecutionClient {
  const { clock = systemClock, idleMs = IDLE_MS } = options
  const base = options.baseUrl.replace(/\/+$/, '')
  const door = options.door ?? publicKeyDoor(options.publicKey)

  async function post(path: string, body: JsonObject, { accept, stopped, beginsWithinMs }: Posting) {
    const endUserToken = await unlessAborted(tokenFrom(options.endUserToken), stopped)
    const late = new AbortController()
    const signal = AbortSignal.any([late.signal, ...(stopped ? [stopped] : [])])
    const callOff = beginsWithinMs === undefined ? null : clock.after(beginsWithinMs, () => late.abort())
    const send = options.fetch ?? fetch
    const sent = send(`${base}${path}`, {
      method: 'POST',
      headers: { ...door.headers, 'content-type': 'application/json', accept },
      body: JSON.stringify({ ...body, ...door.body, ...(endUserToken && { endUserToken }) }),
      credentials: door.credentials,
      cache: 'no-store',
      redirect: 'error',
      signal,
    })
    const response = await unlessAborted(sent, signal)
      .catch((cause: unknown) => {
        stopped?.throwIfAborted()
        throw new ClientError('unreachable', 'The service cannot be reached.', { cause })
      })
      .finally(() => callOff?.())
    if (!response.ok) throw await readRefusal(response, clock.now())
    return response
  }

  async function postJson(path: string, body: JsonObject, signal: AbortSignal | undefined) {
    const response = await post(path, body, { accept: 'application/json', stopped: signal })
    const answer: unknown = await response.json().catch((cause: unknown) => {
      signal?.throwIfAborted()
      throw interrupted(response, cause)
    })
    return { answer, response }
  }

  return {
    async execute({ messages, signal }) {
      const { answer, response } = await postJson(door.executePath, executeBody(messages, options.metadata), signal)
      return readExecuteResponse(answer) ?? refuse(response)
    },

    async stream({ messages, signal }) {
      const body = executeBody(messages, options.metadata)
      const posting = { accept: 'text/event-stream', stopped: signal, beginsWithinMs: idleMs }
      const response = await post(door.executePath, body, posting)
      if (!response.body) return refuse(response)
      const requestId = response.headers.get('x-request-id')
      return { requestId, events: readEvents(response.body, { clock, idleMs, signal, requestId }) }
    },

    async callCapability({ capability, input, signal }) {
      const { answer, response } = await postJson(door.capabilityPath(capability), { capability, input }, signal)
      if (!isRecord(answer) || typeof answer['executionId'] !== 'string') return refuse(response)
      const { executionId } = answer
      const durationMs = numberOf(answer['durationMs'])
      const error = readFailure(answer['error'])
      if (error) return { executionId, output: null, error, durationMs }
      return { executionId, output: answer['output'], error: null, durationMs }
    },
  }
}

interface Posting {
  accept: string
  stopped: AbortSignal | undefined
  /** Whoever sends no headers until then is taken as not there. */
  beginsWithinMs?: number
}

// What the page’s own function failed with is the page’s affair, and could hold what it was about to give.
async function tokenFrom(source: EndUserTokenSource | undefined): Promise<TokenOrNone> {
  try {
    return await source?.()
  } catch {
    throw new ClientError('no_token', 'The page could not say who is signed in.')
  }
}

function executeBody(messages: readonly Message[], metadata: JsonObject | undefined): JsonObject {
  return { messages, ...(metadata && { metadata }) }
}

function interrupted(response: Response, cause: unknown): ClientError {
  const requestId = response.headers.get('x-request-id')
  return new ClientError('interrupted', 'The connection was lost before the answer was complete.', { requestId, cause })
}

function refuse(response: Response): never {
  const requestId = response.headers.get('x-request-id')
  throw new ClientError('malformed', 'The service sent an answer that is not understood.', {
    status: response.status,
    requestId,
  })
}
