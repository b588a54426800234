import type { Worker } from 'node:worker_threads'
import { FairQueue, type FairQueueLimits } from './fair-queue.ts'
import { type Outcome, ThreadBench } from './thread-bench.ts'

/** Threads that answer questions, the owners of which take turns. */
export interface FairThreads<Q, A> {
  /** Starts them all, so that the first to ask need not wait for that. */
  start(): void
  /** Rejects with what `busy` makes where too much waits, this owner's or in all, and where it has waited too long. */
  ask(ownerId: string, question: Q, weight: number): Promise<Outcome<A>>
  /** What waits gets no answer any more. */
  close(): Promise<void>
}

export interface FairThreadsOptions {
  threads: number
  startWorker: () => Worker
  /** When a thread that was asked has not answered, it is stopped, wherever it is. */
  answerMs: number
  /** What has waited longer is told to come again. */
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
  since: number
  resolve(outcome: Outcome<A>): void
  reject(error: Error): void
}

/** Threads are started with the first question that they get, and again when they have died. */
export function createFairThreads<Q, A>(options: FairThreadsOptions): FairThreads<Q, A> {
  const { threads, startWorker, answerMs, waitMs, busy, now = () => performance.now() } = options
  const queue = new FairQueue<Job<Q, A>>({ ...WAITING, ...options.waiting })
  const benches = Array.from({ length: threads }, () => new ThreadBench<Q, A>(startWorker, answerMs))
  let isClosed = false

  // A loop: thousands may have waited too long at once.
  function nextInTime(): Job<Q, A> | undefined {
    for (;;) {
      const job = queue.shift()
      if (job === undefined || now() - job.since <= waitMs) return job
      job.reject(busy())
    }
  }

  function next(bench: ThreadBench<Q, A>): void {
    if (isClosed || bench.isBusy) return
    const job = nextInTime()
    if (job === undefined) return
    void bench
      .ask(job.question)
      .then(job.resolve, job.reject)
      .finally(() => next(bench))
  }

  return {
    ask: (ownerId, question, weight) =>
      new Promise((resolve, reject) => {
        const job: Job<Q, A> = { question, since: now(), resolve, reject }
        const full = isClosed ? 'all' : queue.push(ownerId, job, weight)
        if (full !== null) return reject(busy())
        for (const bench of benches) next(bench)
      }),
    start() {
      for (const bench of benches) bench.start()
    },
    async close() {
      isClosed = true
      for (let job = queue.shift(); job !== undefined; job = queue.shift()) job.reject(busy())
      await Promise.all(benches.map((bench) => bench.close()))
    },
  }
}
