import { bodyDigest, computeSignature, SIGNATURE_HEADERS } from '@svc/contract'

export const RUNTIME_ID = 'rt_shoptest'
export const SECRET = 'c2hvcC10ZXN0LXNlY3JldC1vZi0zMi1ieXRlcy1sb25n'

let calls = 0

export interface Call {
  capability: string
  input?: Record<string, unknown>
  endUserToken?: string
  callId?: string
}

/** A request as the control plane sends it: the body’s exact bytes under a real signature. */
export async function signedRequest(
  url: string,
  { now, secret = SECRET, ...call }: Call & { now: number; secret?: string },
): Promise<Request> {
  calls += 1
  const { capability, input = {}, endUserToken, callId = `call_${calls}` } = call
  const payload = {
    executionId: 'exec_test',
    callId,
    capability,
    input,
    metadata: {},
    ...(endUserToken && { endUserToken }),
  }
  const body = new TextEncoder().encode(JSON.stringify(payload))
  const parts = {
    runtimeId: RUNTIME_ID,
    timestamp: String(now),
    nonce: crypto.randomUUID(),
    bodyDigest: await bodyDigest(body),
  }
  return new Request(url, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      [SIGNATURE_HEADERS.runtimeId]: parts.runtimeId,
      [SIGNATURE_HEADERS.timestamp]: parts.timestamp,
      [SIGNATURE_HEADERS.nonce]: parts.nonce,
      [SIGNATURE_HEADERS.signature]: await computeSignature(secret, parts),
    },
  })
}
