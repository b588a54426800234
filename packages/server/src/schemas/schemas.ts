import type { FieldErrors, JsonObject } from '@svc/contract'
import { limited } from '../errors.ts'
import { createRunQueue } from '../lib/run-queue.ts'
import type { StopSignal } from '../lib/stop-signal.ts'
import { createWorkerThread, type JobThread, startWorker } from '../lib/worker-thread.ts'
import { notChecked } from './compile.ts'
import { createCompiledSchemas } from './compiled.ts'
import type { SchemaJob } from './jobs.ts'
import { maxInlineCharacters } from './rules.ts'

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

export type Schemas = ReturnType<typeof createSchemas>
export type SchemaThread = JobThread<SchemaJob, string | FieldErrors | null>

const COMPILE_MS = 1_000
const CHECK_MS = 250
/** After so long another account is next, in the middle of a manifest. */
const TURN_MS = 250
const MANIFEST_MS = 20_000
const QUEUE = {
  limits: { permits: 1, permitsPerKey: 1, waiting: 512, waitingPerKey: 64 },
  waitMs: 5_000,
  refusal: () => limited('Too many schemas and inputs are being checked. Try again in a moment.', 1_000),
}
const LATE = 'takes too long to check: make it smaller.'
const NOT_REACHED = 'was not reached: a schema before it takes too long to check.'

/** Judges the schemas of owners, and checks inputs against them: small ones here, the others in a thread, in turns. */
export function createSchemas(startThread = startSchemaThread, now = () => performance.now()) {
  const thread = startThread()
  const inTurn = createRunQueue(QUEUE, now)
  const compiled = createCompiledSchemas()

  async function checkInThread(job: SchemaJob, root: string, signal?: StopSignal): Promise<FieldErrors | null> {
    const run = () => thread.run({ ...job, root }, [COMPILE_MS, CHECK_MS])
    const [, faults = notChecked(root)] = await inTurn(job.ownerId, run, signal)
    return typeof faults === 'object' ? faults : null
  }

  return {
    /** The problem of each schema of a manifest, given as JSON, or null. Throws a 429 where too much waits. */
    async judge(ownerId: string, schemas: readonly string[]): Promise<(string | null)[]> {
      const problems: (string | null)[] = []
      const lastTurn = now() + MANIFEST_MS
      const takeTurn = async () => {
        const turnEnd = now() + TURN_MS
        for (const schema of schemas.slice(problems.length)) {
          const [problem = LATE] = await thread.run({ ownerId, schema }, [COMPILE_MS])
          problems.push(typeof problem === 'string' ? problem : null)
          if (problem === LATE || now() >= turnEnd) return
        }
      }
      while (problems.length < schemas.length && problems.at(-1) !== LATE) {
        if (now() > lastTurn) throw QUEUE.refusal()
        await inTurn(ownerId, takeTurn)
      }
      return schemas.map((_, at) => problems[at] ?? (at < problems.length ? null : NOT_REACHED))
    },
    /** The check of a schema that was deployed. Compiles nothing before it is used. */
    checkOf(ownerId: string, schema: JsonObject): InputCheck {
      let known: { schema: string; maxInline: number } | undefined
      return (value, root, input = JSON.stringify(value), signal) => {
        known ??= { schema: JSON.stringify(schema), maxInline: maxInlineCharacters(schema) }
        if (input.length <= known.maxInline) return compiled(ownerId, known.schema)(value, root)
        return checkInThread({ ownerId, schema: known.schema, input }, root, signal)
      }
    },
    close: () => thread.close(),
  }
}

function startSchemaThread(): SchemaThread {
  return createWorkerThread(() => startWorker(new URL('./worker.js', import.meta.url)))
}
