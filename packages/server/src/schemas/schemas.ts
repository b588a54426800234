import type { FieldErrors, JsonObject } from '@svc/contract'
import { limited } from '../errors.ts'
import type { JsonDocument } from '../lib/json-document.ts'
import { KeyedSemaphore } from '../lib/keyed-semaphore.ts'
import type { StopSignal } from '../lib/stop-signal.ts'
import { createWorkerThread, type JobThread, startWorker } from '../lib/worker-thread.ts'
import { notChecked } from './compile.ts'
import { createCompiledSchemas } from './compiled.ts'
import type { SchemaJob } from './jobs.ts'
import { maxInlineCharacters } from './rules.ts'

/** Checks an input: errors by dotted path below `root`, or null. 429 where the queue is full or the signal stops. */
export type InputCheck = (
  input: JsonDocument,
  root: string,
  signal?: StopSignal,
) => FieldErrors | null | Promise<FieldErrors | null>

export type Schemas = ReturnType<typeof createSchemas>
export type SchemaThread = JobThread<SchemaJob, string | FieldErrors | null>

const COMPILE_MS = 1_000
const CHECK_MS = 250
/** Then the next account gets the thread, even within a manifest. */
const SLICE_MS = 250
const MANIFEST_MS = 20_000
const WAIT_MS = 5_000
const QUEUE = { permits: 1, permitsPerKey: 1, waiting: 512, waitingPerKey: 64 }
const refusal = () => limited('Too many schemas and inputs are being checked. Try again in a moment.', 1_000)
const LATE = 'takes too long to check: make it smaller.'
const NOT_REACHED = 'was not reached: a schema before it takes too long to check.'

/** Validates owners' schemas and checks inputs against them, large ones in a thread with a queue by account. */
export function createSchemas(startThread = startSchemaThread, now = () => performance.now()) {
  const thread = startThread()
  const queue = new KeyedSemaphore(QUEUE, { waitMs: WAIT_MS, refusal, now })
  const compiled = createCompiledSchemas()

  async function checkInThread(job: SchemaJob, root: string, signal?: StopSignal): Promise<FieldErrors | null> {
    const run = () => thread.run({ ...job, root }, [COMPILE_MS, CHECK_MS])
    const [, errors = notChecked(root)] = await queue.run(job.ownerId, run, signal)
    return typeof errors === 'object' ? errors : null
  }

  return {
    /** The problem of each schema of a manifest, or null. Throws a 429 where the queue is full. */
    async judge(ownerId: string, schemas: readonly string[]): Promise<(string | null)[]> {
      const problems: (string | null)[] = []
      const lastStart = now() + MANIFEST_MS
      const judgeSlice = async () => {
        const sliceEnd = now() + SLICE_MS
        for (const schema of schemas.slice(problems.length)) {
          const [problem = LATE] = await thread.run({ ownerId, schema }, [COMPILE_MS])
          problems.push(typeof problem === 'string' ? problem : null)
          if (problem === LATE || now() >= sliceEnd) return
        }
      }
      while (problems.length < schemas.length && problems.at(-1) !== LATE) {
        if (now() > lastStart) throw refusal()
        await queue.run(ownerId, judgeSlice)
      }
      return schemas.map((_, at) => problems[at] ?? (at < problems.length ? null : NOT_REACHED))
    },
    /** The check of a deployed schema, compiled on first use. */
    checkOf(ownerId: string, schema: JsonObject): InputCheck {
      let known: { schema: string; maxInline: number } | undefined
      return (input, root, signal) => {
        known ??= { schema: JSON.stringify(schema), maxInline: maxInlineCharacters(schema) }
        if (input.text.length <= known.maxInline) return compiled(ownerId, known.schema)(input.value, root)
        return checkInThread({ ownerId, schema: known.schema, input: input.text }, root, signal)
      }
    },
    close: () => thread.close(),
  }
}

function startSchemaThread(): SchemaThread {
  return createWorkerThread(() => startWorker(new URL('./schema-worker.js', import.meta.url)), refusal)
}
