import type { Message, ToolCallPart, ToolResultPart } from '@svc/contract'
import { JsonText } from '../lib/json-text.ts'
import type { Prompt } from './language-model.ts'

type PromptMessage = Prompt[number]
type AssistantContent = Extract<PromptMessage, { role: 'assistant' }>['content']
type ToolContent = Extract<PromptMessage, { role: 'tool' }>['content']

/**
 * The transcript in the provider libraries' own shape. System turns join the instructions at the head, because not
 * every provider takes them between other turns, and results that follow each other are one turn.
 */
export function toPrompt(instructions: string | null, transcript: readonly Message[]): Prompt {
  const system = instructions === null ? [] : [instructions]
  const turns: PromptMessage[] = []
  const labels = createCallLabels()
  for (const message of transcript) {
    const last = turns.at(-1)
    if (message.role === 'system') system.push(...message.parts.map((part) => part.content))
    else if (message.role === 'tool' && last?.role === 'tool') last.content.push(...toResults(message, labels))
    else turns.push(...toTurns(message, labels))
  }
  const head = system.filter((text) => text !== '').join('\n\n')
  return head === '' ? turns : [{ role: 'system', content: head }, ...turns]
}

// None for an assistant that said nothing.
function toTurns(message: Exclude<Message, { role: 'system' }>, labels: CallLabels): PromptMessage[] {
  if (message.role === 'user') {
    const text = message.parts.map((part) => part.content).join('\n') || '(empty message)'
    return [{ role: 'user', content: [{ type: 'text', text }] }]
  }
  if (message.role === 'tool') return [{ role: 'tool', content: toResults(message, labels) }]
  const content = toAssistantContent(message, labels)
  return content.length === 0 ? [] : [{ role: 'assistant', content }]
}

function toAssistantContent(message: Extract<Message, { role: 'assistant' }>, labels: CallLabels) {
  const content: AssistantContent = []
  for (const part of message.parts) {
    if (part.type === 'tool_call') {
      content.push({ type: 'tool-call', ...labels.open(part), input: part.input })
    } else if (part.content !== '') {
      content.push({ type: 'text', text: part.content })
    }
  }
  return content
}

function toResults({ parts }: Extract<Message, { role: 'tool' }>, labels: CallLabels): ToolContent {
  return parts.map((part) => toResult(part, labels))
}

function toResult(part: ToolResultPart, labels: CallLabels): ToolContent[number] {
  const output =
    part.error === undefined
      ? ({ type: 'text', value: textOfOutput(part.output) } as const)
      : ({ type: 'error-text', value: part.error.message } as const)
  return { type: 'tool-result', ...labels.close(part), output }
}

// A text is given as it is, without quotes.
function textOfOutput(output: unknown): string {
  if (typeof output === 'string') return output
  const written = JsonText.of(output)
  return written.text.startsWith('"') ? String(written.value()) : written.text
}

interface CallLabel {
  toolCallId: string
  toolName: string
}

interface CallLabels {
  open(part: ToolCallPart): CallLabel
  close(part: ToolResultPart): CallLabel
}

// A caller's ids may repeat and may hold characters that a provider refuses. Nine letters and digits suit all of them.
function createCallLabels(): CallLabels {
  const open = new Map<string, CallLabel>()
  let count = 0
  const label = (name: string): CallLabel => {
    count += 1
    return { toolCallId: `call${String(count).padStart(5, '0')}`, toolName: acceptableName(name) }
  }
  return {
    open(part) {
      const opened = label(part.name)
      open.set(part.id, opened)
      return opened
    },
    close(part) {
      const opened = open.get(part.toolCallId) ?? label(part.name)
      open.delete(part.toolCallId)
      return opened
    },
  }
}

// A name that a model made up, or a page sent, would have the provider refuse the whole conversation.
function acceptableName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64)
}
