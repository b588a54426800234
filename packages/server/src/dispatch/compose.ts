import { type CapabilityCall, EXECUTION_ID_HEADER } from '@svc/contract'
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
  const { executionId, callId, traceparent } = call
  const body = Buffer.from(textOf(call))
  const ofTrace = ['traceparent', traceparentOf(traceparent)]
  const headers = SAME_ON_EVERY_CALL.concat(EXECUTION_ID_HEADER, executionId, 'idempotency-key', callId, ofTrace)
  return { headers, body, bodyDigest: digestOf(body) }
}

// The text of a `CapabilityCall`, put together of what has been written before.
function textOf(call: DispatchCall): string {
  const { executionId, callId, capability, endUserToken } = call
  const { inputText = JSON.stringify(call.input), metadataText = JSON.stringify(call.metadata) } = call
  const head = JSON.stringify({ executionId, callId, capability } satisfies Partial<CapabilityCall>).slice(0, -1)
  const token = endUserToken ? `,"endUserToken":${JSON.stringify(endUserToken.reveal())}` : ''
  return `${head},"input":${inputText},"metadata":${metadataText}${token}}`
}

const SAME_ON_EVERY_CALL: readonly string[] = [
  ...['content-type', 'application/json'],
  ...['accept', 'application/json'],
  ...['accept-encoding', 'identity'],
  ...['user-agent', 'svc'],
]
