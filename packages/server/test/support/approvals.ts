import { type ApprovalAnswer, type ExecuteResponse, type PendingApproval, previewHash } from '@svc/contract'
import type { CapabilityScript, OwnerEndpoint, ReceivedCall } from '@svc/testkit'
import type { LightMyRequestResponse } from 'fastify'
import { hashOfUser, keyOf, proofOf } from '../../src/approvals/proof.ts'
import { insertApproval } from '../../src/approvals/store.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { executed, type Scene, type SceneOptions, saying } from './scene.ts'
import { calls, text } from './scripted-model.ts'
import { capability } from './service.ts'

/** What `pay` would do, as its endpoint says. Below 100 it needs nobody. */
export function previewOf(input: Record<string, unknown>) {
  const value = Number(input['value'])
  return { title: `Pay ${value}`, amount: { value, currency: 'EUR' }, confirm: value >= 100 }
}

/** An endpoint that answers previews, pays, and refuses what was not approved as it is now. */
export const pay: CapabilityScript = async (call) => {
  if (call.mode === 'preview') return { output: previewOf(call.input) }
  const now = previewOf(call.input)
  if (now.confirm && call.approvalId === undefined) return { error: { message: 'Not approved.' } }
  if (call.approvalId !== undefined && call.previewHash !== (await previewHash(now))) {
    return { error: { message: 'The price has changed.' } }
  }
  return { output: { paid: now.amount.value } }
}

const inputSchema = {
  type: 'object',
  required: ['value'],
  properties: { value: { type: 'number' }, to: { type: 'string' } },
}

function paying(name: string, fields: Record<string, unknown>) {
  return capability(name, { actions: [{ name, inputSchema }], confirm: true, ...fields })
}

/** A runtime with `pay`, `send`, which has no preview of its own, and `echo`, which needs nobody. */
export const APPROVING: SceneOptions = {
  tier: 'enterprise',
  handle: { pay, send: (call) => ({ output: { sent: call.input['value'] } }) },
  manifest: {
    capabilities: [
      capability('echo'),
      paying('pay', { preview: true, effect: 'destructive' }),
      paying('send', { description: 'Sends an amount.' }),
    ],
  },
}

/** The calls that reached a capability, without those that asked for a preview. */
export function dispatched({ effects }: Pick<OwnerEndpoint, 'effects'>, callId?: string): ReceivedCall[] {
  return effects.filter((call) => call.mode === undefined && (callId === undefined || call.callId === callId))
}

/** An execute in which the model asks for these calls. */
export async function executeCalls(
  scene: Scene,
  requested: Parameters<typeof calls>,
  body: object = {},
): Promise<ExecuteResponse> {
  scene.service.model.say(calls(...requested), text('Done.'))
  return executed(await scene.execute({ ...saying(), ...body }))
}

/** A pending approval of a payment. */
export async function askToPay(scene: Scene, body: object = {}, value = 250): Promise<PendingApproval> {
  const answer = await executeCalls(scene, [{ name: 'pay', input: { value } }], body)
  const [approval] = answer.approvals ?? []
  if (!approval) throw new Error(`no approval was asked for: ${JSON.stringify(answer)}`)
  return approval
}

/** Where a decision is sent from. */
export interface DecideOptions {
  by?: 'page' | 'owner'
  key?: string
  approvalId?: string
}

/** Sends a decision with the approval's key, or with what the body has in its place. */
export function decide(
  { service, runtime, owner }: Scene,
  { approvalId, approvalKey }: Pick<PendingApproval, 'approvalId' | 'approvalKey'>,
  body: Record<string, unknown> = {},
  { by = 'page', ...options }: DecideOptions = {},
): Promise<LightMyRequestResponse> {
  const path = by === 'page' ? '/v1/runtime/approvals' : '/v1/executions/approvals'
  const key = options.key ?? (by === 'page' ? runtime.publicKey : owner.apiKey)
  const sent = { decision: 'approve', approvalKey, ...body }
  return service.send('POST', `${path}/${encodeURIComponent(options.approvalId ?? approvalId)}`, { key, body: sent })
}

/** The answer to a decision, which must have been 200. */
export function decided(answer: LightMyRequestResponse): ApprovalAnswer {
  if (answer.statusCode !== 200) throw new Error(`the decision answered ${answer.statusCode}: ${answer.body}`)
  return answer.json()
}

/** Where an approval stands. */
export function standing(
  { service, runtime, owner }: Scene,
  { approvalId, approvalKey }: Pick<PendingApproval, 'approvalId' | 'approvalKey'>,
  by: 'page' | 'owner' = 'page',
  otherKey?: string,
): Promise<LightMyRequestResponse> {
  const [path, own] =
    by === 'page' ? ['/v1/runtime/approvals', runtime.publicKey] : ['/v1/executions/approvals', owner.apiKey]
  const key = otherKey ?? own
  return service.send('GET', `${path}/${approvalId}`, { key, headers: { 'x-svc-approval-key': approvalKey } })
}

/** The id of the one approval that {@link letApprovalWait} makes in a scene. */
export function waitingId({ runtime }: Pick<Scene, 'runtime'>): string {
  return `apr_${runtime.runtimeId.replace(/[^0-9A-Za-z]/g, '')}`
}

export function waitingKey(scene: Pick<Scene, 'runtime' | 'service'>): string {
  return keyOf(scene.service.deps.keyring, waitingId(scene)).reveal()
}

/** Stores an approval that may be declined, without an execution that asked for it. Its end user has {@link WAITING_USER}. */
export async function letApprovalWait(scene: Scene): Promise<void> {
  const { keyring, clock } = scene.service.deps
  const approvalId = waitingId(scene)
  const terms = {
    ...{ approval_id: approvalId, owner_id: scene.owner.ownerId, runtime_id: scene.runtime.runtimeId },
    ...{ execution_id: 'exec_1', call_id: 'call_1', capability: 'echo', deployment_version: 1 },
    ...{ endpoint: scene.endpoint.url, input_hash: '0'.repeat(64), preview_hash: '0'.repeat(64) },
    token_hash: hashOfUser(keyring, { endUserToken: new Secret(WAITING_USER) }, approvalId),
    expires_at: clock.now() + 60_000,
  }
  const row = {
    ...terms,
    ...{ effect: 'write' as const, step: 0, ordinal: 0, status: 'pending' as const, created_at: clock.now() },
    ...{ input: '{}', preview: '{"title":"Echo"}', proof: proofOf(keyring, new Secret(waitingKey(scene)), terms) },
  }
  await insertApproval(scene.database.db, row, { maxPending: 1_000, bytes: 0 })
}

export const WAITING_USER = 'token-of-whom-is-asked'
