import type { JsonObject } from '@svc/contract'
import { payloadHash } from '../approvals/ask-approval.ts'
import { isHashOfUser, isProven } from '../approvals/proof.ts'
import { NO_APPROVAL } from '../approvals/rules.ts'
import { type ApprovalRow, findApproval } from '../approvals/store.ts'
import type { SignedInUser } from '../end-users/signed-in-user.ts'
import type { ExecutionDeps } from '../executions/deps.ts'
import { Secret } from '../secrets/secret.ts'

export interface RepeatedCall {
  /** As it was sent: the id and the key of an approval. */
  state: unknown
  runtimeId: string
  name: string
  input: JsonObject
  endUser: SignedInUser | undefined
}

export interface OpenedApproval {
  approval: ApprovalRow
  approvalId: string
  approvalKey: string
}

// Other characters are in no id, and not every store can look them up.
const STATE = /^(apr_[0-9A-Za-z]{1,64})\.([\w-]{1,128})$/
const NO_METADATA: JsonObject = {}

export function approvalState({ approvalId, approvalKey }: Omit<OpenedApproval, 'approval'>): string {
  return `${approvalId}.${approvalKey}`
}

/** The approval that a state opens; null where it is another call's or another user's, or its key is wrong. */
export async function openApproval(
  { db, keyring }: Pick<ExecutionDeps, 'db' | 'keyring'>,
  { state, runtimeId, name, input, endUser }: RepeatedCall,
): Promise<OpenedApproval | null> {
  const [, approvalId = '', approvalKey = ''] = (typeof state === 'string' && STATE.exec(state)) || []
  const approval = await findApproval(db, approvalId)
  const isOpened = isProven(keyring, new Secret(approvalKey), approval ?? NO_APPROVAL)
  if (!approval || !isOpened || approval.runtime_id !== runtimeId || approval.capability !== name) return null
  const { token_hash: hash } = approval
  // One that has a user has a hash, be it of an end user's token, which no call by this protocol has.
  const user = { endUserToken: undefined, endUser }
  if (hash === null ? endUser : !isHashOfUser(keyring, user, hash, approvalId)) return null
  const inputHash = await payloadHash(input, NO_METADATA).catch(() => null)
  return approval.input_hash === inputHash ? { approval, approvalId, approvalKey } : null
}
