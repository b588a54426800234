import type { StopSignal } from '../../lib/stop-signal.ts'
import { abortSignalOf } from '../abort-signal.ts'

/** What is sent to a provider. */
export interface Outgoing {
  headers: Record<string, string>
  body: string
}

/** An answer whose head has arrived. Whoever leaves its body before the end closes the connection. */
export interface Answer {
  status: number
  statusText: string
  /** By names in lower case. */
  headers(): Record<string, string>
  body: AsyncIterable<Uint8Array> | null
}

/** Posts to a provider. Rejects where no head of an answer came; a body that breaks off rejects whoever reads it. */
export type Post = (url: URL, outgoing: Outgoing, signal: StopSignal) => Promise<Answer>

/** Through a `fetch`. */
export function postByFetch(given: typeof globalThis.fetch): Post {
  return async (url, outgoing, signal) => {
    const response = await given(url, { method: 'POST', ...outgoing, signal: abortSignalOf(signal) })
    const { status, statusText, body } = response
    return { status, statusText, body, headers: () => Object.fromEntries(response.headers) }
  }
}
