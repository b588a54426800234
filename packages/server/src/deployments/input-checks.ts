import { Worker } from 'node:worker_threads'
import type { FieldErrors, JsonObject } from '@svc/contract'
import { type AppError, limited } from '../errors.ts'
import { jsonBytes } from '../json-bytes.ts'
import { createFairThreads, type FairThreads } from './fair-threads.ts'
import type { ToCheck } from './input-desk.ts'
import { compileQuickly, notChecked, type QuickLimits } from './json-schema.ts'
import { createOwnSchemas, type OwnSchema } from './own-schemas.ts'
import { createStrikes, STRIKE_MS } from './strikes.ts'
import { THREAD_OPTIONS } from './thread-bench.ts'
import { TimeLimitError } from './time-limit.ts'
import type { Asker } from './waiting-line.ts'

/**
 * Checks an input against an owner's schema, at once where that is quick. Its faults by dotted path below `root`, or null
 * when it fits. `bytes` is the size of the input as JSON text, for those who know it. Throws a 429 where too much waits, and
 * where the asker stops while it waits.
 */
export type InputCheck = (
  value: unknown,
  root: string,
  bytes?: number,
  asker?: Asker,
) => FieldErrors | null | Promise<FieldErrors | null>

/** Checks inputs without holding up anybody else: what is not quick is done in a thread of its own. */
export interface InputChecks {
  /** The check of a schema that was found good when it was deployed. Compiles nothing before it is used. */
  checkOf(ownerId: string, schema: JsonObject): InputCheck
  /** What waits is not checked any more. */
  close(): Promise<void>
}

export type InputThreads = Pick<FairThreads<ToCheck, FieldErrors | null>, 'ask' | 'close'>

export interface InputChecksOptions extends Partial<QuickLimits> {
  now?: () => number
}

const COMPILE_MS = 30
const CHECK_MS = 20
// So that a small input weighs something, too. The schema is the same text for all that wait.
const CHECK_BYTES = 4 * 1024

export function createInputChecks(threads: InputThreads, options: InputChecksOptions = {}): InputChecks {
  const { now = () => performance.now(), ...others } = options
  const limits = { compileMs: COMPILE_MS, checkMs: CHECK_MS, ...others }
  const ownSchema = createOwnSchemas()
  const strikes = createStrikes(now)
  const checkElsewhere = async (ownerId: string, asked: ToCheck, asker?: Asker) => {
    const outcome = await threads.ask(ownerId, asked, CHECK_BYTES + asked.bytes, asker)
    if (outcome.ok) return outcome.answer
    // The thread ends what takes long by itself: where it had to be stopped, the machine was too busy, not the input bad.
    if (outcome.lack === 'time') throw tooMany()
    return notChecked(asked.root)
  }
  const isTriedHere = (ownerId: string, { isLarge, slowUntil }: OwnSchema) =>
    !isLarge && slowUntil <= now() && !strikes.isOut(ownerId)
  const giveUp = (ownerId: string, known: OwnSchema, error: unknown) => {
    // Whoever is to blame, the next thousand calls must not hold up others for as long each.
    known.slowUntil = now() + STRIKE_MS
    if (error instanceof TimeLimitError) strikes.add(ownerId, error)
  }
  return {
    checkOf(ownerId, schema) {
      let known: OwnSchema | undefined
      return (value, root, bytes = jsonBytes(value), asker) => {
        known ??= ownSchema(ownerId, schema)
        if (known.quick?.isSafe(bytes)) return known.quick.check(value, root, bytes)
        const asked = { schema: known.text, value, root, bytes }
        if (!isTriedHere(ownerId, known)) return checkElsewhere(ownerId, asked, asker)
        try {
          known.quick ??= compileQuickly(schema, limits)
          return known.quick.check(value, root, bytes)
        } catch (error) {
          // What does not compile has its answer from the thread, as it has where it is large.
          if (known.quick !== null && !(error instanceof TimeLimitError)) throw error
          giveUp(ownerId, known, error)
          return checkElsewhere(ownerId, asked, asker)
        }
      }
    },
    close: () => threads.close(),
  }
}

// More than the thread takes by its own limits: compiling, 1.2 s, begun anew 3.6; a check, 250 ms, begun anew 750.
const ANSWER_MS = 6_000
const WAIT_MS = 4_000
const RETRY_MS = 1_000
// Requests that wait are no part of what the service may hold at once: these are their bounds.
const WAITING = { maxCount: 512, maxCountOfOwner: 64 }

/** A thread that checks inputs, started when it is first needed. */
export function createInputThreads(startWorker: () => Worker = startInputWorker): InputThreads {
  return createFairThreads<ToCheck, FieldErrors | null>({
    threads: 1,
    startWorker,
    answerMs: ANSWER_MS,
    waitMs: WAIT_MS,
    waiting: WAITING,
    busy: tooMany,
  })
}

function tooMany(): AppError {
  return limited('Too many inputs are being checked. Call again in a moment.', RETRY_MS)
}

function startInputWorker(): Worker {
  return new Worker(new URL('./input-worker.js', import.meta.url), THREAD_OPTIONS)
}
