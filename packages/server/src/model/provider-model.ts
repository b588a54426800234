import { Deadline } from '../lib/deadline.ts'
import type { Limits } from '../limits.ts'
import { type Model, ModelError, type ModelLogger, type ModelRequest, type TakeEvent } from './model.ts'
import { CANCELLED, modelFailure, TIMED_OUT } from './model-failure.ts'
import { readTurn } from './read-turn.ts'
import { toPrompt } from './to-prompt.ts'
import { Turn } from './turn.ts'
import type { TurnSource } from './turn-source.ts'

interface ProviderModelOptions {
  provider: string
  name: string
  source: TurnSource
  limits: Pick<Limits, 'modelMs'>
  /** Kept out of every error. */
  secrets: readonly string[]
  logger?: ModelLogger | undefined
}

/** A model of a provider. Failures before the answer begins are retried twice, failures within it never. */
export function providerModel(options: ProviderModelOptions): Model {
  return {
    provider: options.provider,
    name: options.name,
    stream: (request, take) => streamTurn(options, request, take),
  }
}

async function streamTurn(options: ProviderModelOptions, request: ModelRequest, take: TakeEvent): Promise<void> {
  const { source, limits, secrets } = options
  const deadline = new Deadline(limits.modelMs, request.signal)
  const thrown: unknown[] = []
  const handOver = keepThrown(take, thrown)
  const turn = new Turn(handOver, request.maxTextBytes)
  try {
    const call = { prompt: toPrompt(request.instructions, request.messages), tools: request.tools }
    await readTurn(source, { call, take: (parts) => turn.read(parts), signal: deadline })
    if (turn.isCut) return await handOver({ type: 'end', reason: 'length', usage: turn.usage })
    const early = endedEarly(deadline, turn)
    if (early !== null) throw early
    for (const event of turn.close()) await handOver(event)
  } catch (error) {
    if (thrown.length > 0) throw thrown[0]
    const own = endedEarly(deadline, turn) ?? (error instanceof ModelError ? error : null)
    const failure = own ?? modelFailure(error, { hasBegun: turn.hasBegun, usage: turn.usage, secrets })
    log(options, request, failure)
    throw failure
  } finally {
    deadline.release()
  }
}

/** Keeps what `take` throws, which is no failure of the model. */
function keepThrown(take: TakeEvent, thrown: unknown[]): TakeEvent {
  const keep = (error: unknown): never => {
    thrown.push(error)
    throw error
  }
  return (event) => {
    try {
      const taken = take(event)
      return taken ? taken.catch(keep) : undefined
    } catch (error) {
      return keep(error)
    }
  }
}

function endedEarly({ endedBy }: Deadline, { usage }: Turn): ModelError | null {
  return endedBy === null ? null : new ModelError(endedBy === 'caller' ? CANCELLED : TIMED_OUT, { usage })
}

// Only this line has provider, model and cause together; a caller is told the sentence alone.
function log({ provider, name, logger }: ProviderModelOptions, { executionId }: ModelRequest, failure: ModelError) {
  if (failure.message === CANCELLED) return
  const cause = failure.cause instanceof Error ? failure.cause.message : undefined
  const fields = { executionId, provider, model: name, failure: failure.message, cause, usage: failure.usage }
  logger?.warn(fields, 'model call failed')
}
