import type { Agent, Dispatcher } from 'undici'
import { BoundedBuffer } from '../../lib/bounded-buffer.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Deadline } from '../../lib/deadline.ts'
import type { Address } from '../endpoint-states.ts'
import { errorCodeOf, type Headers, MAX_INTERIM_HEADS, NO_HTTP } from '../exchange.ts'
import type { ProbeRequest } from './probe-calls.ts'

export interface Observation {
  /** Null where no answer began. */
  status: number | null
  contentType: string | null
  contentEncoding: string | null
  /** By how much the `Date` header is ahead of this clock. */
  clockAheadMs: number | null
  body: Buffer
  /** Why there is no complete answer; null where there is. */
  fault: 'connect' | 'broken-off' | 'not-http' | 'late' | 'too-large' | null
  /** Of the fault; for words of ours alone. */
  errorCode: string
  /** Until the connection stood; null where none did. */
  connectMs: number | null
  /** From then on. */
  answerMs: number
}

export interface ExchangeDeps {
  agent: Agent
  clock: Clock
  address: Address
}

/** Above what any answer to a probe holds, and below what an answer may. */
export const PROBE_ANSWER_BYTES = 64 * 1024

/** Sends one request on a connection of its own. Never rejects. */
export function exchangeProbe(deps: ExchangeDeps, request: ProbeRequest, deadline: Deadline): Promise<Observation> {
  return new Promise((resolve) => {
    const exchange = new ProbeExchange(deps.clock, deadline, resolve)
    const options = { method: 'POST', ...deps.address, reset: true, body: request.body } as const
    if (!exchange.isOver) deps.agent.dispatch({ ...options, headers: [...request.headers] }, exchange)
  })
}

class ProbeExchange implements Dispatcher.DispatchHandler {
  readonly #clock: Clock
  readonly #deadline: Deadline
  readonly #settle: (observation: Observation) => void
  readonly #startedAt: number
  readonly #onStop = () => this.#end('late')
  readonly #body = new BoundedBuffer(PROBE_ANSWER_BYTES)
  readonly #seen: Omit<Observation, 'body' | 'fault' | 'errorCode' | 'connectMs' | 'answerMs'> = {
    status: null,
    contentType: null,
    contentEncoding: null,
    clockAheadMs: null,
  }
  #controller: Dispatcher.DispatchController | null = null
  #connectedAt: number | null = null
  #interimHeads = 0
  isOver = false

  constructor(clock: Clock, deadline: Deadline, settle: (observation: Observation) => void) {
    this.#clock = clock
    this.#deadline = deadline
    this.#settle = settle
    this.#startedAt = clock.now()
    if (deadline.aborted) this.#onStop()
    else deadline.addEventListener('abort', this.#onStop)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    this.#connectedAt = this.#clock.now()
    if (this.isOver) controller.abort(new Error('The examination is over.'))
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200) {
      if (++this.#interimHeads > MAX_INTERIM_HEADS) this.#end('not-http')
      return
    }
    const date = Date.parse(textOf(headers['date']) ?? '')
    this.#seen.status = status
    this.#seen.contentType = textOf(headers['content-type'])
    this.#seen.contentEncoding = textOf(headers['content-encoding'])
    this.#seen.clockAheadMs = Number.isNaN(date) ? null : date - this.#clock.now()
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.isOver && !this.#body.append(chunk)) this.#end('too-large')
  }

  onResponseEnd(): void {
    this.#end(null)
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    const code = errorCodeOf(error)
    const fault = NO_HTTP.test(code) ? 'not-http' : 'broken-off'
    this.#end(this.#controller === null ? 'connect' : fault, code)
  }

  #end(fault: Observation['fault'], errorCode = ''): void {
    if (this.isOver) return
    this.isOver = true
    this.#deadline.removeEventListener('abort', this.#onStop)
    const now = this.#clock.now()
    const connectedAt = this.#connectedAt
    const connectMs = connectedAt === null ? null : connectedAt - this.#startedAt
    const times = { connectMs, answerMs: now - (connectedAt ?? now) }
    this.#settle({ ...this.#seen, body: this.#body.bytes(), fault, errorCode, ...times })
    if (fault !== null) this.#controller?.abort(new Error('The answer is not wanted any more.'))
  }
}

function textOf(value: string | string[] | undefined): string | null {
  return value === undefined ? null : [value].flat().join(', ')
}
