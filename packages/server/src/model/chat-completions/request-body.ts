import type { Prompt } from '../language-model.ts'
import type { ModelTool } from '../model.ts'
import { toFunctionTools } from '../provider-tools.ts'
import type { TurnCall } from '../turn-source.ts'

/** The requests of one model as JSON text. The tools of a deployment, most of each request, are written once. */
export function createBodyWriter(model: string): (call: TurnCall) => string {
  const written = new WeakMap<readonly ModelTool[], string>()
  const head = `{"model":${JSON.stringify(model)},"messages":`
  return ({ prompt, tools }) => {
    const toolsText = written.get(tools) ?? toToolsText(tools)
    written.set(tools, toolsText)
    return `${head}${JSON.stringify(prompt.flatMap(toMessages))}${toolsText}${TAIL}`
  }
}

const TAIL = ',"stream":true,"stream_options":{"include_usage":true}}'

function toToolsText(tools: readonly ModelTool[]): string {
  const functions = toFunctionTools(tools).tools?.map(({ name, description, inputSchema: parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }))
  return functions === undefined ? '' : `,"tools":${JSON.stringify(functions)},"tool_choice":"auto"`
}

type PromptMessage = Prompt[number]

function toMessages(message: PromptMessage): object[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: message.content }]
    case 'user':
      return [{ role: 'user', content: textOf(message.content) }]
    case 'assistant':
      return [toAssistant(message.content)]
    case 'tool':
      return message.content.flatMap((part) =>
        part.type === 'tool-result'
          ? [{ role: 'tool', tool_call_id: part.toolCallId, content: outputOf(part.output) }]
          : [],
      )
    default:
      return message satisfies never
  }
}

function toAssistant(content: Extract<PromptMessage, { role: 'assistant' }>['content']): object {
  const toolCalls = content.flatMap((part) =>
    part.type === 'tool-call'
      ? [
          {
            id: part.toolCallId,
            type: 'function',
            function: { name: part.toolName, arguments: JSON.stringify(part.input) },
          },
        ]
      : [],
  )
  const text = textOf(content)
  if (toolCalls.length === 0) return { role: 'assistant', content: text }
  return { role: 'assistant', content: text || null, tool_calls: toolCalls }
}

function textOf(content: readonly { type: string; text?: string }[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

type Output = Extract<Extract<PromptMessage, { role: 'tool' }>['content'][number], { type: 'tool-result' }>['output']

function outputOf(output: Output): string {
  return output.type === 'text' || output.type === 'error-text' ? output.value : JSON.stringify(output)
}
