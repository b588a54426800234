import type { Worker } from 'node:worker_threads'
import type { FairQueueLimits } from './fair-queue.ts'
import { type Outcome, ThreadBench } from './thread-bench.ts'
import { type Asker, WaitingLine } from './waiting-line.ts'

/** Threads that answer questions, the owners of which take turns. */
export interface FairThreads<Q, A> {
  /** Starts them all, so that the first to ask need not wait for that. */
  start(): void
  /**
   * Rejects with what `busy` makes where too much waits, this owner's or in all, where it has waited too long, and where
   * its asker stops while it waits.
   */
  ask(ownerId: string, question: Q, weight: number, asker?: Asker): Promise<Outcome<A>>
  /** What waits gets no answer any more. */
  close(): Promise<void>
}

export interface FairThreadsOptions {
  threads: number
  startWorker: () => Worker
  /** When a thread that was asked has not answered, it is stopped, wherever it is. */
  answerMs: number
  /** What has waited longer for its turn is told to come again. */
  waitMs: number
  busy: () => Error
  /** How much may wait, where it is another measure than the usual one. */
  waiting?: Partial<FairQueueLimits>
  now?: () => number
}

const MiB = 1024 * 1024
const WAITING: FairQueueLimits = {
  maxWeight: 32 * MiB,
  maxWeightOfOwner: 8 * MiB,
  maxCount: 2_048,
  maxCountOfOwner: 512,
}

interface Job<Q, A> {
  question: Q
  resolve(outcome: Outcome<A>): void
  reject(error: Error): void
  leave(): void
}

/** Threads are started with the first question that they get, and again when they have died. */
export function createFairThreads<Q, A>(options: FairThreadsOptions): FairThreads<Q, A> {
  const { threads, startWorker, answerMs, waitMs, busy, now = () => performance.now() } = options
  const line = new WaitingLine<Job<Q, A>>({ limits: { ...WAITING, ...options.waiting }, waitMs, now })
  const benches = Array.from({ length: threads }, () => new ThreadBench<Q, A>(startWorker, answerMs))
  let isClosed = false

  function next(bench: ThreadBench<Q, A>): void {
    if (isClosed || bench.isBusy) return
    const job = line.shift()
    if (job === undefined) return
    void bench
      .ask(job.question)
      .then(job.resolve, job.reject)
      .finally(() => next(bench))
  }

  return {
    ask: (ownerId, question, weight, asker) =>
      new Promise((resolve, reject) => {
        const leave = () => reject(busy())
        if (isClosed) return leave()
        line.push(ownerId, { question, resolve, reject, leave }, weight, asker)
        for (const bench of benches) next(bench)
      }),
    start() {
      for (const bench of benches) bench.start()
    },
    async close() {
      isClosed = true
      line.clear()
      await Promise.all(benches.map((bench) => bench.close()))
    },
  }
}
