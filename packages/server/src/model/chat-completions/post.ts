import type { StopSignal } from '../../stop-signal.ts'
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
  headers: Iterable<readonly [name: string, value: string]>
  body: AsyncIterable<Uint8Array> | null
}

/** Posts to a provider. Rejects where no head of an answer came; a body that breaks off rejects whoever reads it. */
export type Post = (url: string, outgoing: Outgoing, signal: StopSignal) => Promise<Answer>

/** Through a `fetch`. */
export function postByFetch(given: typeof globalThis.fetch): Post {
  return (url, outgoing, signal) => given(url, { method: 'POST', ...outgoing, signal: abortSignalOf(signal) })
}
