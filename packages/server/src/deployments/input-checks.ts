import { Worker } from 'node:worker_threads'
import type { FieldErrors, JsonObject } from '@svc/contract'
import { limited } from '../errors.ts'
import { jsonBytes } from '../json-bytes.ts'
import { Lru } from '../lru.ts'
import { createFairThreads, type FairThreads } from './fair-threads.ts'
import type { ToCheck } from './input-desk.ts'
import { compileQuickly, endless, type QuickSchema } from './json-schema.ts'
import { THREAD_OPTIONS } from './thread-bench.ts'
import { TimeLimitError } from './time-limit.ts'

/**
 * Checks an input against an owner's schema, at once where that is quick. Its faults by dotted path below `root`, or null
 * when it fits. `bytes` is the size of the input as JSON text, for those who know it. Throws a 429 where too much waits.
 */
export type InputCheck = (
  value: unknown,
  root: string,
  bytes?: number,
) => FieldErrors | null | Promise<FieldErrors | null>

/** Checks inputs without holding up anybody else: what is not quick is done in a thread of its own. */
export interface InputChecks {
  /** The check of a schema that was found good when it was deployed. Compiles nothing before it is used. */
  checkOf(ownerId: string, schema: JsonObject): InputCheck
  /** What waits is not checked any more. */
  close(): Promise<void>
}

export type InputThreads = Pick<FairThreads<ToCheck, FieldErrors | null>, 'ask' | 'close'>

export interface InputChecksOptions {
  now?: () => number
  /** How long others may have to wait for one schema to be compiled, and for one input to be checked. */
  compileMs?: number
  checkMs?: number
}

/** Compiling takes some three milliseconds per KiB. */
const MAX_QUICK_LENGTH = 8 * 1024
const COMPILE_MS = 30
const CHECK_MS = 20
/** How long nothing of an owner's that may take long is tried here, once something has. */
const SLOW_MS = 30_000
const SLOW_OWNERS = 10_000
// So that a small input weighs something, too. The schema is the same text for all that wait.
const CHECK_BYTES = 4 * 1024

export function createInputChecks(threads: InputThreads, options: InputChecksOptions = {}): InputChecks {
  const { now = () => performance.now(), compileMs = COMPILE_MS, checkMs = CHECK_MS } = options
  const slowUntil = new Lru<string, number>(SLOW_OWNERS)
  const checkElsewhere = async (ownerId: string, asked: ToCheck) => {
    const outcome = await threads.ask(ownerId, asked, CHECK_BYTES + asked.bytes)
    return outcome.ok ? outcome.answer : endless(asked.root)
  }
  return {
    checkOf(ownerId, schema) {
      let text: string | undefined
      let quick: QuickSchema | undefined
      return (value, root, bytes = jsonBytes(value)) => {
        if (quick?.isSafe(bytes)) return quick.check(value, root, bytes)
        text ??= JSON.stringify(schema)
        const asked: ToCheck = { schema: text, value, root, bytes }
        const isSlow = text.length > MAX_QUICK_LENGTH || (slowUntil.get(ownerId) ?? 0) > now()
        if (isSlow) return checkElsewhere(ownerId, asked)
        try {
          quick ??= compileQuickly(schema, { compileMs, checkMs })
          return quick.check(value, root, bytes)
        } catch (error) {
          if (!(error instanceof TimeLimitError)) throw error
          slowUntil.set(ownerId, now() + SLOW_MS)
          return checkElsewhere(ownerId, asked)
        }
      }
    },
    close: () => threads.close(),
  }
}

// Compiling what was found good, on a busy machine, and a check that was begun anew.
const ANSWER_MS = 4_000
const WAIT_MS = 4_000
const RETRY_MS = 1_000

/** A thread that checks inputs, started when it is first needed. */
export function createInputThreads(startWorker: () => Worker = startInputWorker): InputThreads {
  return createFairThreads<ToCheck, FieldErrors | null>({
    threads: 1,
    startWorker,
    answerMs: ANSWER_MS,
    waitMs: WAIT_MS,
    busy: () => limited('Too many inputs are being checked. Call again in a moment.', RETRY_MS),
  })
}

function startInputWorker(): Worker {
  return new Worker(new URL('./input-worker.js', import.meta.url), THREAD_OPTIONS)
}
