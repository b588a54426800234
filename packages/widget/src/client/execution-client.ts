import type {
  ApprovalAnswer,
  ExecuteResponse,
  Feedback,
  JsonObject,
  Message,
  StreamEvent,
  WidgetSettings,
} from '@svc/contract'
import { ClientError } from './client-error.ts'
import { type Clock, systemClock } from './clock.ts'
import { type ExecutionApi, publicKeyApi } from './execution-api.ts'
import { readApprovalAnswer } from './read-approval.ts'
import { readExecuteResponse } from './read-execute-response.ts'
import { isRecord, numberOf, readFailure } from './read-json.ts'
import { readWidgetSettings } from './read-widget-settings.ts'
import type { ExecutionRun } from './resumed-events.ts'
import { createRuns } from './runs.ts'
import { refuse, type Send, type Sending, sendRequest } from './send-request.ts'
import { unlessAborted } from './unless-aborted.ts'

/** The end user’s own credential, asked for anew with each request and kept nowhere. Nothing, or `''`: nobody is signed in. */
export type EndUserTokenSource = () => TokenOrNone | Promise<TokenOrNone>

type TokenOrNone = string | null | undefined

/** The runtime’s public key, `svc_pk_…`, or another way in. */
type WayIn = { publicKey: string; api?: undefined } | { api: ExecutionApi; publicKey?: undefined }

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

/** An approval and the key that came with it. */
export interface ApprovalInput {
  approvalId: string
  approvalKey: string
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
  /** Resumed by itself where the connection is lost. Abort and `cancel` end it: to abort alone lets the execution go on. */
  stream(input: ExecuteInput): Promise<ExecutionStream>
  /** All events of a run from its first one on. */
  resume(run: ExecutionRun, options?: { signal?: AbortSignal | undefined }): Promise<ExecutionStream>
  /** Ends a run. One that has ended stays as it is. */
  cancel(run: ExecutionRun): Promise<void>
  /** One capability, without a model. */
  callCapability(input: CapabilityInput): Promise<CapabilityResult>
  /** Stores what the end user thinks of the answer of a run that has ended. Not of ways in without `takesFeedback`. */
  rate?: ((run: ExecutionRun, value: Feedback | null) => Promise<void>) | undefined
  /** Approves or declines a call. Repeated, it does nothing and gives the first decision. A `result` belongs into a tool turn. */
  decideApproval(input: ApprovalInput & { decision: 'approve' | 'decline' }): Promise<ApprovalAnswer>
  /** What the owner deployed for chats: name, colour, what to say first. Null where this way in has none. */
  settings(): Promise<WidgetSettings | null>
  /** Whether the page gives an end user’s token now. Never throws. */
  hasEndUser(): Promise<boolean>
  /** Where an approval stands. */
  readApproval(input: ApprovalInput): Promise<ApprovalAnswer>
}

const IDLE_MS = 45_000
const JSON_TYPE = { 'content-type': 'application/json' }

export function createExecutionClient(options: ExecutionClientOptions): ExecutionClient {
  const { clock = systemClock, idleMs = IDLE_MS } = options
  const base = options.baseUrl.replace(/\/+$/, '')
  const api = options.api ?? publicKeyApi(options.publicKey)
  const send: Send = (path, init, sending) =>
    sendRequest(`${base}${path}`, init, { ...sending, clock, api, fetch: options.fetch ?? fetch })
  const runs = createRuns({ send, api, clock, idleMs })

  async function post(path: string, body: JsonObject, { outlives = false, ...sending }: Posting) {
    const endUserToken = await unlessAborted(tokenFrom(options.endUserToken), sending.stopped)
    const text = JSON.stringify({ ...body, ...(endUserToken && { endUserToken }) })
    const stopped = outlives ? undefined : sending.stopped
    return send(path, { method: 'POST', headers: JSON_TYPE, body: text }, { ...sending, stopped })
  }

  async function postJson(path: string, body: JsonObject, signal: AbortSignal | undefined) {
    return jsonOf(await post(path, body, { accept: 'application/json', stopped: signal }), signal)
  }

  function executeBody(messages: readonly Message[]): JsonObject {
    const { metadata } = options
    return { messages, ...(metadata && { metadata }), ...api.body }
  }

  async function jsonOf(response: Response, signal: AbortSignal | undefined) {
    const answer: unknown = await response.json().catch((cause: unknown) => {
      signal?.throwIfAborted()
      throw interrupted(response, cause)
    })
    return { answer, response }
  }

  return {
    async execute({ messages, signal }) {
      const { answer, response } = await postJson(api.executePath, executeBody(messages), signal)
      return readExecuteResponse(answer) ?? refuse(response)
    },

    stream({ messages, signal }) {
      const isDetached = api.runPath !== undefined
      const body = { ...executeBody(messages), ...(isDetached && { detach: true }) }
      const posting = { accept: 'text/event-stream', stopped: signal, beginsWithinMs: idleMs, outlives: isDetached }
      return runs.follow(post(api.executePath, body, posting), signal)
    },

    resume: (run, { signal } = {}) => runs.resume(run, signal),
    cancel: (run) => runs.cancel(run),
    ...(api.takesFeedback && { rate: (run, value) => runs.rate(run, value) }),

    async callCapability({ capability, input, signal }) {
      const { answer, response } = await postJson(
        api.capabilityPath(capability),
        { capability, input, ...api.body },
        signal,
      )
      if (!isRecord(answer) || typeof answer['executionId'] !== 'string') return refuse(response)
      const { executionId } = answer
      const durationMs = numberOf(answer['durationMs'])
      const error = readFailure(answer['error'])
      if (error) return { executionId, output: null, error, durationMs }
      return { executionId, output: answer['output'], error: null, durationMs }
    },

    async decideApproval({ approvalId, approvalKey, decision, signal }) {
      const { answer, response } = await postJson(approvalPath(api, approvalId), { decision, approvalKey }, signal)
      return readApprovalAnswer(answer) ?? refuse(response)
    },

    async settings() {
      if (!api.settingsPath) return null
      const sending = { accept: 'application/json', stopped: undefined }
      const { answer } = await jsonOf(await send(api.settingsPath, { cache: 'default' }, sending), undefined)
      return readWidgetSettings(answer)
    },

    async hasEndUser() {
      const token = await tokenFrom(options.endUserToken).catch(() => null)
      return !!token?.trim()
    },

    async readApproval({ approvalId, approvalKey, signal }) {
      const headers = { 'x-svc-approval-key': approvalKey }
      const sending = { accept: 'application/json', stopped: signal }
      const { answer, response } = await jsonOf(await send(approvalPath(api, approvalId), { headers }, sending), signal)
      return readApprovalAnswer(answer) ?? refuse(response)
    },
  }
}

function approvalPath(api: ExecutionApi, approvalId: string): string {
  if (!api.approvalPath) throw new TypeError('This way in cannot approve.')
  return api.approvalPath(approvalId)
}

interface Posting extends Sending {
  /** The request is not aborted where it is stopped. */
  outlives?: boolean
}

// What the page’s own function failed with is the page’s affair, and could hold what it was about to give.
async function tokenFrom(source: EndUserTokenSource | undefined): Promise<TokenOrNone> {
  try {
    return await source?.()
  } catch {
    throw new ClientError('no_token', 'The page could not say who is signed in.')
  }
}

function interrupted(response: Response, cause: unknown): ClientError {
  const requestId = response.headers.get('x-request-id')
  return new ClientError('interrupted', 'The connection was lost before the answer was complete.', { requestId, cause })
}
