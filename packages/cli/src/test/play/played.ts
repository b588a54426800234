import { type FinishReason, isJsonObject, type JsonObject, type Message } from '@svc/contract'

/** One turn as it went. */
export type PlayedTurn = {
  readonly user: string
  /** What the model and the capabilities added. */
  readonly messages: readonly Message[]
  readonly finishReason: FinishReason
  readonly error: string | null
  /** What went wrong beside the conversation: a call without a mock that fits, a script that is too long or too short. */
  readonly problems: readonly string[]
}

/** A call that the model asked for, and its result. */
export type PlayedCall = {
  readonly capability: string
  readonly input: JsonObject
  readonly output: unknown
  readonly error: string | null
}

export type Conversation = { play(turn: number): Promise<PlayedTurn> }

export function callsOf(messages: readonly Message[]): PlayedCall[] {
  const results = new Map(
    messages.flatMap((message) =>
      message.role === 'tool' ? message.parts.map((part) => [part.toolCallId, part] as const) : [],
    ),
  )
  return messages.flatMap((message) =>
    message.role !== 'assistant'
      ? []
      : message.parts.flatMap((part): PlayedCall[] => {
          if (part.type !== 'tool_call') return []
          const result = results.get(part.id)
          const input = isJsonObject(part.input) ? part.input : {}
          return [
            { capability: part.name, input, output: result?.output ?? null, error: result?.error?.message ?? null },
          ]
        }),
  )
}

/** All that the model said. */
export function answerOf(messages: readonly Message[]): string {
  return messages
    .flatMap(({ role, parts }) =>
      role === 'assistant' ? parts.flatMap((part) => (part.type === 'text' ? [part.content] : [])) : [],
    )
    .filter((text) => text !== '')
    .join('\n')
}

export function userMessage(text: string): Message {
  return { role: 'user', parts: [{ type: 'text', content: text }] }
}
