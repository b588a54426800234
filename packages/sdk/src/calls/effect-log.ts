import { bodyDigest, type CapabilityCall, type ReconcileAnswer, TIMESTAMP_TOLERANCE_MS, timeOfId } from '@svc/contract'
import type { Clock } from '../clock.ts'
import { type EffectStore, LEAST_EFFECT_LIFETIME_MS } from '../effects/effect-store.ts'
import { limitTime } from '../limit-time.ts'
import { callIdReused, neverRun, outcomeUnknown } from './effect-failures.ts'
import { type EffectRecord, type RecordedOutcome, readRecord, writeRecord } from './effect-record.ts'
import type { CallOutcome, FailedOutcome } from './run-capability.ts'

export interface EffectLogOptions {
  readonly store: EffectStore
  readonly runtimeId: string
  readonly clock: Clock
  /** How long one step of the store may take, in milliseconds. */
  readonly timeoutMs: number
  /** How long a repeated call waits for the outcome of the first one, in milliseconds. */
  readonly waitMs: number
  /** Told of a store that failed where the call is answered all the same. */
  readonly onStoreError: (error: unknown, call: CapabilityCall) => void
}

/** A call whose outcome is recorded. */
interface Recording {
  readonly call: CapabilityCall
  readonly key: string
  /** SHA-256 of what is asked for. */
  readonly request: string
  readonly run: () => Promise<CallOutcome>
}

const FIRST_PAUSE_MS = 25
const LONGEST_PAUSE_MS = 1_000

/** The outcomes of a runtime’s calls by their `callId`, in a store that processes may share. */
export class EffectLog {
  readonly #options: EffectLogOptions
  readonly #underWay = new Map<string, { readonly request: string; readonly outcome: Promise<CallOutcome> }>()

  constructor(options: EffectLogOptions) {
    this.#options = options
  }

  /**
   * Runs a call that was not begun yet, and resolves to the recorded outcome of any other. Rejects where the store does not
   * take the call; it did not run then.
   */
  async once(call: CapabilityCall, run: () => Promise<CallOutcome>): Promise<CallOutcome> {
    const key = this.#keyOf(call)
    const request = await requestOf(call)
    const other = this.#underWay.get(key)
    if (other && other.request !== request) return callIdReused(call)
    if (other) return asOutcome(call, recorded(await this.#inTime(call, other.outcome)))
    const outcome = this.#begin({ call, key, request, run }).finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, { request, outcome })
    return outcome
  }

  /**
   * What became of a call; a failure with `outcome_unknown` where that is not known. A call that was not begun is `never`, and
   * cannot begin any more. Rejects where the store does not answer.
   */
  async reconcile(call: CapabilityCall, isRecorded: boolean): Promise<ReconcileAnswer | FailedOutcome> {
    const { store, clock } = this.#options
    const key = this.#keyOf(call)
    const found = await this.#limit(store.read(key))
    if (found !== null) return answerOf(call, readRecord(found))
    // Calls with the effect `read` are not recorded: a missing record does not tell that such a call never began.
    if (!isRecorded || !this.#remembers(call.callId)) return outcomeUnknown(call)
    // The call may still be on its way: what is told never to have run must not run afterwards.
    const outcome = { status: 'never' } as const
    const never = { capability: call.capability, request: '', begunAt: clock.now(), outcome }
    const earlier = await this.#limit(store.begin(key, writeRecord(never, store.maxAnswerBytes)))
    return answerOf(call, earlier === null ? never : readRecord(earlier))
  }

  async #begin({ call, key, request, run }: Recording): Promise<CallOutcome> {
    const { store, clock, onStoreError } = this.#options
    const begun = { capability: call.capability, request, begunAt: clock.now(), outcome: null }
    const earlier = await this.#limit(store.begin(key, writeRecord(begun, store.maxAnswerBytes)))
    if (earlier !== null) return this.#outcomeOf(readRecord(earlier), { call, key, request })
    const outcome = await run()
    const ended = writeRecord({ ...begun, outcome: recorded(outcome) }, store.maxAnswerBytes)
    // Answered even where it could not be recorded: the outcome is true, and a repeated call still finds that it was begun.
    await this.#limit(store.end(key, ended)).catch((error: unknown) => onStoreError(error, call))
    return outcome
  }

  async #outcomeOf(earlier: EffectRecord, { call, key, request }: Omit<Recording, 'run'>): Promise<CallOutcome> {
    if (earlier.outcome?.status === 'never') return neverRun(call)
    if (earlier.request !== request) return callIdReused(call)
    const outcome = earlier.outcome ?? (await this.#awaitEnd(call, key))
    return outcome ? asOutcome(call, outcome) : outcomeUnknown(call, earlier.begunAt)
  }

  /** The outcome of a call that another process has begun; null where it is not recorded in time. */
  async #awaitEnd(call: CapabilityCall, key: string): Promise<RecordedOutcome | null> {
    const { store, waitMs, onStoreError } = this.#options
    let isOver = false
    const timer = setTimeout(() => {
      isOver = true
    }, waitMs)
    try {
      for (let pauseMs = FIRST_PAUSE_MS; !isOver; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
        await new Promise((resolve) => setTimeout(resolve, Math.min(pauseMs, waitMs)))
        const text = await this.#limit(store.read(key))
        const outcome = text === null ? null : readRecord(text).outcome
        if (text === null || outcome) return outcome
      }
    } catch (error) {
      onStoreError(error, call)
    } finally {
      clearTimeout(timer)
    }
    return null
  }

  // A handler of this process may take longer than its callers wait.
  async #inTime(call: CapabilityCall, outcome: Promise<CallOutcome>): Promise<CallOutcome> {
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<CallOutcome>((resolve) => {
      timer = setTimeout(() => resolve(outcomeUnknown(call)), this.#options.waitMs)
    })
    return Promise.race([outcome, late]).finally(() => clearTimeout(timer))
  }

  // An id that tells no time is taken to be as old as a call may be that the service asks for.
  #remembers(callId: string): boolean {
    const { store, clock } = this.#options
    const now = clock.now()
    const madeAt = timeOfId(callId) ?? now - LEAST_EFFECT_LIFETIME_MS + TIMESTAMP_TOLERANCE_MS
    const since = Math.max(store.openedAt ?? Number.NEGATIVE_INFINITY, now - store.lifetimeMs)
    // Written so that a clock that returns NaN remembers nothing.
    return madeAt - TIMESTAMP_TOLERANCE_MS >= since
  }

  #keyOf({ callId }: CapabilityCall): string {
    return `${this.#options.runtimeId}:${callId}`
  }

  #limit<T>(step: Promise<T>): Promise<T> {
    const { timeoutMs } = this.#options
    return limitTime(step, timeoutMs, `The effect store did not answer within ${timeoutMs} ms.`)
  }
}

// The capability’s input and who it is for; not the approval, which follows from them.
async function requestOf({ capability, input, metadata, endUserToken, endUser }: CapabilityCall): Promise<string> {
  const signedIn = endUser ? [endUser.issuer, endUser.subject] : []
  const text = JSON.stringify([capability, input, metadata, endUserToken ?? null, ...signedIn])
  return bodyDigest(new TextEncoder().encode(text))
}

function recorded(outcome: CallOutcome): RecordedOutcome {
  if (outcome.ok) return { status: 'completed', outputJson: outcome.outputJson }
  return { status: 'failed', code: outcome.code, message: outcome.message }
}

// Without the error and the reserved key: the owner has heard of both when the first call was answered.
function asOutcome(call: CapabilityCall, outcome: RecordedOutcome): CallOutcome {
  if (outcome.status === 'never') return neverRun(call)
  if (outcome.status === 'failed') return { ok: false, code: outcome.code, message: outcome.message }
  return { ok: true, outputJson: outcome.outputJson, reserved: undefined }
}

function answerOf(
  call: CapabilityCall,
  { capability, outcome, begunAt }: EffectRecord,
): ReconcileAnswer | FailedOutcome {
  if (capability !== call.capability) return callIdReused(call)
  if (outcome === null) return outcomeUnknown(call, begunAt)
  if (outcome.status === 'never') return { status: 'never' }
  if (outcome.status === 'failed') return { status: 'failed', message: outcome.message }
  return { status: 'completed', output: JSON.parse(outcome.outputJson) }
}
