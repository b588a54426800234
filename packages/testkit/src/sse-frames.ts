/** A server-sent event whose data is this value as JSON. */
export function sseEvent(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`
}

/** The last event of a chat-completions stream. */
export const sseDone = 'data: [DONE]\n\n'
