import type { Message, ToolCallPart, ToolResultPart } from '@svc/contract'
import { JsonDocument } from '../lib/json-document.ts'
import type { Prompt } from './turn-source.ts'

type PromptMessage = Prompt[number]
type AssistantContent = Extract<PromptMessage, { role: 'assistant' }>['content']
type ToolContent = Extract<PromptMessage, { role: 'tool' }>['content']

/**
 * The transcript in the shape of the provider libraries. System messages join the instructions, because not every provider
 * takes them between other messages. Consecutive results are one message.
 */
export function toPrompt(instructions: string | null, transcript: readonly Message[]): Prompt {
  const system = instructions === null ? [] : [instructions]
  const messages: PromptMessage[] = []
  const labels = new CallLabels()
  for (const message of transcript) {
    const last = messages.at(-1)
    if (message.role === 'system') system.push(...message.parts.map((part) => part.content))
    else if (message.role === 'tool' && last?.role === 'tool') last.content.push(...toResults(message, labels))
    else messages.push(...toMessages(message, labels))
  }
  const head = system.filter((text) => text !== '').join('\n\n')
  return head === '' ? messages : [{ role: 'system', content: head }, ...messages]
}

function toMessages(message: Exclude<Message, { role: 'system' }>, labels: CallLabels): PromptMessage[] {
  if (message.role === 'tool') return [{ role: 'tool', content: toResults(message, labels) }]
  if (message.role === 'user') {
    const text = message.parts.map((part) => part.content).join('\n') || '(empty message)'
    return [{ role: 'user', content: [{ type: 'text', text }] }]
  }
  const content: AssistantContent = []
  for (const part of message.parts) {
    if (part.type === 'tool_call') content.push({ type: 'tool-call', ...labels.open(part), input: part.input })
    else if (part.content !== '') content.push({ type: 'text', text: part.content })
  }
  return content.length === 0 ? [] : [{ role: 'assistant', content }]
}

function toResults({ parts }: Extract<Message, { role: 'tool' }>, labels: CallLabels): ToolContent {
  return parts.map((part) => {
    const value = part.error?.message ?? textOfOutput(part.output)
    const output = { type: part.error ? 'error-text' : 'text', value } as const
    return { type: 'tool-result', ...labels.close(part), output }
  })
}

// A text is passed on without quotes.
function textOfOutput(output: unknown): string {
  if (typeof output === 'string') return output
  const written = JsonDocument.of(output)
  return written.text.startsWith('"') ? String(written.value) : written.text
}

interface CallLabel {
  toolCallId: string
  toolName: string
}

/** Replaces callers' ids, which may repeat or be invalid for a provider. Every provider accepts nine letters and digits. */
class CallLabels {
  readonly #open = new Map<string, CallLabel>()
  #count = 0

  open({ id, name }: ToolCallPart): CallLabel {
    const label = this.#create(name)
    this.#open.set(id, label)
    return label
  }

  close({ toolCallId, name }: ToolResultPart): CallLabel {
    const label = this.#open.get(toolCallId) ?? this.#create(name)
    this.#open.delete(toolCallId)
    return label
  }

  #create(name: string): CallLabel {
    this.#count += 1
    return { toolCallId: `call${String(this.#count).padStart(5, '0')}`, toolName: validName(name) }
  }
}

// For an invalid name, from a model or a page, the provider would refuse the conversation.
function validName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64)
}
