import type { JsonObject } from '@svc/contract'
import { signRequest } from '@svc/sdk/testing'

export const RUNTIME_ID = 'rt_shoptest'
export const SECRET = 'c2hvcC10ZXN0LXNlY3JldC1vZi0zMi1ieXRlcy1sb25n'

let calls = 0

export interface Call {
  capability: string
  input?: JsonObject
  endUserToken?: string
  callId?: string
  mode?: 'preview'
  approvalId?: string
  previewHash?: string
}

/** A request as the control plane sends it to the shop, signed at `now`; each has a call id of its own. */
export function signedRequest(
  url: string,
  { now, secret = SECRET, ...call }: Call & { now: number; secret?: string },
): Promise<Request> {
  calls += 1
  const clock = { now: () => now }
  return signRequest({ callId: `call_${calls}`, ...call, url, runtimeId: RUNTIME_ID, secret, clock })
}
