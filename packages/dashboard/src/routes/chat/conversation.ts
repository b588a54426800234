import type { ExecuteResponse, Message, StreamEvent } from '@svc/contract'

export interface CallNote {
  callId: string
  capability: string
  /** Null while it runs. */
  durationMs: number | null
  error: string | null
}

/** One question and what came of it. */
export interface Exchange {
  id: number
  question: string
  answer: string
  calls: readonly CallNote[]
  /** Null until the execution has ended. */
  result: ExecuteResponse | null
  /** Why there was no execution at all. */
  refusal: string | null
}

export interface Conversation {
  exchanges: readonly Exchange[]
  /** What the model is sent of what was said before. */
  transcript: readonly Message[]
}

export const EMPTY: Conversation = { exchanges: [], transcript: [] }

export function ask({ exchanges, transcript }: Conversation, question: string): Conversation {
  const exchange = { id: exchanges.length, question, answer: '', calls: [], result: null, refusal: null }
  return { transcript, exchanges: [...exchanges, exchange] }
}

/** The turns to send for a question. */
export function turnsFor({ transcript }: Conversation, question: string): Message[] {
  return [...transcript, userTurn(question)]
}

/** What one event of the stream adds. */
export function hear(conversation: Conversation, event: StreamEvent): Conversation {
  const { exchanges, transcript } = conversation
  const last = exchanges.at(-1)
  if (!last) return conversation
  const changed = (change: Partial<Exchange>): Conversation => ({
    transcript,
    exchanges: [...exchanges.slice(0, -1), { ...last, ...change }],
  })
  switch (event.type) {
    case 'text':
      return changed({ answer: last.answer + event.content })
    case 'capability_start': {
      const { callId, capability } = event
      return changed({ calls: [...last.calls, { callId, capability, durationMs: null, error: null }] })
    }
    case 'capability_end': {
      const { callId, durationMs, error } = event
      const ended = last.calls.map((call) =>
        call.callId === callId ? { ...call, durationMs, error: error?.message ?? null } : call,
      )
      return changed({ calls: ended })
    }
    case 'done': {
      const { exchanges: all } = changed({ result: event })
      // A question that failed is not part of what was said: it can be asked again.
      if (event.status === 'failed') return { transcript, exchanges: all }
      return { exchanges: all, transcript: [...transcript, userTurn(last.question), ...event.messages] }
    }
  }
}

export function refuse({ exchanges, transcript }: Conversation, refusal: string): Conversation {
  const last = exchanges.at(-1)
  return { transcript, exchanges: last ? [...exchanges.slice(0, -1), { ...last, refusal }] : exchanges }
}

function userTurn(content: string): Message {
  return { role: 'user', parts: [{ type: 'text', content }] }
}
