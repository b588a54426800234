import { Worker } from 'node:worker_threads'
import type { JsonObject } from '@svc/contract'
import { limited } from '../errors.ts'
import { jsonBytes } from '../json-bytes.ts'
import { createFairThreads } from './fair-threads.ts'
import { MANIFEST_MS } from './judge-schemas.ts'
import { THREAD_OPTIONS } from './thread-bench.ts'

/** What became of a manifest's schemas: a verdict on each, or why there is none. */
export type Verdict = { ok: true; problems: readonly (string | null)[] } | { ok: false; problem: string }

/** Judges schemas that owners wrote, without holding up anybody else. */
export interface SchemaJudge {
  /**
   * Throws a 429 where too much waits to be judged, this owner's or in all. `bytes` is the size of all that waits with the
   * schemas, as JSON text; theirs, where nothing else does.
   */
  judge(ownerId: string, schemas: readonly JsonObject[], bytes?: number): Promise<Verdict>
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

// A thread measures itself, and is given more where the machine keeps the processor from it.
const VERDICT_MS = 2 * MANIFEST_MS
const WAIT_MS = 10_000
const RETRY_MS = 2_000
// So that a small schema weighs something, too.
const JOB_BYTES = 16 * 1024
const TOO_MUCH = 'have schemas that take too long to check, or too much memory: make them smaller.'

/** Judges in threads of their own, which are started at once, and again when they have died. */
export function createSchemaJudge(options: SchemaJudgeOptions): SchemaJudge {
  const { threads, startWorker = startSchemaWorker, verdictMs: answerMs = VERDICT_MS, waitMs = WAIT_MS } = options
  const benches = createFairThreads<readonly JsonObject[], readonly (string | null)[]>({
    threads,
    startWorker,
    answerMs,
    waitMs,
    busy: () => limited('Too many deployments are being checked. Deploy again in a moment.', RETRY_MS),
  })
  benches.start()
  return {
    async judge(ownerId, schemas, bytes = jsonBytes(schemas)) {
      if (schemas.length === 0) return { ok: true, problems: [] }
      const outcome = await benches.ask(ownerId, schemas, JOB_BYTES + bytes)
      return outcome.ok ? { ok: true, problems: outcome.answer } : { ok: false, problem: TOO_MUCH }
    },
    close: () => benches.close(),
  }
}

function startSchemaWorker(): Worker {
  return new Worker(new URL('./schema-worker.js', import.meta.url), THREAD_OPTIONS)
}
