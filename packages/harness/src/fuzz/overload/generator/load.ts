import { RawConnection } from '../../support/raw-connection.ts'
import { headerOf } from '../../support/raw-http.ts'
import { bytesWithId, idOf, type NumberedRequest, toNumbered } from './numbered-request.ts'

/** What is sent, how fast and for how long. */
export interface LoadTask {
  port: number
  /** Sent in turn: one is as good as the other. */
  requests: readonly string[]
  durationMs: number
  /** Connections at most; in a closed loop, exactly. */
  connections: number
  /** Requests a second, whatever comes back; null sends the next one when the last was answered. */
  perSecond: number | null
}

/** What came back, of the requests that were due after the first tenth of the time; mixed-up answers of all. */
export interface LoadNotes {
  due: number
  /** Due, and not sent, because every connection had an answer to wait for. */
  unsent: number
  broken: number
  byStatus: Record<string, number>
  /** Refusals without a time to come back. */
  withoutRetryAfter: number
  /** Answers that carry not the id of the request that they came for. */
  otherIds: number
  /** Connections that brought more than the answers to what was asked. */
  leftovers: number
  /** Of those sent: how long after it was due, which is never the server's doing; milliseconds. */
  lateMs: number[]
  /** Of those served: from when it was sent to the last byte, milliseconds. */
  servedMs: number[]
  measuredMs: number
}

const WARM_SHARE = 0.1
const TICK_MS = 2
const ANSWER_MS = 30_000

/** Sends requests over raw kept-alive connections and notes every answer. */
export async function runLoad(task: LoadTask): Promise<LoadNotes> {
  const load = new Load(task)
  await (task.perSecond === null ? load.runClosed() : load.runOpen(task.perSecond))
  load.close()
  return load.notes
}

class Load {
  readonly notes: LoadNotes
  readonly #task: LoadTask
  readonly #requests: readonly NumberedRequest[]
  readonly #idle: RawConnection[] = []
  readonly #startedAt = performance.now()
  readonly #measuredFrom: number
  #opened = 0
  #sent = 0

  constructor(task: LoadTask) {
    this.#task = task
    this.#requests = task.requests.map(toNumbered)
    this.#measuredFrom = this.#startedAt + task.durationMs * WARM_SHARE
    const measuredMs = task.durationMs * (1 - WARM_SHARE)
    this.notes = {
      due: 0,
      unsent: 0,
      broken: 0,
      byStatus: {},
      withoutRetryAfter: 0,
      otherIds: 0,
      leftovers: 0,
      lateMs: [],
      servedMs: [],
      measuredMs,
    }
  }

  async runClosed(): Promise<void> {
    const caller = async () => {
      while (this.#elapsedMs() < this.#task.durationMs) await this.#send(performance.now())
    }
    await Promise.all(Array.from({ length: this.#task.connections }, caller))
  }

  // Every request has its time, and is not sent later because others are slow.
  async runOpen(perSecond: number): Promise<void> {
    const sent: Promise<void>[] = []
    let due = 0
    while (this.#elapsedMs() < this.#task.durationMs) {
      for (const upTo = Math.floor((this.#elapsedMs() / 1000) * perSecond); due < upTo; due += 1) {
        sent.push(this.#send(this.#startedAt + (due / perSecond) * 1000))
      }
      await new Promise((resolve) => setTimeout(resolve, TICK_MS))
    }
    await Promise.all(sent)
  }

  close(): void {
    for (const connection of this.#idle.splice(0)) this.#retire(connection)
  }

  async #send(dueAt: number): Promise<void> {
    const sentAt = performance.now()
    const isMeasured = dueAt >= this.#measuredFrom
    if (isMeasured) this.notes.due += 1
    const connection = this.#connection()
    if (connection === null) {
      if (isMeasured) this.notes.unsent += 1
      return
    }
    this.#sent += 1
    if (isMeasured) this.notes.lateMs.push(sentAt - dueAt)
    const request = this.#requests[this.#sent % this.#requests.length]
    if (request === undefined) throw new Error('there is nothing to send')
    const id = idOf(this.#sent)
    const heard = await connection.exchange(bytesWithId(request, id), { timeoutMs: ANSWER_MS })
    if (heard.kind === 'answer' && headerOf(heard.answer, 'x-request-id') !== id) this.notes.otherIds += 1
    if (heard.kind !== 'answer') this.#drop(connection)
    else if (heard.isOpen && connection.isUsable) this.#idle.push(connection)
    else this.#retire(connection)
    if (!isMeasured) return
    if (heard.kind !== 'answer') this.notes.broken += 1
    else this.#note(heard.answer.status, performance.now() - sentAt, headerOf(heard.answer, 'retry-after'))
  }

  #note(status: number, ms: number, retryAfter: string | undefined): void {
    const { byStatus, servedMs } = this.notes
    byStatus[status] = (byStatus[status] ?? 0) + 1
    if (status === 200) servedMs.push(ms)
    else if (retryAfter === undefined) this.notes.withoutRetryAfter += 1
  }

  #connection(): RawConnection | null {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (idle.isUsable) return idle
      this.#retire(idle)
    }
    if (this.#opened >= this.#task.connections) return null
    this.#opened += 1
    return new RawConnection(this.#task.port)
  }

  // What was answered last on it was whole.
  #retire(connection: RawConnection): void {
    if (connection.hasLeftovers) this.notes.leftovers += 1
    this.#drop(connection)
  }

  #drop(connection: RawConnection): void {
    connection.destroy()
    this.#opened -= 1
  }

  #elapsedMs(): number {
    return performance.now() - this.#startedAt
  }
}
