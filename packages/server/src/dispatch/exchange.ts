import type { Dispatcher } from 'undici'
import { BoundedBuffer } from '../lib/bounded-buffer.ts'
import type { CallLimit } from './call-limit.ts'
import type { DispatchCall } from './dispatch-call.ts'
import { type CallFailure, FAILURES, statusFailure } from './failures.ts'

/** What came back from one try: the body of a 200, or why there is none. */
export type Reply =
  | { ok: true; body: Uint8Array }
  | {
      ok: false
      failure: CallFailure
      /** The status that the endpoint answered with, if it answered. */
      status: number | null
      /** True only when no capability can have run, because no byte left or the SDK said so, and a second try may fare better. */
      mayRetry: boolean
      /** For the log: an error code or a word, never anything the endpoint said. */
      reason: string
    }

type FailedReply = Extract<Reply, { ok: false }>

/** How much of an answer is taken: its own limit, and the room there is while it arrives. */
export interface AnswerRoom {
  maxBytes: number
  held: DispatchCall['held']
}

/** One request and its response as undici reports them. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #limit: CallLimit
  readonly #room: AnswerRoom
  #body: BoundedBuffer | null = null
  readonly #settle: (reply: Reply) => void
  readonly #onLimit = () => this.#stop()
  #controller: Dispatcher.DispatchController | null = null
  #interimHeads = 0
  #heldBytes = 0
  #refusal: Fault | null = null
  #isOver = false

  /** It is over at once where `limit` has ended. */
  constructor(limit: CallLimit, room: AnswerRoom, settle: (reply: Reply) => void) {
    this.#limit = limit
    this.#room = room
    this.#settle = settle
    if (limit.aborted) this.#stop()
    else limit.addEventListener('abort', this.#onLimit)
  }

  get isOver(): boolean {
    return this.#isOver
  }

  // Before it has a connection, it is kept from using the one that it will get.
  #stop(): void {
    const { failure } = this.#limit
    this.#fail({ failure, reason: failure === FAILURES.timeout ? 'timeout' : 'stopped' })
  }

  // Called when the connection stands and before the first byte is written: what fails earlier was not sent.
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#controller) this.#fail({ failure: FAILURES.brokenOff, reason: 'second_write' })
    this.#controller = controller
    if (this.#isOver) controller.abort(new Error('The call was over before it began.'))
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    const fault = status < 200 ? this.#faultOfInterimHead() : faultOf(status, headers, this.#room.maxBytes)
    if (fault && !isReadable(status, headers)) return void this.#fail(fault)
    this.#refusal = fault
    const { 'content-length': length } = headers
    this.#body = new BoundedBuffer(this.#room.maxBytes, length === undefined ? null : Number(length))
  }

  // Each is cheap to send and costs us a parsed head: without a bound an endpoint could keep the process busy with them.
  #faultOfInterimHead(): Fault | null {
    this.#interimHeads += 1
    return this.#interimHeads > MAX_INTERIM_HEADS ? TOO_MANY_HEADS : null
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return
    if (this.#room.held?.grow(chunk.length)) return void this.#fail(NO_ROOM)
    this.#heldBytes += chunk.length
    const isRead = this.#refusal === null || this.#heldBytes <= MAX_REFUSAL_BYTES
    if (!isRead || !this.#body?.append(chunk)) this.#fail(TOO_LARGE)
  }

  onResponseEnd(): void {
    const body = this.#body?.bytes() ?? Buffer.alloc(0)
    const refusal = this.#refusal && (isCold(body) ? COLD : this.#refusal)
    this.#finish(refusal ? failedReply(refusal) : { ok: true, body })
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    const code = codeOf(error)
    if (this.#controller) this.#fail({ failure: failureAfterSending(code), reason: code })
    else this.#fail({ failure: failureBeforeSending(code), reason: code, mayRetry: mayRetry(code) })
  }

  #fail(fault: Fault): void {
    this.#finish(failedReply(this.#refusal ?? fault))
    this.#controller?.abort(new Error('The answer is not wanted any more.'))
  }

  #finish(reply: Reply): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#limit.removeEventListener('abort', this.#onLimit)
    // A whole answer is in memory until its execution has ended.
    if (!reply.ok) this.#room.held?.take(-this.#heldBytes)
    this.#settle(reply)
  }
}

type Headers = Readonly<Record<string, string | string[] | undefined>>
type Fault = Pick<FailedReply, 'failure' | 'reason'> & Partial<Pick<FailedReply, 'status' | 'mayRetry'>>

function failedReply({ failure, reason, status = null, mayRetry = false }: Fault): Reply {
  return { ok: false, failure, status, mayRetry, reason }
}

// The one refusal whose body is read: a store that has just started takes the same call once it is signed anew.
const COLD = { failure: FAILURES.cold, reason: 'nonce_store_cold', status: 401, mayRetry: true }
const MAX_REFUSAL_BYTES = 200

function isReadable(status: number, headers: Headers): boolean {
  return status === 401 && !(Number(headers['content-length']) > MAX_REFUSAL_BYTES)
}

function isCold(body: Uint8Array): boolean {
  return /"error":\s*"nonce_store_cold"/.test(new TextDecoder().decode(body))
}

const MAX_INTERIM_HEADS = 10
const TOO_MANY_HEADS = { failure: FAILURES.notHttp, reason: 'too_many_heads' }
const NO_ROOM = { failure: FAILURES.noRoom, reason: 'no_room' }
const TOO_LARGE = { failure: FAILURES.tooLarge, reason: 'too_large' }

// Judged by the head alone, so that a body nobody wants is never read.
function faultOf(status: number, headers: Headers, maxBytes: number): Fault | null {
  if (status !== 200) return { failure: statusFailure(status), reason: `status_${status}`, status }
  const encoding = headers['content-encoding']
  if (encoding !== undefined && !isPlain(encoding)) return { failure: FAILURES.encoded, reason: 'encoded' }
  return Number(headers['content-length']) > maxBytes ? TOO_LARGE : null
}

function isPlain(encoding: string | string[]): boolean {
  return typeof encoding === 'string' && encoding.toLowerCase() === 'identity'
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

const OUR_END = /^UND_ERR_(DESTROYED|CLOSED|ABORTED)$/
const NO_HTTP = /^(HTTPParserError|HPE_|UND_ERR_(HEADERS_OVERFLOW|RES_CONTENT_LENGTH_MISMATCH))/

function failureAfterSending(code: string): CallFailure {
  if (OUR_END.test(code)) return FAILURES.cancelled
  return NO_HTTP.test(code) ? FAILURES.notHttp : FAILURES.brokenOff
}

function failureBeforeSending(code: string): CallFailure {
  if (OUR_END.test(code)) return FAILURES.cancelled
  return code === 'REFUSED_ADDRESS' ? FAILURES.refusedAddress : FAILURES.unreachable
}

// A certificate that is not right does not become so within a second, and a refused address is refused again.
const LASTING = /CERT|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|REFUSED_ADDRESS|UND_ERR_(DESTROYED|CLOSED|INVALID_ARG)/

function mayRetry(code: string): boolean {
  return !LASTING.test(code)
}
