import { functionTools } from '../function-tools.ts'
import type { ModelTool } from '../model.ts'
import type { Prompt, TurnCall } from '../turn-source.ts'

// OpenAI reports usage only where `stream_options` asks for it. Mistral's own API reports it unasked, and answers 422 to the
// field.
const BODY_END = ',"stream":true,"stream_options":{"include_usage":true}}'

/** Serializes the requests of one model. The tools of a deployment, the bulk of each request, are serialized once. */
export function createBodyWriter(model: string): (call: TurnCall) => string {
  const toolsTexts = new WeakMap<readonly ModelTool[], string>()
  const bodyStart = `{"model":${JSON.stringify(model)},"messages":`
  return ({ prompt, tools }) => {
    const toolsText = toolsTexts.get(tools) ?? toolsTextOf(tools)
    toolsTexts.set(tools, toolsText)
    return `${bodyStart}${JSON.stringify(prompt.flatMap(messagesOf))}${toolsText}${BODY_END}`
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
