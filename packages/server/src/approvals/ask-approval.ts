import {
  canonicalDigest,
  DEFAULT_EFFECT,
  type ExecutionKind,
  type JsonObject,
  type PendingApproval,
  Preview,
  previewHash,
} from '@svc/contract'
import type { AgentCall } from '../agent/agent-event.ts'
import type { JudgeCall, Judgement } from '../agent/run-calls.ts'
import type { CallResult } from '../dispatch/call-result.ts'
import { redactorOf } from '../dispatch/redact.ts'
import type { ExecutionDeps } from '../executions/deps.ts'
import type { ExecutionScope } from '../executions/running.ts'
import { interruptedResult, type SendingExecution, sendCall } from '../executions/send-call.ts'
import type { NewRow } from '../executions/settlement-rules.ts'
import { isoTime } from '../lib/clock.ts'
import { EMPTY_OBJECT, type JsonDocument } from '../lib/json-document.ts'
import { ANONYMOUS_SHARE } from '../limits.ts'
import type { ServingCapability } from '../runtimes/serving-runtime.ts'
import { textBytes } from '../usage/stored-bytes-rules.ts'
import { expireSome } from './approved-call-store.ts'
import { approvalsOfExecution } from './list-store.ts'
import { hashOfUser, keyAgain, keyOf, proofOf } from './proof.ts'
import { APPROVALS_PER_EXECUTION, previewOfInput, RESULTS } from './rules.ts'
import { findApproval, insertApproval, type NewApproval } from './store.ts'

export interface ApprovalRequests {
  judge: JudgeCall
  /** The approvals, in the order of their calls. */
  asked(): PendingApproval[]
  /** Ends them: nobody will be told of them. */
  withdraw(): Promise<void>
}

type AskingExecution = SendingExecution & { row: Pick<NewRow, 'trafficSetAt'>; request: { kind: ExecutionKind } }

interface Asking {
  admitted: AskingExecution
  scope: ExecutionScope
}

export function createApprovalRequests(deps: ExecutionDeps, asking: Asking): ApprovalRequests {
  const asked: PendingApproval[] = []
  let left = APPROVALS_PER_EXECUTION
  const judge: JudgeCall = async (call) => {
    const { deployment } = asking.admitted.runtime
    const capability = deployment?.capabilities.get(call.capability)
    if (!deployment || !capability?.confirm) return null
    const startedAt = deps.clock.now()
    const judged = (kind: Judgement['kind'], message: string): Judgement => {
      return { kind, result: { ok: false, message, durationMs: Math.max(0, deps.clock.now() - startedAt) } }
    }
    if (!deps.lease.isHeld()) return { kind: 'refused', result: interruptedResult() }
    const payload = await storedPayload(deps, asking.admitted, call.input)
    if ('problem' in payload) return judged('refused', payload.problem)
    const made = await makePreview(deps, asking, capability, call)
    if (!made.ok) return { kind: 'failed', result: made.failure }
    if (made.preview.confirm === false) return null
    if (left === 0) return judged('refused', RESULTS.tooMany)
    left -= 1
    const terms = { call, ...payload, preview: made.preview, version: deployment.version }
    const pending = await store(deps, asking.admitted, terms)
    if (pending === null) return judged('refused', RESULTS.full)
    asked.push(pending)
    deps.metrics.approvals('asked')
    return judged('waits', RESULTS.waits)
  }
  return {
    judge,
    asked: () => asked.toSorted((a, b) => (a.callId < b.callId ? -1 : 1)),
    async withdraw() {
      const ids = asked.map(({ approvalId }) => approvalId)
      if (ids.length === 0) return
      deps.metrics.approvals('expired', await expireSome(deps.db, { ids }, ids.length))
    },
  }
}

/** The hash of input and metadata, which are stored until somebody decides; or why they cannot be stored. */
async function storedPayload(
  { limits }: Pick<ExecutionDeps, 'limits'>,
  { request }: SendingExecution,
  input: JsonDocument<JsonObject>,
): Promise<{ inputHash: string } | { problem: string }> {
  if (input.bytes > limits.storedBytes) {
    const problem = `The call was not made: a call that a person approves takes an input of ${limits.storedBytes} bytes at most.`
    return { problem }
  }
  const { metadata = EMPTY_OBJECT, endUserToken } = request
  const redactor = redactorOf(endUserToken)
  // The service stores no token.
  if ([input, metadata].some(({ text }) => redactor.jsonText(text) !== text)) return { problem: RESULTS.holdsToken }
  const inputHash = await payloadHash(input.value, metadata.value).catch(() => null)
  return inputHash === null ? { problem: RESULTS.unwritable } : { inputHash }
}

type MadePreview = { ok: true; preview: Preview } | { ok: false; failure: CallResult }

async function makePreview(
  deps: ExecutionDeps,
  asking: Asking,
  capability: ServingCapability,
  call: AgentCall,
): Promise<MadePreview> {
  if (!capability.preview) {
    const tool = asking.admitted.runtime.deployment?.tools.find(({ name }) => name === capability.name)
    const described = { ...capability, inputSchema: tool?.inputSchema ?? null }
    return { ok: true, preview: previewOfInput(described, call.input.value) }
  }
  const answer = await sendCall(deps, asking, { ...call, mode: 'preview' })
  if (!answer.ok) return { ok: false, failure: answer }
  const parsed = Preview.safeParse(answer.output.value)
  if (parsed.success && answer.redacted === answer.output) return { ok: true, preview: parsed.data }
  const message = 'The endpoint gave a preview that cannot be shown to a person. The call was not made.'
  return { ok: false, failure: { ok: false, message, durationMs: answer.durationMs } }
}

/** Stores the approval, and returns it with its key; null where the account has as many as it may. */
async function store(
  deps: ExecutionDeps,
  { runtime, executionId, row: asking, request }: AskingExecution,
  { call, inputHash, preview, version }: { call: AgentCall; inputHash: string; preview: Preview; version: number },
): Promise<PendingApproval | null> {
  const { keyring, clock, limits } = deps
  const [approvalId, now] = [deps.newId('approval'), clock.now()]
  const key = keyOf(keyring, approvalId)
  const { metadata = EMPTY_OBJECT } = request
  const terms = {
    approval_id: approvalId,
    owner_id: runtime.ownerId,
    runtime_id: runtime.runtimeId,
    execution_id: executionId,
    call_id: call.callId,
    capability: call.capability,
    deployment_version: version,
    endpoint: runtime.endpoint ?? '',
    input_hash: inputHash,
    preview_hash: await previewHash(preview),
    token_hash: hashOfUser(keyring, request, approvalId),
    expires_at: now + limits.approvalMs,
  }
  const row: NewApproval = {
    ...terms,
    effect: runtime.deployment?.capabilities.get(call.capability)?.effect ?? DEFAULT_EFFECT,
    ...{ step: call.step, ordinal: call.ordinal, status: 'pending', created_at: now, share: asking.trafficSetAt },
    ...{ input: call.input.text, metadata: metadata.text, preview: JSON.stringify(preview) },
    proof: proofOf(keyring, key, terms),
  }
  const bytes = textBytes([row.input, row.metadata ?? null, row.preview])
  // Anonymous callers may ask only while few approvals wait: the others are for the account's own users.
  const share = request.kind === 'broker' ? ANONYMOUS_SHARE : 1
  const maxPending = Math.ceil(limits.pendingApprovals * share)
  if (!(await insertApproval(deps.db, row, { maxPending, bytes }))) return null
  deps.storage.add(runtime.ownerId, bytes)
  const { callId, capability } = call
  return { approvalId, approvalKey: key.reveal(), callId, capability, preview, expiresAt: isoTime(terms.expires_at) }
}

/** What an execution of one call asked for, as it was told when it ended; null where the stored terms were altered. */
export async function askedAgain(
  { db, keyring }: Pick<ExecutionDeps, 'db' | 'keyring'>,
  ownerId: string,
  executionId: string,
): Promise<PendingApproval | null> {
  const [first] = await approvalsOfExecution(db, ownerId, executionId)
  const row = first ? await findApproval(db, first.approval_id) : null
  const key = row && keyAgain(keyring, row)
  if (!row || !key) return null
  return {
    approvalId: row.approval_id,
    approvalKey: key.reveal(),
    callId: row.call_id,
    capability: row.capability,
    preview: Preview.parse(JSON.parse(row.preview)),
    expiresAt: isoTime(row.expires_at),
  }
}

/** The hash of what is sent once the call is approved. Rejects for half a character, which has no canonical form. */
export function payloadHash(input: JsonObject, metadata: JsonObject): Promise<string> {
  return canonicalDigest([input, metadata])
}
