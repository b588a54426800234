import type { Message } from '@svc/contract'
import { takeTurn } from '#service/demo-model/src/index.js'
import { JsonDocument } from '#service/server/src/lib/json-document.js'
import { type Model, ModelError, type ModelEvent, NO_USAGE } from '#service/server/src/model/model.js'
import type { Step } from '../test-schema.ts'

/** A model that does what it is told, step by step. */
export function scriptedModel(steps: readonly Step[]): Model & { left(): number } {
  const waiting = [...steps]
  return {
    provider: 'scripted',
    name: 'script',
    left: () => waiting.length,
    async stream(_request, emit) {
      const step = waiting.shift()
      if (!step) throw new ModelError('The script has no further step, and the model was asked once more.')
      if (step.say !== null) await emit({ type: 'text', content: step.say })
      for (const { call, input } of step.calls) await emit({ type: 'tool_call', name: call, input })
      await emit(ended(step.calls.length > 0))
    },
  }
}

/** The built-in model of the service. */
export const demoModel: Model = {
  provider: 'demo',
  name: 'rules',
  async stream({ messages, tools }, emit) {
    const turn = takeTurn({ messages: messages.map(withValues), tools })
    await emit(
      turn.type === 'say'
        ? { type: 'text', content: turn.text }
        : { type: 'tool_call', name: turn.name, input: turn.input },
    )
    await emit(ended(turn.type === 'call'))
  },
}

function ended(isCalling: boolean): ModelEvent {
  return { type: 'end', reason: isCalling ? 'tool_calls' : 'stop', usage: NO_USAGE }
}

function withValues(message: Message): Message {
  if (message.role !== 'tool') return message
  const plain = (output: unknown) => (output instanceof JsonDocument ? output.value : output)
  return { role: 'tool', parts: message.parts.map((part) => ({ ...part, output: plain(part.output) })) }
}
