import { APICallError } from 'ai'
import { pauseUntilStopped, type StopSignal } from '../lib/stop-signal.ts'
import { isQuotaUsedUp } from './model-failure.ts'
import { apiErrorFromBody, errorIn, NotAnEventStreamError, withNamedStatus } from './provider-error.ts'
import type { EmitParts, TurnCall, TurnPart, TurnSource } from './turn-source.ts'

const TRIES = 3
const FIRST_RETRY_DELAY_MS = 2_000
/** A longer Retry-After is ignored, and the usual delay applies. */
const MAX_RETRY_AFTER_MS = 60_000

/** Reads a turn. A failure before the answer begins is retried twice, where a retry can help. */
export async function readWithRetries(
  source: TurnSource,
  { call, emit, signal }: { call: TurnCall; emit: EmitParts; signal: StopSignal },
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const firstParts = new FirstParts(emit)
    try {
      if (signal.aborted) throw new Error('stopped before it was sent')
      await source.read(call, (parts) => firstParts.emit(parts), signal)
      await firstParts.release()
      return
    } catch (caught) {
      if (firstParts.areReleased) throw caught
      const error = withNamedStatus(caught)
      if (signal.aborted || tries === TRIES || !isRetryable(error)) throw error
      await pauseUntilStopped(retryAfterMs(error) ?? FIRST_RETRY_DELAY_MS * 2 ** (tries - 1), signal)
    }
  }
}

function isRetryable(error: unknown): error is APICallError {
  return APICallError.isInstance(error) && error.isRetryable && !isQuotaUsedUp(error)
}

// `retry-after-ms` is OpenAI's; HTTP's `retry-after` has seconds.
function retryAfterMs({ responseHeaders = {} }: APICallError): number | null {
  const inMs = Number.parseFloat(responseHeaders['retry-after-ms'] ?? '')
  const inSeconds = Number.parseFloat(responseHeaders['retry-after'] ?? '')
  const delayMs = Number.isNaN(inMs) ? inSeconds * 1000 : inMs
  return delayMs >= 0 && delayMs < MAX_RETRY_AFTER_MS ? delayMs : null
}

/** Holds back the first two parts: an error among them came before the answer, and can be retried. */
class FirstParts {
  readonly #emit: EmitParts
  #held: TurnPart[] | null = []

  constructor(emit: EmitParts) {
    this.#emit = emit
  }

  get areReleased(): boolean {
    return this.#held === null
  }

  emit(parts: readonly TurnPart[]): boolean | Promise<boolean> {
    if (this.#held === null) return this.#emit(parts)
    this.#held.push(...parts)
    return this.#held.length < 2 || this.release()
  }

  /** Emits the held parts. Throws the error among them. */
  release(): boolean | Promise<boolean> {
    const held = this.#held
    if (held === null) return true
    const error = errorAmong(held)
    if (error !== null) throw error
    this.#held = null
    return this.#emit(held)
  }
}

function errorAmong([first, second]: readonly TurnPart[]): unknown {
  const isEmpty = first === undefined || (first.type === 'finish' && first.finishReason.raw === undefined)
  if (isEmpty) return new NotAnEventStreamError()
  if (first.type === 'error') return first.error
  if (first.type !== 'raw' || second?.type !== 'error') return null
  const error = errorIn(first.rawValue)
  return error === null ? null : apiErrorFromBody(error)
}
