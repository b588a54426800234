import { sseDone, sseEvent } from './sse-frames.ts'

export interface DoubleToolCall {
  name: string
  /** The arguments: a value, which is sent as JSON, or their exact text in `rawArguments`. */
  input?: unknown
  rawArguments?: string
}

/** A fault of an answer. `afterBytes` counts from the start of the body. */
export type DoubleFault =
  /** An error answer instead of a stream. */
  | { type: 'status'; status: number; headers?: Readonly<Record<string, string>>; message?: string }
  /** The server falls silent before the headers, or after so many bytes of the body, until the client leaves. */
  | { type: 'stall'; before: 'headers' }
  | { type: 'stall'; afterBytes: number }
  /** The body breaks off: by a dropped connection, or by an orderly end of the answer. */
  | { type: 'cut'; afterBytes: number; by: 'drop' | 'end' }
  /** An error event instead of the finish reason, in a stream that began with status 200. */
  | { type: 'error_event'; message: string; code?: string }

/** One scripted answer of the model. */
export interface DoubleTurn {
  text?: string | readonly string[]
  toolCalls?: readonly DoubleToolCall[]
  /** Characters per piece of a tool call's arguments; the pieces of parallel calls are interleaved. */
  pieceLength?: number
  /** Null: the server reports none. */
  usage?: { inputTokens: number; outputTokens: number } | null
  /** Null: the finishing chunk never comes. */
  finishReason?: string | null
  /** False: the stream ends without its `[DONE]`. */
  done?: boolean
  fault?: DoubleFault
}

const DEFAULT_PIECE_LENGTH = 7
const DEFAULT_USAGE = { inputTokens: 11, outputTokens: 7 }

/** The turn as server-sent events in the chat-completions dialect, one string per event. */
export function eventsOfTurn(turn: DoubleTurn, model: string): string[] {
  const chunk = (choices: readonly unknown[], rest: object = {}) =>
    sseEvent({ id: 'chatcmpl-double', object: 'chat.completion.chunk', created: 0, model, choices, ...rest })
  const delta = (content: object) => chunk([{ index: 0, delta: content, finish_reason: null }])
  const events = [delta({ role: 'assistant', content: '' })]
  for (const content of textsOf(turn)) events.push(delta({ content }))
  for (const piece of toolCallPieces(turn)) events.push(delta({ tool_calls: [piece] }))
  if (turn.fault?.type === 'error_event') {
    const { message, code = 'server_error' } = turn.fault
    return [...events, sseEvent({ error: { message, type: 'server_error', param: null, code } })]
  }
  const reason = turn.finishReason === undefined ? usualReason(turn) : turn.finishReason
  if (reason !== null) events.push(chunk([{ index: 0, delta: {}, finish_reason: reason }]))
  if (turn.usage !== null) events.push(chunk([], { usage: usageOf(turn.usage ?? DEFAULT_USAGE) }))
  if (turn.done !== false) events.push(sseDone)
  return events
}

function textsOf(turn: DoubleTurn): readonly string[] {
  if (turn.text === undefined) return []
  return typeof turn.text === 'string' ? [turn.text] : turn.text
}

function usualReason(turn: DoubleTurn): string {
  return (turn.toolCalls ?? []).length > 0 ? 'tool_calls' : 'stop'
}

function usageOf(usage: { inputTokens: number; outputTokens: number }): object {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
  }
}

// The first piece of a call names it, the later ones carry only its index, as the real service sends them.
function toolCallPieces(turn: DoubleTurn): object[] {
  const calls = (turn.toolCalls ?? []).map((call) => piecesOf(call, turn.pieceLength ?? DEFAULT_PIECE_LENGTH))
  const pieces: object[] = calls.map(({ name }, index) => ({
    index,
    id: `call_double_${index}`,
    type: 'function',
    function: { name, arguments: '' },
  }))
  const rounds = Math.max(0, ...calls.map((call) => call.pieces.length))
  for (let round = 0; round < rounds; round++) {
    for (const [index, call] of calls.entries()) {
      const piece = call.pieces[round]
      if (piece !== undefined) pieces.push({ index, function: { arguments: piece } })
    }
  }
  return pieces
}

function piecesOf(call: DoubleToolCall, length: number): { name: string; pieces: string[] } {
  const text = call.rawArguments ?? JSON.stringify(call.input ?? {})
  const pieces: string[] = []
  for (let at = 0; at < text.length; at += length) pieces.push(text.slice(at, at + length))
  return { name: call.name, pieces }
}
