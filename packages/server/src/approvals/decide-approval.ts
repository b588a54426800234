import { type ApprovalAnswer, type ApprovalDecision, Preview, previewHash } from '@svc/contract'
import type { SignedInUser } from '../end-users/signed-in-user.ts'
import { databaseAway, internal, invalidField, notFound } from '../errors.ts'
import type { ExecutionDeps } from '../executions/deps.ts'
import type { ExecutionScope } from '../executions/running.ts'
import type { CachedRuntime } from '../runtimes/serving-cache.ts'
import { type ServingRuntime, sidesOf } from '../runtimes/serving-runtime.ts'
import { Secret } from '../secrets/secret.ts'
import { payloadHash } from './ask-approval.ts'
import { dispatchApproved } from './dispatch-approved.ts'
import { isHashOfUser, isProven } from './proof.ts'
import { NO_APPROVAL, notRun, RESULTS, statusAt } from './rules.ts'
import { answerOf, awaitOutcome } from './standing.ts'
import { type ApprovalRow, approve, type Decided, findApproval, readPayload, refuse } from './store.ts'

/** The caller of an approval's routes: the holder of a runtime's public key, or its owner. */
export interface ApprovalCaller {
  owns(approval: { owner_id: string; runtime_id: string }): boolean
  locate(approval: { runtime_id: string }): CachedRuntime | Promise<CachedRuntime>
}

interface Sought {
  approvalId: string
  approvalKey: string
}

/** `endUser` is who signed in, in place of a token. */
type Decision = ApprovalDecision & Pick<Sought, 'approvalId'> & { endUser?: SignedInUser | undefined }

// A runtime that changes this often during one request is being deployed in a loop.
const MAX_TRIES = 5

/** Where an approval stands. Throws the one 404 for a wrong id, key or caller. */
export async function readApproval(
  deps: ExecutionDeps,
  caller: ApprovalCaller,
  sought: Sought,
): Promise<ApprovalAnswer> {
  return answerOf(deps, await find(deps, caller, sought))
}

/**
 * Approves or declines. Of any number of approvals of the same call, on any number of replicas, one dispatches it, once; the
 * others answer what became of it. Throws the one 404 for a wrong id, key, end user's token or caller.
 */
export async function decideApproval(
  deps: ExecutionDeps,
  { caller, scope }: { caller: ApprovalCaller; scope: ExecutionScope },
  decision: Decision,
): Promise<ApprovalAnswer> {
  const found = await find(deps, caller, decision)
  const endUserToken = decision.endUserToken === undefined ? undefined : new Secret(decision.endUserToken)
  const { endUser } = decision
  requireUser(deps, found, { endUserToken, endUser })
  if (statusAt(found, deps.clock.now()) !== 'pending') return awaitOutcome(deps, found, scope)
  if (!deps.lease.isHeld()) throw databaseAway()
  const cached = await caller.locate(found)
  if (decision.decision === 'decline') {
    await decide(cached, (revision) => refuseAs(deps, found, { status: 'declined', revision, result: null }))
    return awaitOutcome(deps, found, scope)
  }
  const payload = await readPayload(deps.db, found.approval_id)
  if (!payload) return awaitOutcome(deps, found, scope)
  await requireUnchanged(found, payload)
  const decided = await decide(cached, (revision) => {
    // Another endpoint has neither made the preview nor the log that tells a repeated call.
    if (sideOf(cached, found)) return approve(deps.db, { ...decisionOn(deps, found), revision })
    const result = JSON.stringify(notRun(found, RESULTS.moved))
    return refuseAs(deps, found, { status: 'expired', revision, result })
  })
  const runtime = decided === 'decided' ? sideOf(cached, found) : undefined
  if (!runtime) {
    const answer = await awaitOutcome(deps, found, scope)
    // Nobody has decided: this node has just lost its lease, or the execution has not ended.
    if (answer.status === 'pending') throw databaseAway()
    return answer
  }
  deps.metrics.approvals('approved')
  return dispatchApproved(deps, { approval: found, payload, runtime, scope, endUserToken, endUser })
}

/** The runtime as a deployment that serves at the endpoint of the preview. */
function sideOf({ runtime }: CachedRuntime, { endpoint }: ApprovalRow): ServingRuntime | undefined {
  const isServing = (side: ServingRuntime) => side === runtime || (runtime.candidate?.traffic ?? 0) > 0
  return sidesOf(runtime).find((side) => isServing(side) && side.endpoint === endpoint)
}

async function find(deps: ExecutionDeps, caller: ApprovalCaller, { approvalId, approvalKey }: Sought) {
  const found = await findApproval(deps.db, approvalId)
  const isOpened = isProven(deps.keyring, new Secret(approvalKey), found ?? NO_APPROVAL)
  const isTheirs = caller.owns(found ?? NO_APPROVAL)
  if (!found || !isOpened || !isTheirs) throw unknownApproval()
  return found
}

function unknownApproval() {
  return notFound('The approval')
}

function requireUser(
  { keyring }: ExecutionDeps,
  { token_hash: hash, approval_id: approvalId }: ApprovalRow,
  user: Parameters<typeof isHashOfUser>[1],
): void {
  const { endUserToken, endUser } = user
  if (hash !== null && isHashOfUser(keyring, user, hash, approvalId)) return
  if (hash !== null || endUser) throw unknownApproval()
  if (endUserToken) throw invalidField('endUserToken', 'must be left out: the execution had none.')
}

/** The proof covers the hashes; the stored payload and preview must still be theirs. */
async function requireUnchanged(
  { input_hash, preview, preview_hash }: ApprovalRow,
  { input, metadata }: { input: string; metadata: string | null },
): Promise<void> {
  const [ofPayload, ofPreview] = await Promise.all([
    payloadHash(JSON.parse(input), JSON.parse(metadata ?? 'null')),
    previewHash(Preview.parse(JSON.parse(preview))),
  ])
  if (ofPayload !== input_hash || ofPreview !== preview_hash) throw unknownApproval()
}

/** Decides on the runtime as it is in the store: a key that was revoked on another replica decides nothing. */
async function decide(cached: CachedRuntime, attempt: (revision: number) => Promise<Decided>): Promise<Decided> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const decided = await attempt(cached.runtime.revision)
    if (decided !== 'stale') return decided
    await cached.refresh()
  }
  throw internal(new Error(`runtime ${cached.runtime.runtimeId} changed ${MAX_TRIES} times during one decision`))
}

function decisionOn({ clock, lease }: ExecutionDeps, { approval_id, runtime_id }: ApprovalRow) {
  return { approvalId: approval_id, runtimeId: runtime_id, now: clock.now(), nodeId: lease.nodeId }
}

async function refuseAs(
  deps: ExecutionDeps,
  approval: ApprovalRow,
  ended: Pick<Parameters<typeof refuse>[1], 'status' | 'result' | 'revision'>,
): Promise<Decided> {
  const decided = await refuse(deps.db, { ...decisionOn(deps, approval), ...ended })
  if (decided === 'decided') deps.metrics.approvals(ended.status)
  return decided
}
