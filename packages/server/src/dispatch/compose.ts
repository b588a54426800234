import { EXECUTION_ID_HEADER, IDEMPOTENCY_SUFFIXES } from '@svc/contract'
import { randomText } from '../lib/random.ts'
import { parseTraceparent } from '../telemetry/tracing.ts'
import type { DispatchCall } from './call-types.ts'
import { digestOf } from './sign.ts'

/** The parts of a call that are the same on every try. */
export interface Message {
  /** Names and values alternate. */
  headers: readonly string[]
  body: Buffer
  bodyDigest: string
}

/** The end user, by token or as signed in, is part of the body, which only a socket sees. */
export function compose(call: DispatchCall): Message {
  const { executionId, callId, capability, mode, input, metadata, endUserToken, endUser, traceparent } = call
  const { approvalId, previewHash } = call.approval ?? NO_APPROVAL
  // A `CapabilityCall` as JSON.
  const head = JSON.stringify({ executionId, callId, capability, mode, approvalId, previewHash }).slice(0, -1)
  const token = endUserToken ? `,"endUserToken":${JSON.stringify(endUserToken.reveal())}` : ''
  const user = endUser ? `,"endUser":${endUser.reveal()}` : ''
  const body = Buffer.from(`${head},"input":${input.text},"metadata":${metadata.text}${token}${user}}`)
  const key = mode ? `${callId}${IDEMPOTENCY_SUFFIXES[mode]}` : callId
  const ofTrace = ['traceparent', traceparentOf(traceparent)]
  const headers = SAME_ON_EVERY_CALL.concat(EXECUTION_ID_HEADER, executionId, 'idempotency-key', key, ofTrace)
  return { headers, body, bodyDigest: digestOf(body) }
}

const NO_APPROVAL = { approvalId: undefined, previewHash: undefined }

const SAME_ON_EVERY_CALL: readonly string[] = Object.entries({
  'content-type': 'application/json',
  accept: 'application/json',
  'accept-encoding': 'identity',
  'user-agent': 'svc',
}).flat()

/** The caller's `traceparent` where it is valid (W3C Trace Context), else a new one, marked as sampled. */
export function traceparentOf(given: string | undefined): string {
  if (given !== undefined && parseTraceparent(given)) return given
  return `00-${randomText(16, 'hex')}-${randomText(8, 'hex')}-01`
}
