import type { Agent } from 'undici'
import { addressOf } from './endpoint-states.ts'

/** A message to an address that is no capability endpoint. */
export interface OutgoingMessage {
  url: string
  headers: Readonly<Record<string, string>>
  body: string
}

/** Null where a status from 200 to 299 came; else why not, in words without an address. */
export type PostFault = string | null

const POST_MS = 15_000
const MAX_ANSWER_BYTES = 64 * 1024

/** Posts JSON, without following redirects. What the receiver says beyond its status is thrown away. */
export async function postMessage(agent: Agent, message: OutgoingMessage, signal: AbortSignal): Promise<PostFault> {
  const address = addressOf(message.url)
  if (address === null) return UNREACHABLE
  const late = AbortSignal.timeout(POST_MS)
  try {
    const { statusCode, body } = await agent.request({
      ...address,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'svc-webhooks', ...message.headers },
      body: message.body,
      signal: AbortSignal.any([signal, late]),
    })
    // The status is the answer: a body that breaks off changes nothing.
    await body.dump({ limit: MAX_ANSWER_BYTES }).catch(() => undefined)
    return statusCode >= 200 && statusCode < 300 ? null : `The receiver answered with status ${statusCode}.`
  } catch {
    return late.aborted ? `The receiver did not answer within ${POST_MS / 1000} seconds.` : UNREACHABLE
  }
}

// The same for a refused address, so that nobody can map a private network.
const UNREACHABLE = 'The receiver could not be reached.'
