import type { Worker } from 'node:worker_threads'
import type { JsonObject } from '@svc/contract'
import { limited } from '../errors.ts'
import { jsonBytes } from '../json-bytes.ts'
import { FairQueue } from './fair-queue.ts'
import { MANIFEST_MS } from './judge-schemas.ts'
import { SchemaBench, startSchemaWorker, type Verdict } from './schema-bench.ts'

/** Judges schemas that owners wrote, without holding up anybody else. */
export interface SchemaJudge {
  /** Throws a 429 where too much waits to be judged, this owner's or in all. */
  judge(ownerId: string, schemas: readonly JsonObject[]): Promise<Verdict>
  /** What waits gets no verdict any more. */
  close(): Promise<void>
}

export interface SchemaJudgeOptions {
  threads: number
  startWorker?: () => Worker
  /** When a thread that was asked has not answered, it is stopped, wherever it is. */
  verdictMs?: number
  /** What has waited longer is told to come again. */
  waitMs?: number
}

const MiB = 1024 * 1024
const WAITING = { maxWeight: 32 * MiB, maxWeightOfOwner: 8 * MiB }
// A thread measures itself, and is given more where the machine keeps the processor from it.
const VERDICT_MS = 2 * MANIFEST_MS
const WAIT_MS = 10_000
const RETRY_MS = 2_000
// So that a small schema weighs something, too.
const JOB_BYTES = 16 * 1024

interface Job {
  schemas: readonly JsonObject[]
  since: number
  resolve(verdict: Verdict): void
  reject(error: Error): void
}

/** Judges in threads of their own, which are started at once, and again when they have died. */
export function createSchemaJudge(options: SchemaJudgeOptions): SchemaJudge {
  const { threads, startWorker = startSchemaWorker, verdictMs = VERDICT_MS, waitMs = WAIT_MS } = options
  const queue = new FairQueue<Job>(WAITING)
  const benches = Array.from({ length: threads }, () => new SchemaBench(startWorker, verdictMs))
  let isClosed = false

  function next(bench: SchemaBench): void {
    const job = isClosed || bench.isBusy ? undefined : queue.shift()
    if (job === undefined) return
    if (performance.now() - job.since > waitMs) {
      job.reject(busy())
      next(bench)
      return
    }
    void bench
      .judge(job.schemas)
      .then(job.resolve, job.reject)
      .finally(() => next(bench))
  }

  return {
    judge(ownerId, schemas) {
      if (schemas.length === 0) return Promise.resolve({ ok: true, problems: [] })
      return new Promise((resolve, reject) => {
        const job: Job = { schemas, since: performance.now(), resolve, reject }
        const full = queue.push(ownerId, job, JOB_BYTES + jsonBytes(schemas))
        if (full !== null) return reject(busy())
        for (const bench of benches) next(bench)
      })
    },
    async close() {
      isClosed = true
      for (let job = queue.shift(); job !== undefined; job = queue.shift()) job.reject(busy())
      await Promise.all(benches.map((bench) => bench.close()))
    },
  }
}

function busy(): Error {
  return limited('Too many deployments are being checked. Deploy again in a moment.', RETRY_MS)
}
