import { Deadline } from '../lib/deadline.ts'
import type { Limits } from '../limits.ts'
import { type EmitEvent, type Model, ModelError, type ModelLogger, type ModelRequest } from './model.ts'
import { CANCELLED, modelFailure, TIMED_OUT } from './model-failure.ts'
import { readWithRetries } from './read-with-retries.ts'
import { toPrompt } from './to-prompt.ts'
import { Turn } from './turn.ts'
import type { TurnSource } from './turn-source.ts'

interface ProviderModelOptions {
  provider: string
  name: string
  source: TurnSource
  limits: Pick<Limits, 'modelMs'>
  /** Redacted from every error. */
  secrets: readonly string[]
  logger?: ModelLogger | undefined
}

/** A provider's model. Failures before the answer begins are retried twice, failures within it never. */
export function providerModel(options: ProviderModelOptions): Model {
  return {
    provider: options.provider,
    name: options.name,
    stream: (request, emit) => streamTurn(options, request, emit),
  }
}

async function streamTurn(options: ProviderModelOptions, request: ModelRequest, emit: EmitEvent): Promise<void> {
  const { source, limits, secrets } = options
  const deadline = new Deadline(limits.modelMs, request.signal)
  const thrownByEmit: unknown[] = []
  const emitRecorded = recordThrown(emit, thrownByEmit)
  const turn = new Turn(emitRecorded, request.maxTextBytes)
  try {
    const call = { prompt: toPrompt(request.instructions, request.messages), tools: request.tools }
    await readWithRetries(source, { call, emit: (parts) => turn.addParts(parts), signal: deadline })
    if (turn.isOverLimit) return await emitRecorded({ type: 'end', reason: 'length', usage: turn.usage })
    const stopped = stoppedError(deadline, turn)
    if (stopped !== null) throw stopped
    for (const event of turn.close()) await emitRecorded(event)
  } catch (error) {
    if (thrownByEmit.length > 0) throw thrownByEmit[0]
    const known = stoppedError(deadline, turn) ?? (error instanceof ModelError ? error : null)
    const failure = known ?? modelFailure(error, { hasBegun: turn.hasBegun, usage: turn.usage, secrets })
    log(options, request, failure)
    throw failure
  } finally {
    deadline.release()
  }
}

/** Records what `emit` throws, to tell it from a failure of the model. */
function recordThrown(emit: EmitEvent, thrown: unknown[]): EmitEvent {
  const record = (error: unknown): never => {
    thrown.push(error)
    throw error
  }
  return (event) => {
    try {
      const pending = emit(event)
      return pending ? pending.catch(record) : undefined
    } catch (error) {
      return record(error)
    }
  }
}

function stoppedError({ endedBy }: Deadline, { usage }: Turn): ModelError | null {
  return endedBy === null ? null : new ModelError(endedBy === 'caller' ? CANCELLED : TIMED_OUT, { usage })
}

// Callers get the message alone: provider, model and cause appear together only in this log line.
function log({ provider, name, logger }: ProviderModelOptions, { executionId }: ModelRequest, failure: ModelError) {
  if (failure.message === CANCELLED) return
  const cause = failure.cause instanceof Error ? failure.cause.message : undefined
  const fields = { executionId, provider, model: name, failure: failure.message, cause, usage: failure.usage }
  logger?.warn(fields, 'model call failed')
}
