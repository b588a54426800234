/** A server-sent event whose data is this value as JSON. */
export function sseEvent(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`
}

/** The event with which a chat-completions stream says that it is over. */
export const sseDone = 'data: [DONE]\n\n'
