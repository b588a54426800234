import type { Message } from '@svc/contract'
import { JsonDocument } from '../lib/json-document.ts'
import { type EmitEvent, type Model, ModelError, type ModelRequest, type ModelUsage } from './model.ts'
import { CANCELLED } from './model-failure.ts'

/** The built-in model, which is loaded only where it is used. */
export async function demoModel(): Promise<Model> {
  const { takeTurn } = await import('@svc/demo-model')
  return {
    provider: 'demo',
    name: 'rules',
    async stream(request, emit) {
      throwIfAborted(request)
      const { tools } = request
      const messages = request.messages.map(withValues)
      const turn = takeTurn({ messages, tools })
      const said = turn.type === 'say' ? turn.text : JSON.stringify([turn.name, turn.input])
      if (turn.type === 'say') await sayInWordGroups(request, turn.text, emit)
      else await emit({ type: 'tool_call', name: turn.name, input: turn.input })
      await emit({
        type: 'end',
        reason: turn.type === 'say' ? 'stop' : 'tool_calls',
        usage: usageOf({ ...request, messages }, said),
      })
    },
  }
}

function withValues(message: Message): Message {
  if (message.role !== 'tool') return message
  const plain = (output: unknown) => (output instanceof JsonDocument ? output.value : output)
  return { role: 'tool', parts: message.parts.map((part) => ({ ...part, output: plain(part.output) })) }
}

const WORDS_AT_ONCE = 4
const CHARACTERS_PER_TOKEN = 4

async function sayInWordGroups(request: ModelRequest, text: string, emit: EmitEvent): Promise<void> {
  const words = text.match(/\S+\s*/g) ?? []
  for (let at = 0; at < words.length; at += WORDS_AT_ONCE) {
    throwIfAborted(request)
    await emit({ type: 'text', content: words.slice(at, at + WORDS_AT_ONCE).join('') })
  }
}

function throwIfAborted({ signal }: ModelRequest): void {
  if (signal.aborted) throw new ModelError(CANCELLED)
}

// An estimate, since nothing tokenizes here: a token for every four characters.
function usageOf({ instructions, messages, tools }: ModelRequest, said: string): ModelUsage {
  return {
    inputTokens: tokensOf(charactersIn([instructions, messages, tools])),
    outputTokens: tokensOf(said.length),
  }
}

function tokensOf(characters: number): number {
  return Math.max(1, Math.ceil(characters / CHARACTERS_PER_TOKEN))
}

// Recursion is safe: the depth of inputs and outputs is limited. Names count like values.
function charactersIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return String(value ?? '').length
  const names = Array.isArray(value) ? '' : Object.keys(value).join('')
  return Object.values(value).reduce((sum: number, member) => sum + charactersIn(member), names.length)
}
