import type { Schemas } from '../../api/client.ts'
import { isRecord } from '../../api/is-record.ts'

type Created = Schemas['CreatedRuntime']

const KEY = 'svc-new-runtime'

/**
 * Keeps a new runtime’s credentials in this tab until they are copied, so that a reload does not lose the secret, which
 * no request shows again.
 */
export function keepCredentials(ownerId: string, created: Created): void {
  sessionStorage.setItem(KEY, JSON.stringify({ ownerId, created }))
}

/** Those that this account has not copied yet. */
export function keptCredentials(ownerId: string | undefined): Created | null {
  const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null')
  return isRecord(kept) && kept['ownerId'] === ownerId && isCreated(kept['created']) ? kept['created'] : null
}

export function forgetCredentials(): void {
  sessionStorage.removeItem(KEY)
}

function isCreated(value: unknown): value is Created {
  return isRecord(value) && typeof value['runtimeId'] === 'string' && typeof value['secret'] === 'string'
}
