import { readEvents } from './sse.js'

/**
 * Asks the control plane and yields the events of the answer; the last one is `done`.
 * Throws an error whose message may be shown when the question was refused or the answer was cut off.
 */
export async function* execute(connection, { messages, endUserToken, signal }) {
  const response = await fetch(`${connection.baseUrl}/v1/runtime/execute`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${connection.publicKey}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
    body: JSON.stringify({ messages, ...(endUserToken && { endUserToken }) }),
    signal,
  }).catch((error) => {
    throw signal?.aborted ? error : new Error('The assistant cannot be reached just now.', { cause: error })
  })
  if (!response.ok) throw new Error(await refusalOf(response))
  for await (const event of readEvents(response.body)) {
    yield event
    if (event.type === 'done') return
  }
  throw new Error('The answer was cut off. Please ask again.')
}

async function refusalOf(response) {
  const answer = await response.json().catch(() => null)
  return answer?.error?.message ?? `The assistant refused the question (${response.status}).`
}
