import type { Worker } from 'node:worker_threads'

export interface Asked<Q> {
  id: number
  question: Q
}

export interface Answered<A> {
  id: number
  answer: A
}

/** What became of a question: its answer, or none where the thread was stopped, or had too little memory for it. */
export type Outcome<A> = { ok: true; answer: A } | { ok: false; lack: 'time' | 'memory' }

/** A thread's first message, which says that it is ready. */
export const READY = { id: 0 }

/** For threads that work at what others wrote. */
export const THREAD_OPTIONS = { resourceLimits: { maxOldGenerationSizeMb: 256 }, env: {} }

/** One place to work at: a thread, and the one question that it has. */
export class ThreadBench<Q, A> {
  readonly #startWorker: () => Worker
  readonly #answerMs: number
  #worker: Worker | null = null
  #ready: Promise<void> = Promise.resolve()
  #failure: unknown
  #lastId = READY.id
  #isBusy = false

  /** A thread that has not answered within `answerMs` is stopped, wherever it is. */
  constructor(startWorker: () => Worker, answerMs: number) {
    this.#startWorker = startWorker
    this.#answerMs = answerMs
  }

  get isBusy(): boolean {
    return this.#isBusy
  }

  /** One question at a time. Rejects where the thread failed by a fault of ours. */
  async ask(question: Q): Promise<Outcome<A>> {
    this.#isBusy = true
    try {
      this.start()
      // What a thread takes to begin is no question's fault.
      await this.#ready
      return await this.#askWorker(question)
    } finally {
      this.#isBusy = false
    }
  }

  /** Starts the thread, where there is none. */
  start(): void {
    if (this.#worker !== null) return
    const worker = this.#startWorker()
    this.#worker = worker
    this.#failure = undefined
    worker.on('error', (error) => {
      this.#failure = error
    })
    this.#ready = new Promise((resolve) => {
      worker.once('message', () => resolve())
      worker.once('exit', () => {
        this.#worker = null
        resolve()
      })
    })
    // Nobody's work: it does not keep a process alive.
    worker.unref()
  }

  async close(): Promise<void> {
    await this.#worker?.terminate()
  }

  #askWorker(question: Q): Promise<Outcome<A>> {
    const worker = this.#worker
    if (worker === null) throw new Error('the thread did not start', { cause: this.#failure })
    this.#lastId += 1
    const asked: Asked<Q> = { id: this.#lastId, question }
    return new Promise((resolve, reject) => {
      const finish = () => {
        clearTimeout(timer)
        worker.off('message', onMessage)
        worker.off('exit', onExit)
      }
      const onMessage = ({ id, answer }: Answered<A>) => {
        if (id !== asked.id) return
        finish()
        resolve({ ok: true, answer })
      }
      const onExit = () => {
        finish()
        if (this.#failure === undefined) resolve({ ok: false, lack: 'time' })
        else if (isOutOfMemory(this.#failure)) resolve({ ok: false, lack: 'memory' })
        else reject(this.#failure)
      }
      const timer = setTimeout(() => void worker.terminate(), this.#answerMs)
      worker.on('message', onMessage)
      worker.once('exit', onExit)
      worker.postMessage(asked)
    })
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
}
