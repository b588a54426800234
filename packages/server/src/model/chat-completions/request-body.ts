import { functionTools } from '../function-tools.ts'
import type { ModelTool } from '../model.ts'
import type { Prompt, TurnCall } from '../turn-source.ts'

// Without `stream_options` no tokens are reported. A server that refuses fields that it does not know would refuse it.
const TAIL = ',"stream":true,"stream_options":{"include_usage":true}}'

/** Writes the requests of one model as JSON. The tools of a deployment, most of each request, are written once. */
export function createBodyWriter(model: string): (call: TurnCall) => string {
  const written = new WeakMap<readonly ModelTool[], string>()
  const head = `{"model":${JSON.stringify(model)},"messages":`
  return ({ prompt, tools }) => {
    const toolsText = written.get(tools) ?? toolsTextOf(tools)
    written.set(tools, toolsText)
    return `${head}${JSON.stringify(prompt.flatMap(messagesOf))}${toolsText}${TAIL}`
  }
}

function toolsTextOf(tools: readonly ModelTool[]): string {
  const functions = functionTools(tools).tools?.map(({ name, description, inputSchema: parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }))
  return functions === undefined ? '' : `,"tools":${JSON.stringify(functions)},"tool_choice":"auto"`
}

type PromptMessage = Prompt[number]
type AssistantPart = Extract<PromptMessage, { role: 'assistant' }>['content'][number]
type ToolPart = Extract<PromptMessage, { role: 'tool' }>['content'][number]

function messagesOf(message: PromptMessage): object[] {
  switch (message.role) {
    case 'system':
      return [message]
    case 'user':
      return [{ role: 'user', content: textOf(message.content) }]
    case 'assistant':
      return [assistantMessage(message.content)]
    default:
      return message.content.flatMap(toolMessages)
  }
}

function assistantMessage(parts: readonly AssistantPart[]): object {
  const toolCalls = parts.flatMap((part) => {
    if (part.type !== 'tool-call') return []
    const call = { name: part.toolName, arguments: JSON.stringify(part.input) }
    return [{ id: part.toolCallId, type: 'function', function: call }]
  })
  const content = textOf(parts)
  if (toolCalls.length === 0) return { role: 'assistant', content }
  return { role: 'assistant', content: content || null, tool_calls: toolCalls }
}

function toolMessages(part: ToolPart): object[] {
  if (part.type !== 'tool-result') return []
  const { toolCallId, output } = part
  const content = output.type === 'text' || output.type === 'error-text' ? output.value : JSON.stringify(output)
  return [{ role: 'tool', tool_call_id: toolCallId, content }]
}

function textOf(parts: readonly { type: string; text?: string }[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
