import type { Message, ToolCallPart, ToolResultPart } from '@svc/contract'
import { JsonDocument } from '../lib/json-document.ts'
import type { Prompt } from './turn-source.ts'

type PromptMessage = Prompt[number]
type AssistantContent = Extract<PromptMessage, { role: 'assistant' }>['content']
type ToolContent = Extract<PromptMessage, { role: 'tool' }>['content']

/**
 * Converts a transcript to an AI SDK prompt. System messages join the instructions, because some providers refuse them
 * between other messages. Consecutive results become one message.
 */
export function toPrompt(instructions: string | null, transcript: readonly Message[]): Prompt {
  const system = instructions === null ? [] : [instructions]
  const messages: PromptMessage[] = []
  const callIds = new ProviderCallIds()
  for (const message of transcript) {
    const last = messages.at(-1)
    if (message.role === 'system') system.push(...message.parts.map((part) => part.content))
    else if (message.role === 'tool' && last?.role === 'tool') last.content.push(...toResults(message, callIds))
    else messages.push(...toMessages(message, callIds))
  }
  const head = system.filter((text) => text !== '').join('\n\n')
  return head === '' ? messages : [{ role: 'system', content: head }, ...messages]
}

function toMessages(message: Exclude<Message, { role: 'system' }>, callIds: ProviderCallIds): PromptMessage[] {
  if (message.role === 'tool') return [{ role: 'tool', content: toResults(message, callIds) }]
  if (message.role === 'user') {
    const text = message.parts.map((part) => part.content).join('\n') || '(empty message)'
    return [{ role: 'user', content: [{ type: 'text', text }] }]
  }
  const content: AssistantContent = []
  for (const part of message.parts) {
    if (part.type === 'tool_call') content.push({ type: 'tool-call', ...callIds.ofCall(part), input: part.input })
    else if (part.content !== '') content.push({ type: 'text', text: part.content })
  }
  return content.length === 0 ? [] : [{ role: 'assistant', content }]
}

function toResults({ parts }: Extract<Message, { role: 'tool' }>, callIds: ProviderCallIds): ToolContent {
  return parts.map((part) => {
    const value = part.error?.message ?? textOfOutput(part.output)
    const output = { type: part.error ? 'error-text' : 'text', value } as const
    return { type: 'tool-result', ...callIds.ofResult(part), output }
  })
}

// A string output goes to the model as plain text, without JSON's quotes.
function textOfOutput(output: unknown): string {
  if (typeof output === 'string') return output
  const written = JsonDocument.of(output)
  return written.text.startsWith('"') ? String(written.value) : written.text
}

interface ProviderCall {
  toolCallId: string
  toolName: string
}

/** Replaces callers' ids, which may repeat or be invalid. Mistral demands nine letters or digits; others accept these. */
class ProviderCallIds {
  readonly #open = new Map<string, ProviderCall>()
  #count = 0

  ofCall({ id, name }: ToolCallPart): ProviderCall {
    const call = this.#create(name)
    this.#open.set(id, call)
    return call
  }

  ofResult({ toolCallId, name }: ToolResultPart): ProviderCall {
    const call = this.#open.get(toolCallId) ?? this.#create(name)
    this.#open.delete(toolCallId)
    return call
  }

  #create(name: string): ProviderCall {
    this.#count += 1
    return { toolCallId: `call${String(this.#count).padStart(5, '0')}`, toolName: validName(name) }
  }
}

// Providers refuse a conversation with an invalid tool name, which a model or a page may have written.
function validName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64)
}
