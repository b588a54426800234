import { APICallError } from 'ai'
import { pauseUntilStopped, type StopSignal } from '../lib/stop-signal.ts'
import { isQuotaUsedUp } from './model-failure.ts'
import { errorIn, NotAnEventStreamError, refusalUnder200, withNamedStatus } from './provider-error.ts'
import type { TakeParts, TurnCall, TurnPart, TurnSource } from './turn-source.ts'

const TRIES = 3
const FIRST_PAUSE_MS = 2_000
/** A provider that asks for a longer pause gets the usual one. */
const MAX_ASKED_MS = 60_000

/** Reads a turn of a provider. A failure before the answer begins is retried twice, unless it would happen again. */
export async function readTurn(
  source: TurnSource,
  { call, take, signal }: { call: TurnCall; take: TakeParts; signal: StopSignal },
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const beginning = new Beginning(take)
    try {
      if (signal.aborted) throw new Error('stopped before it was sent')
      await source.read(call, (parts) => beginning.take(parts), signal)
      await beginning.end()
      return
    } catch (caught) {
      if (beginning.isOver) throw caught
      const error = withNamedStatus(caught)
      if (signal.aborted || tries === TRIES || !isRetryable(error)) throw error
      await pauseUntilStopped(askedPauseMs(error) ?? FIRST_PAUSE_MS * 2 ** (tries - 1), signal)
    }
  }
}

function isRetryable(error: unknown): error is APICallError {
  return APICallError.isInstance(error) && error.isRetryable && !isQuotaUsedUp(error)
}

// OpenAI's header has milliseconds, that of HTTP seconds.
function askedPauseMs({ responseHeaders = {} }: APICallError): number | null {
  const inMs = Number.parseFloat(responseHeaders['retry-after-ms'] ?? '')
  const inSeconds = Number.parseFloat(responseHeaders['retry-after'] ?? '')
  const asked = Number.isNaN(inMs) ? inSeconds * 1000 : inMs
  return asked >= 0 && asked < MAX_ASKED_MS ? asked : null
}

/** Holds back the first two parts, because an error before the answer is a refusal. */
class Beginning {
  readonly #take: TakeParts
  #held: TurnPart[] | null = []

  constructor(take: TakeParts) {
    this.#take = take
  }

  get isOver(): boolean {
    return this.#held === null
  }

  take(parts: readonly TurnPart[]): boolean | Promise<boolean> {
    if (this.#held === null) return this.#take(parts)
    this.#held.push(...parts)
    return this.#held.length < 2 || this.end()
  }

  /** Hands over what is held. Throws where it is a refusal. */
  end(): boolean | Promise<boolean> {
    const held = this.#held
    if (held === null) return true
    const refusal = refusalIn(held)
    if (refusal !== null) throw refusal
    this.#held = null
    return this.#take(held)
  }
}

function refusalIn([first, second]: readonly TurnPart[]): unknown {
  const isEmpty = first === undefined || (first.type === 'finish' && first.finishReason.raw === undefined)
  if (isEmpty) return new NotAnEventStreamError()
  if (first.type === 'error') return first.error
  if (first.type !== 'raw' || second?.type !== 'error') return null
  const error = errorIn(first.rawValue)
  return error === null ? null : refusalUnder200(error)
}
