import type { FieldErrors, JsonObject } from '@svc/contract'
import { limited } from '../errors.ts'
import { createRunQueue } from '../lib/run-queue.ts'
import type { StopSignal } from '../lib/stop-signal.ts'
import { createWorkerThread, type JobThread, startWorker } from '../lib/worker-thread.ts'
import { notChecked } from './compile.ts'
import { createCompiledSchemas } from './compiled.ts'
import type { CheckJob, SchemaJob, SchemaPart } from './jobs.ts'
import { isInline, type SchemaWeight, TOO_SLOW, weigh } from './rules.ts'

/**
 * Checks an input. Its faults by dotted path below `root`, or null when it fits. `text` is the input as JSON, for those who
 * have it. Throws a 429 where too much waits, and where the signal stops while it waits.
 */
export type InputCheck = (
  value: unknown,
  root: string,
  text?: string,
  signal?: StopSignal,
) => FieldErrors | null | Promise<FieldErrors | null>

/** Judges the schemas of owners, and checks inputs against them. Owners take turns at the threads. */
export interface Schemas {
  /** The problem of each schema of a manifest, given as JSON, or null. Throws a 429 where too much waits. */
  judge(ownerId: string, schemas: readonly string[]): Promise<(string | null)[]>
  /** The check of a schema that was deployed. Compiles nothing before it is used. */
  checkOf(ownerId: string, schema: JsonObject): InputCheck
  close(): Promise<void>
}

export type SchemaThread = JobThread<SchemaJob, SchemaPart>

/** The time of one manifest: in the thread, and in all, with the turns of other accounts. */
const JUDGE_MS = 4_000
const MANIFEST_MS = 20_000
/** After so long another account is next, in the middle of a manifest. */
const TURN_MS = 250
const COMPILE_MS = 1_000
const CHECK_MS = 250
const JUDGING = {
  limits: { permits: 1, permitsPerKey: 1, waiting: 128, waitingPerKey: 8 },
  waitMs: 10_000,
  refusal: () => limited('Too many deployments are being checked. Deploy again in a moment.', 2_000),
}
const CHECKING = {
  limits: { permits: 1, permitsPerKey: 1, waiting: 512, waitingPerKey: 64 },
  waitMs: 4_000,
  refusal: () => limited('Too many inputs are being checked. Call again in a moment.', 1_000),
}
const NOT_REACHED = 'was not reached: the schemas of this manifest take too long to check. Make them smaller.'
const MAX_INLINE_CHARACTERS = 8 * 1024
const HEAVY: SchemaWeight = { compile: Number.POSITIVE_INFINITY, check: Number.POSITIVE_INFINITY }

export function createSchemas(
  startThread: () => SchemaThread = startSchemaThread,
  now = () => performance.now(),
): Schemas {
  const [judgeThread, checkThread] = [startThread(), startThread()]
  const [judging, checking] = [createRunQueue(JUDGING, now), createRunQueue(CHECKING, now)]
  const compiled = createCompiledSchemas()

  async function checkInThread(job: CheckJob, signal?: StopSignal): Promise<FieldErrors | null> {
    const work = () => checkThread.run(job, [COMPILE_MS, CHECK_MS])
    const [, faults = notChecked(job.root)] = await checking(job.ownerId, work, signal)
    return typeof faults === 'object' ? faults : null
  }

  return {
    async judge(ownerId, schemas) {
      const problems: (string | null)[] = []
      const begunAt = now()
      let usedMs = 0
      const judgeNext = async (schema: string) => {
        const [problem = TOO_SLOW, tookMs] = await judgeThread.run({ kind: 'judge', schema }, [COMPILE_MS, COMPILE_MS])
        problems.push(typeof problem === 'string' ? problem : null)
        usedMs += typeof tookMs === 'number' ? tookMs : JUDGE_MS
      }
      const takeTurn = async () => {
        const turnEnd = Math.min(usedMs + TURN_MS, JUDGE_MS)
        for (const schema of schemas.slice(problems.length)) if (usedMs < turnEnd) await judgeNext(schema)
      }
      while (problems.length < schemas.length && usedMs < JUDGE_MS) {
        if (now() - begunAt > MANIFEST_MS) throw JUDGING.refusal()
        await judging(ownerId, takeTurn)
      }
      return schemas.map((_, at) => (at < problems.length ? (problems[at] ?? null) : NOT_REACHED))
    },
    checkOf(ownerId, schema) {
      let known: ReturnType<typeof weighed> | undefined
      return (value, root, text = JSON.stringify(value), signal) => {
        known ??= weighed(schema)
        if (isInline(known.weight, text.length)) return compiled(ownerId, known.text)(value, root)
        return checkInThread({ kind: 'check', ownerId, schema: known.text, input: text, root }, signal)
      }
    },
    async close() {
      await Promise.all([judgeThread.close(), checkThread.close()])
    },
  }
}

// To weigh a large schema would itself take long here.
function weighed(schema: JsonObject): { text: string; weight: SchemaWeight } {
  const text = JSON.stringify(schema)
  return { text, weight: text.length > MAX_INLINE_CHARACTERS ? HEAVY : weigh(schema) }
}

function startSchemaThread(): SchemaThread {
  return createWorkerThread(() => startWorker(new URL('./worker.js', import.meta.url)))
}
