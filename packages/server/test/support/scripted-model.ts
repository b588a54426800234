import type { Message } from '@svc/contract'
import { JsonDocument } from '../../src/lib/json-document.ts'
import type { Model, ModelEvent, ModelRequest } from '../../src/model/model.ts'

/** One turn of a scripted model: its events, or a function of the request that makes or streams them. */
export type ScriptedTurn =
  | readonly ModelEvent[]
  | ((request: ModelRequest) => readonly ModelEvent[] | AsyncIterable<ModelEvent>)

export interface ScriptedModel extends Model {
  /** Every request the model was given, in order. */
  readonly requests: readonly ModelRequest[]
  /** What it will say, turn by turn; the last one is repeated. */
  say(...turns: ScriptedTurn[]): void
}

const USAGE = { inputTokens: 7, outputTokens: 3 }

/** A turn of text that ends the loop. */
export function text(content: string): ModelEvent[] {
  return [
    { type: 'text', content },
    { type: 'end', reason: 'stop', usage: USAGE },
  ]
}

/** A turn that asks for capabilities. */
export function calls(...requested: { name: string; input: unknown }[]): ModelEvent[] {
  const asked = requested.map(({ name, input }) => ({ type: 'tool_call', name, input }) as const)
  return [...asked, { type: 'end', reason: 'tool_calls', usage: USAGE }]
}

/** Turns whose outputs are values, where the service holds them as text. */
export function withValues(messages: readonly Message[]): Message[] {
  return messages.map((message) => {
    if (message.role !== 'tool') return message
    const plain = (output: unknown) => (output instanceof JsonDocument ? output.value : output)
    return { role: 'tool', parts: message.parts.map((part) => ({ ...part, output: plain(part.output) })) }
  })
}

/** A model that says what a test tells it to. Says “ok” until then. */
export function scriptedModel(): ScriptedModel {
  const requests: ModelRequest[] = []
  let turns: ScriptedTurn[] = [text('ok')]
  return {
    provider: 'scripted',
    name: 'test',
    requests,
    say(...next) {
      turns = next
    },
    async stream(request, emit) {
      // A copy: the loop appends to its list of messages later.
      requests.push({ ...request, messages: withValues(request.messages) })
      const turn = turns.length > 1 ? turns.shift() : turns[0]
      const events = typeof turn === 'function' ? turn(request) : (turn ?? [])
      for await (const event of events) await emit(event)
    },
  }
}
