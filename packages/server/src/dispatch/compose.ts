import type { CapabilityCall } from '@svc/contract'
import type { DispatchCall } from './dispatch-call.ts'
import { digestOf } from './sign.ts'
import { traceparentOf } from './traceparent.ts'

/** What is the same on every try of a call: the bytes that are signed are the bytes that are sent. */
export interface Message {
  /** Names and values in turn, which is how they are written. */
  headers: readonly string[]
  body: Buffer
  bodyDigest: string
}

/** The end user's token goes into the body, which nothing but a socket sees. */
export function compose(call: DispatchCall): Message {
  const { executionId, callId, capability, input, metadata, endUserToken } = call
  const token = endUserToken && { endUserToken: endUserToken.reveal() }
  const content = { executionId, callId, capability, input, metadata, ...token } satisfies CapabilityCall
  const body = Buffer.from(JSON.stringify(content))
  return { headers: headersOf(call), body, bodyDigest: digestOf(body) }
}

function headersOf({ executionId, callId, traceparent }: DispatchCall): string[] {
  return [
    ...['content-type', 'application/json'],
    ...['accept', 'application/json'],
    ...['accept-encoding', 'identity'],
    ...['user-agent', 'svc'],
    ...['x-svc-execution-id', executionId],
    ...['idempotency-key', callId],
    ...['traceparent', traceparentOf(traceparent)],
  ]
}
