import type { Dispatcher } from 'undici'
import { BoundedBuffer } from '../lib/bounded-buffer.ts'
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
      /** True only when no byte of the call can have left and a second try may fare better. */
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
  readonly #room: AnswerRoom
  readonly #body: BoundedBuffer
  readonly #settle: (reply: Reply) => void
  #controller: Dispatcher.DispatchController | null = null
  #interimHeads = 0
  #heldBytes = 0
  #isOver = false

  constructor(room: AnswerRoom, settle: (reply: Reply) => void) {
    this.#room = room
    this.#body = new BoundedBuffer(room.maxBytes)
    this.#settle = settle
  }

  /** Ends the exchange from our side. Before it has a connection, it is kept from using the one it will get. */
  stop(failure: CallFailure): void {
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
    if (fault) this.#fail(fault)
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
    if (!this.#body.append(chunk)) this.#fail(TOO_LARGE)
  }

  onResponseEnd(): void {
    this.#finish({ ok: true, body: this.#body.bytes() })
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    const code = codeOf(error)
    if (this.#controller) this.#fail({ failure: failureAfterSending(code), reason: code })
    else this.#fail({ failure: failureBeforeSending(code), reason: code, mayRetry: mayRetry(code) })
  }

  #fail({ failure, reason, status = null, mayRetry = false }: Fault): void {
    this.#finish({ ok: false, failure, status, mayRetry, reason })
    this.#controller?.abort(new Error('The answer is not wanted any more.'))
  }

  #finish(reply: Reply): void {
    if (this.#isOver) return
    this.#isOver = true
    // A whole answer is in memory until its execution has ended.
    if (!reply.ok) this.#room.held?.take(-this.#heldBytes)
    this.#settle(reply)
  }
}

type Headers = Readonly<Record<string, string | string[] | undefined>>
type Fault = Pick<FailedReply, 'failure' | 'reason'> & Partial<Pick<FailedReply, 'status' | 'mayRetry'>>

const MAX_INTERIM_HEADS = 10
const TOO_MANY_HEADS = { failure: FAILURES.notHttp, reason: 'too_many_heads' }
const NO_ROOM = { failure: FAILURES.noRoom, reason: 'no_room' }
const TOO_LARGE = { failure: FAILURES.tooLarge, reason: 'too_large' }

// Judged by the head alone, so that a body nobody wants is never read.
function faultOf(status: number, headers: Headers, maxBytes: number): Fault | null {
  if (status !== 200) return { failure: statusFailure(status), reason: `status_${status}`, status }
  if (!isPlain(headers['content-encoding'])) return { failure: FAILURES.encoded, reason: 'encoded' }
  return Number(headers['content-length']) > maxBytes ? TOO_LARGE : null
}

function isPlain(encoding: string | string[] | undefined): boolean {
  return encoding === undefined || (typeof encoding === 'string' && encoding.toLowerCase() === 'identity')
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
