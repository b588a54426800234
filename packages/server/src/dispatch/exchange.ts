import type { Dispatcher } from 'undici'
import { BoundedBuffer } from '../lib/bounded-buffer.ts'
import type { Deadline } from '../lib/deadline.ts'
import type { DispatchCall } from './call-types.ts'
import { type CallFailure, FAILURES, mayHaveRun, statusFailure } from './failures.ts'

/** What came back from one try: the body of a 200, or why there is none. */
export type Reply = { ok: true; body: Uint8Array } | FailedReply

interface FailedReply {
  ok: false
  failure: CallFailure
  /** For the log: an error code or a word, never a text of the endpoint. */
  reason: string
  /** Of the answer, if there was one. */
  status?: number
  /** Bytes of the call may have left, and nothing was heard that rules out an effect. */
  isUnknown?: boolean
  /** No capability can have run, because no byte left or the SDK said so, and a second try may succeed. */
  mayRetry?: boolean
}

/** Bounds of one answer: its own, and the bytes in flight of its account. */
export interface AnswerBounds {
  maxBytes: number
  held: DispatchCall['held']
}

export class Exchange implements Dispatcher.DispatchHandler {
  readonly #deadline: Deadline
  readonly #bounds: AnswerBounds
  #body: BoundedBuffer | null = null
  readonly #settle: (reply: Reply) => void
  readonly #onStop = () => this.#stop()
  #controller: Dispatcher.DispatchController | null = null
  #interimHeads = 0
  #heldBytes = 0
  #refusal: FailedReply | null = null
  isOver = false

  constructor(deadline: Deadline, bounds: AnswerBounds, settle: (reply: Reply) => void) {
    this.#deadline = deadline
    this.#bounds = bounds
    this.#settle = settle
    if (deadline.aborted) this.#stop()
    else deadline.addEventListener('abort', this.#onStop)
  }

  #stop(): void {
    this.#fail(this.#deadline.endedBy === 'time' ? LATE : STOPPED)
  }

  // Called with a connection, before the first byte is written: what fails earlier was not sent.
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#controller) this.#fail(failed(FAILURES.brokenOff, 'second_write'))
    this.#controller = controller
    if (this.isOver) controller.abort(new Error('The call was over before it began.'))
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    // Without a bound on interim heads an endpoint could keep the process busy parsing them.
    if (status < 200 && ++this.#interimHeads > MAX_INTERIM_HEADS) return void this.#fail(TOO_MANY_HEADS)
    const fault = status < 200 ? null : faultOf(status, headers, this.#bounds.maxBytes)
    if (fault && !isReadable(status, headers)) return void this.#fail(fault)
    this.#refusal = fault
    const { 'content-length': length } = headers
    this.#body = new BoundedBuffer(this.#bounds.maxBytes, length === undefined ? null : Number(length))
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.isOver) return
    const shortage = this.#bounds.held?.grow(chunk.length) ?? null
    if (shortage !== null) return void this.#fail(NO_ROOM)
    this.#heldBytes += chunk.length
    const isRead = this.#refusal === null || this.#heldBytes <= MAX_REFUSAL_BYTES
    if (!isRead || !this.#body?.append(chunk)) this.#fail(TOO_LARGE)
  }

  onResponseEnd(): void {
    const body = this.#body?.bytes() ?? Buffer.alloc(0)
    const refusal = this.#refusal && (isCold(body) ? COLD : this.#refusal)
    this.#finish(refusal ?? { ok: true, body })
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    const code = errorCodeOf(error)
    if (this.#controller) this.#fail(failed(failureAfterSending(code), code))
    else this.#fail({ ...failed(failureBeforeSending(code), code), mayRetry: !PERMANENT.test(code) })
  }

  #fail(reply: FailedReply): void {
    this.#finish(this.#refusal ?? reply)
    this.#controller?.abort(new Error('The answer is not wanted any more.'))
  }

  #isUnknown({ status }: FailedReply): boolean {
    return status === undefined ? this.#controller !== null : mayHaveRun(status)
  }

  #finish(reply: Reply): void {
    if (this.isOver) return
    this.isOver = true
    this.#deadline.removeEventListener('abort', this.#onStop)
    // A complete answer is held until its execution has ended.
    if (!reply.ok) this.#bounds.held?.take(-this.#heldBytes)
    // undici keeps this object until the connection has closed.
    this.#body = null
    this.#settle(reply.ok ? reply : { ...reply, isUnknown: this.#isUnknown(reply) })
  }
}

export type Headers = Readonly<Record<string, string | string[] | undefined>>

function failed(failure: CallFailure, reason: string): FailedReply {
  return { ok: false, failure, reason }
}

// The only refusal whose body is read: a nonce store that has just started accepts the call once it is signed again.
const COLD = { ...failed(FAILURES.cold, 'nonce_store_cold'), status: 401, mayRetry: true }
const MAX_REFUSAL_BYTES = 200

function isReadable(status: number, headers: Headers): boolean {
  return status === 401 && !(Number(headers['content-length']) > MAX_REFUSAL_BYTES)
}

function isCold(body: Uint8Array): boolean {
  return /"error":\s*"nonce_store_cold"/.test(new TextDecoder().decode(body))
}

export const MAX_INTERIM_HEADS = 10
const LATE = failed(FAILURES.timeout, 'timeout')
const STOPPED = failed(FAILURES.cancelled, 'stopped')
const TOO_MANY_HEADS = failed(FAILURES.notHttp, 'too_many_heads')
const NO_ROOM = failed(FAILURES.noRoom, 'no_room')
const TOO_LARGE = failed(FAILURES.tooLarge, 'too_large')

// By the head alone, so that the body of a refusal is not read.
function faultOf(status: number, headers: Headers, maxBytes: number): FailedReply | null {
  if (status !== 200) return { ...failed(statusFailure(status), `status_${status}`), status }
  const encoding = headers['content-encoding']
  const isPlain = encoding === undefined || String(encoding).toLowerCase() === 'identity'
  if (!isPlain) return failed(FAILURES.encoded, 'encoded')
  return Number(headers['content-length']) > maxBytes ? TOO_LARGE : null
}

export function errorCodeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

const OWN_END = /^UND_ERR_(DESTROYED|CLOSED|ABORTED)$/
/** Codes of errors in an answer that is not HTTP. */
export const NO_HTTP = /^(HTTPParserError|HPE_|UND_ERR_(HEADERS_OVERFLOW|RES_CONTENT_LENGTH_MISMATCH))/

function failureAfterSending(code: string): CallFailure {
  if (OWN_END.test(code)) return FAILURES.cancelled
  return NO_HTTP.test(code) ? FAILURES.notHttp : FAILURES.brokenOff
}

function failureBeforeSending(code: string): CallFailure {
  if (OWN_END.test(code)) return FAILURES.cancelled
  return code === 'REFUSED_ADDRESS' ? FAILURES.refusedAddress : FAILURES.unreachable
}

// A second try would fail in the same way.
const PERMANENT = /CERT|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|REFUSED_ADDRESS|UND_ERR_(DESTROYED|CLOSED|INVALID_ARG)/
