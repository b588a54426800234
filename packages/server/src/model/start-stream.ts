import { APICallError } from 'ai'
import { pauseUntilStopped, type StopSignal } from '../lib/stop-signal.ts'
import { isQuotaUsedUp } from './model-failure.ts'
import { NotAStream } from './not-a-stream.ts'
import { errorIn, refusalUnder200, withNamedStatus } from './provider-error.ts'
import type { PartStream, TurnCall, TurnPart, TurnSource } from './turn-source.ts'

const TRIES = 3
const FIRST_PAUSE_MS = 2_000
/** A provider that asks for more than this is not waited for that long: the usual pause has to do. */
const LONGEST_ASKED_MS = 60_000

/** Asks a provider for a turn. What fails before the answer begins is tried again twice, unless it would fail again. */
export async function startStream(source: TurnSource, call: TurnCall, signal: StopSignal): Promise<PartStream> {
  for (let tries = 1; ; tries += 1) {
    try {
      if (signal.aborted) throw new Error('stopped before it was sent')
      return await begun(await source.start(call, signal))
    } catch (caught) {
      const error = withNamedStatus(caught)
      if (signal.aborted || tries === TRIES || !isWorthAnotherTry(error)) throw error
      await pauseUntilStopped(askedPauseMs(error) ?? FIRST_PAUSE_MS * 2 ** (tries - 1), signal)
    }
  }
}

function isWorthAnotherTry(error: unknown): error is APICallError {
  return APICallError.isInstance(error) && error.isRetryable && !isQuotaUsedUp(error)
}

// In milliseconds, or, as HTTP has it, in seconds.
function askedPauseMs({ responseHeaders = {} }: APICallError): number | null {
  const inMs = Number.parseFloat(responseHeaders['retry-after-ms'] ?? '')
  const inSeconds = Number.parseFloat(responseHeaders['retry-after'] ?? '')
  const asked = Number.isNaN(inMs) ? inSeconds * 1000 : inMs
  return asked >= 0 && asked < LONGEST_ASKED_MS ? asked : null
}

// The stream, once its first event is known to be no error: one that comes before the answer is a refusal.
async function begun(stream: PartStream): Promise<PartStream> {
  const iterator = stream[Symbol.asyncIterator]()
  const first: TurnPart[] = []
  let isOver = false
  while (first.length < 2 && !isOver) {
    const next = await iterator.next()
    if (next.done) isOver = true
    else first.push(...next.value)
  }
  const refusal = refusalIn(first)
  if (refusal === null) return startingWith(first, iterator)
  await iterator.return?.()
  throw refusal
}

function refusalIn([first, second]: readonly TurnPart[]): unknown {
  if (first === undefined || (first.type === 'finish' && first.finishReason.raw === undefined)) return new NotAStream()
  if (first.type === 'error') return first.error
  if (first.type !== 'raw' || second?.type !== 'error') return null
  const error = errorIn(first.rawValue)
  return error === null ? null : refusalUnder200(error)
}

// By hand, because a generator would need three more promises for each piece of the answer.
function startingWith(first: readonly TurnPart[], rest: AsyncIterator<readonly TurnPart[]>): PartStream {
  let isTaken = false
  const iterator: AsyncIterator<readonly TurnPart[]> = {
    next: () => {
      if (isTaken) return rest.next()
      isTaken = true
      return Promise.resolve({ done: false, value: first })
    },
    return: async () => (await rest.return?.()) ?? { done: true, value: undefined },
  }
  return { [Symbol.asyncIterator]: () => iterator }
}
