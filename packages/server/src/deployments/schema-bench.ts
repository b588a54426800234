import { Worker } from 'node:worker_threads'
import type { JsonObject } from '@svc/contract'

export interface ToJudge {
  id: number
  schemas: readonly JsonObject[]
}

/** A thread's first message has the id 0 and says that it is ready. */
export interface Judged {
  id: number
  problems: readonly (string | null)[]
}

/** What became of a manifest's schemas: a verdict on each, or why there is none. */
export type Verdict = { ok: true; problems: readonly (string | null)[] } | { ok: false; problem: string }

export const READY = 0

const HEAP_MB = 256
const TOO_MUCH = 'have schemas that take too long to check, or too much memory: make them smaller.'

export function startSchemaWorker(): Worker {
  const resourceLimits = { maxOldGenerationSizeMb: HEAP_MB }
  return new Worker(new URL('./schema-worker.js', import.meta.url), { resourceLimits, env: {} })
}

/** One place to judge at: a thread that is there at all times, and the one job that it has. */
export class SchemaBench {
  readonly #startWorker: () => Worker
  readonly #verdictMs: number
  #worker: Worker
  #ready: Promise<void> = Promise.resolve()
  #hasWorker = false
  #failure: unknown
  #lastId = READY
  #isBusy = false

  /** A thread that has not answered within `verdictMs` is stopped, wherever it is. */
  constructor(startWorker: () => Worker, verdictMs: number) {
    this.#startWorker = startWorker
    this.#verdictMs = verdictMs
    this.#worker = this.#start()
  }

  get isBusy(): boolean {
    return this.#isBusy
  }

  /** One job at a time. Rejects where the thread failed by a fault of ours. */
  async judge(schemas: readonly JsonObject[]): Promise<Verdict> {
    this.#isBusy = true
    try {
      if (!this.#hasWorker) this.#worker = this.#start()
      // What a thread takes to begin is no manifest's fault.
      await this.#ready
      return await this.#ask(this.#worker, schemas)
    } finally {
      this.#isBusy = false
    }
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  #start(): Worker {
    const worker = this.#startWorker()
    this.#hasWorker = true
    this.#failure = undefined
    worker.on('error', (error) => {
      this.#failure = error
    })
    this.#ready = new Promise((resolve) => {
      worker.once('message', () => resolve())
      worker.once('exit', () => {
        this.#hasWorker = false
        resolve()
      })
    })
    // Nobody's work: it does not keep a process alive.
    worker.unref()
    return worker
  }

  #ask(worker: Worker, schemas: readonly JsonObject[]): Promise<Verdict> {
    if (!this.#hasWorker) throw new Error('the thread that judges schemas did not start', { cause: this.#failure })
    this.#lastId += 1
    const asked: ToJudge = { id: this.#lastId, schemas }
    return new Promise((resolve, reject) => {
      const finish = () => {
        clearTimeout(timer)
        worker.off('message', onMessage)
        worker.off('exit', onExit)
      }
      const onMessage = ({ id, problems }: Judged) => {
        if (id !== asked.id) return
        finish()
        resolve({ ok: true, problems })
      }
      const onExit = () => {
        finish()
        if (this.#failure === undefined || isOutOfMemory(this.#failure)) resolve({ ok: false, problem: TOO_MUCH })
        else reject(this.#failure)
      }
      const timer = setTimeout(() => void worker.terminate(), this.#verdictMs)
      worker.on('message', onMessage)
      worker.once('exit', onExit)
      worker.postMessage(asked)
    })
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
}
