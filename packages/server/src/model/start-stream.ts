import { APICallError } from 'ai'
import { pauseUntilStopped, type StopSignal } from '../lib/stop-signal.ts'
import { isQuotaUsedUp } from './model-failure.ts'
import { errorIn, NotAnEventStreamError, refusalUnder200, withNamedStatus } from './provider-error.ts'
import type { PartStream, TurnCall, TurnPart, TurnSource } from './turn-source.ts'

const TRIES = 3
const FIRST_PAUSE_MS = 2_000
/** A provider that asks for a longer pause gets the usual one. */
const MAX_ASKED_MS = 60_000

interface BegunStream {
  first: readonly TurnPart[]
  rest: PartStream
}

/** Asks a provider for a turn. A failure before the answer begins is retried twice, unless it would happen again. */
export async function startStream(source: TurnSource, call: TurnCall, signal: StopSignal): Promise<BegunStream> {
  for (let tries = 1; ; tries += 1) {
    try {
      if (signal.aborted) throw new Error('stopped before it was sent')
      return await begun(await source.start(call, signal))
    } catch (caught) {
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

// Reads the first two parts, because an error before the answer is a refusal.
async function begun(rest: PartStream): Promise<BegunStream> {
  const first: TurnPart[] = []
  while (first.length < 2) {
    const next = await rest.next()
    if (next === null) break
    first.push(...next)
  }
  const refusal = refusalIn(first)
  if (refusal === null) return { first, rest }
  rest.close()
  throw refusal
}

function refusalIn([first, second]: readonly TurnPart[]): unknown {
  const isEmpty = first === undefined || (first.type === 'finish' && first.finishReason.raw === undefined)
  if (isEmpty) return new NotAnEventStreamError()
  if (first.type === 'error') return first.error
  if (first.type !== 'raw' || second?.type !== 'error') return null
  const error = errorIn(first.rawValue)
  return error === null ? null : refusalUnder200(error)
}
