import { APICallError } from 'ai'
import { pauseUntilStopped, type StopSignal } from '../lib/stop-signal.ts'
import type { PartStream, TurnCall, TurnSource } from './turn-source.ts'

const TRIES = 3
const FIRST_PAUSE_MS = 2_000
/** A provider that asks for more than this is not waited for that long: the usual pause has to do. */
const LONGEST_ASKED_MS = 60_000

/** Asks a provider for a turn. What fails before the answer begins is tried again twice, unless it would fail again. */
export async function startStream(source: TurnSource, call: TurnCall, signal: StopSignal): Promise<PartStream> {
  for (let tries = 1; ; tries += 1) {
    try {
      if (signal.aborted) throw new Error('stopped before it was sent')
      return await source.start(call, signal)
    } catch (error) {
      if (signal.aborted || tries === TRIES || !APICallError.isInstance(error) || !error.isRetryable) throw error
      await pauseUntilStopped(askedPauseMs(error) ?? FIRST_PAUSE_MS * 2 ** (tries - 1), signal)
    }
  }
}

// In milliseconds, or, as HTTP has it, in seconds.
function askedPauseMs({ responseHeaders = {} }: APICallError): number | null {
  const inMs = Number.parseFloat(responseHeaders['retry-after-ms'] ?? '')
  const inSeconds = Number.parseFloat(responseHeaders['retry-after'] ?? '')
  const asked = Number.isNaN(inMs) ? inSeconds * 1000 : inMs
  return asked >= 0 && asked < LONGEST_ASKED_MS ? asked : null
}
