import { Deadline } from '../lib/deadline.ts'
import type { Limits } from '../limits.ts'
import { type Model, ModelError, type ModelEvent, type ModelLogger, type ModelRequest } from './model.ts'
import { CANCELLED, modelFailure, TIMED_OUT } from './model-failure.ts'
import { startStream } from './start-stream.ts'
import { toPrompt } from './to-prompt.ts'
import { Turn } from './turn.ts'
import type { PartStream, TurnPart, TurnSource } from './turn-source.ts'

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
    stream: (request) => streamTurn(options, request),
  }
}

async function* streamTurn(options: ProviderModelOptions, request: ModelRequest): AsyncGenerator<ModelEvent> {
  const { source, limits, secrets } = options
  const deadline = new Deadline(limits.modelMs, request.signal)
  const turn = new Turn(request.maxTextBytes)
  let stream: PartStream | null = null
  try {
    const call = { prompt: toPrompt(request.instructions, request.messages), tools: request.tools }
    const { first, rest } = await startStream(source, call, deadline)
    stream = rest
    for (let parts: readonly TurnPart[] | null = first; parts !== null; parts = await rest.next()) {
      for (const content of turn.read(parts)) yield { type: 'text', content }
      if (turn.isCut) return yield { type: 'end', reason: 'length', usage: turn.usage }
    }
    const early = endedEarly(deadline, turn)
    if (early !== null) throw early
    yield* turn.close()
  } catch (error) {
    const own = endedEarly(deadline, turn) ?? (error instanceof ModelError ? error : null)
    const failure = own ?? modelFailure(error, { hasBegun: turn.hasBegun, usage: turn.usage, secrets })
    log(options, request, failure)
    throw failure
  } finally {
    stream?.close()
    deadline.release()
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
