import { randomUUID } from 'node:crypto'
import { isJsonObject, type Role } from '@svc/contract'
import type { InjectOptions } from 'fastify'
import { insertDeviceLogin } from '../../src/accounts/device-login-store.ts'
import { insertMember } from '../../src/accounts/member-store.ts'
import { putResetLink } from '../../src/accounts/password-store.ts'
import { insertCheckout } from '../../src/billing/store.ts'
import { inTransaction } from '../../src/store/transaction.ts'
import { resumeKeyOf } from '../../src/streams/resume-key-rules.ts'
import { executionRow } from '../store/rows.ts'
import { letApprovalWait, WAITING_USER, waitingId, waitingKey } from '../support/approvals.ts'
import { firstMember, letInvitationWait } from '../support/members.ts'
import type { Scene } from '../support/scene.ts'
import { PASSWORD } from '../support/service.ts'
import { appCode, giveSecondFactor } from '../support/two-factor.ts'

/** A route that takes a body: a body that it accepts, and what it must say of others. */
export interface BodyRoute {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  key(scene: Scene): string | undefined
  /** What it needs in its headers, beside the key. */
  headers?(scene: Scene): Record<string, string>
  /** Makes what the body names, where a scene has none of it. */
  prepare?(scene: Scene): Promise<void>
  /** Uses every field that the route knows. */
  body(scene: Scene): Record<string, unknown>
  /** Every field by its dotted path, with its type. */
  fields: Readonly<Record<string, FieldType>>
  required: readonly string[]
  /** No field is required, but one of them is: a body without any is a fault of the body. */
  needsOne?: true
  /** Objects in which a field that is not known is refused, by dotted path; '' is the body itself. */
  strict: readonly string[]
  /** The largest body that it takes, where that is not a MiB. */
  maxBodyBytes?: number
}

type FieldType = 'string' | 'string or null' | 'number or null' | 'object' | 'array' | 'boolean' | 'number'

const MESSAGES = [
  { role: 'user', parts: [{ type: 'text', content: 'Which shoes are there?' }] },
  { role: 'assistant', parts: [{ type: 'tool_call', id: 'call_1', name: 'echo', input: { text: 'shoes' } }] },
  { role: 'tool', parts: [{ type: 'tool_result', toolCallId: 'call_1', name: 'echo', output: { text: 'shoes' } }] },
]

const MESSAGE_FIELDS = {
  messages: 'array',
  'messages.0': 'object',
  'messages.0.role': 'string',
  'messages.0.parts': 'array',
  'messages.0.parts.0': 'object',
  'messages.0.parts.0.type': 'string',
  'messages.0.parts.0.content': 'string',
  'messages.1.parts.0.id': 'string',
  'messages.1.parts.0.name': 'string',
  'messages.1.parts.0.input': 'object',
  'messages.2.parts.0.toolCallId': 'string',
  'messages.2.parts.0.name': 'string',
  metadata: 'object',
} as const

const MESSAGES_REQUIRED = Object.keys(MESSAGE_FIELDS).filter((path) => path !== 'metadata' && !/\d$/.test(path))

const MANIFEST = {
  schemaVersion: 2,
  capabilities: [
    {
      name: 'echo',
      version: '1.0.0',
      description: 'Says it again.',
      requiresEndUser: false,
      actions: [{ name: 'echo', inputSchema: { type: 'object' }, outputSchema: { type: 'object' } }],
      deprecated: true,
      deprecatedSince: '0.9.0',
      removalNotBefore: '2.0.0',
    },
  ],
  runtime: { sdkVersion: '1.0.0' },
  endpoint: 'https://shop.example.com/svc',
  website: { name: 'Shop', description: 'Shoes.', url: 'https://shop.example.com', contact: 'help@shop.example.com' },
  adp: { namespace: 'com.example.shop', id: 'urn:shop' },
  agent: { instructions: 'Be kind.' },
  metadata: { cliVersion: '1.0.0' },
}

const USER_CODE = 'BBBBBBBB'

/** Two-factor sign-in is off: no code is judged. */
const GIVEN_AGAIN = { password: PASSWORD, code: '000000' }

/** Every route that takes a body. */
export const BODY_ROUTES: readonly BodyRoute[] = [
  {
    method: 'POST',
    path: '/v1/runtimes',
    key: ({ owner }) => owner.apiKey,
    body: ({ runtime: { runtimeId, projectId } }) => {
      return { runtimeId, name: 'Shop', version: '1.0.0', projectId, endpoint: 'https://shop.example.com/svc' }
    },
    fields: { runtimeId: 'string', name: 'string', version: 'string', projectId: 'string', endpoint: 'string' },
    required: ['name'],
    strict: [''],
  },
  {
    method: 'PUT',
    path: '/v1/runtimes/:runtimeId/allowed-origins',
    key: ({ owner }) => owner.apiKey,
    body: () => ({ origins: ['https://shop.example.com'] }),
    fields: { origins: 'array', 'origins.0': 'string' },
    required: ['origins'],
    strict: [''],
  },
  {
    method: 'POST',
    path: '/v1/runtimes/:runtimeId/reveal-key',
    key: ({ owner }) => owner.apiKey,
    body: () => ({ type: 'deploy' }),
    fields: { type: 'string' },
    required: ['type'],
    strict: [''],
  },
  {
    method: 'POST',
    path: '/v1/runtimes/:runtimeId/rotate-key',
    key: ({ owner }) => owner.apiKey,
    body: () => ({ type: 'public', graceSeconds: 60 }),
    fields: { type: 'string', graceSeconds: 'number' },
    required: ['type'],
    strict: [''],
  },
  {
    method: 'POST',
    path: '/v1/runtimes/:runtimeId/revoke-key',
    key: ({ owner }) => owner.apiKey,
    body: () => ({ type: 'public' }),
    fields: { type: 'string' },
    required: ['type'],
    strict: [''],
  },
  {
    method: 'POST',
    path: '/v1/runtimes/:runtimeId/rotate-secret',
    key: ({ owner }) => owner.apiKey,
    body: () => ({ graceSeconds: 60 }),
    fields: { graceSeconds: 'number' },
    required: [],
    strict: [''],
  },
  {
    method: 'POST',
    path: '/v1/runtime/doctor',
    key: ({ runtime }) => runtime.deployKey,
    body: () => ({ endpoint: 'http://127.0.0.1:9/svc' }),
    fields: { endpoint: 'string' },
    required: [],
    strict: [''],
  },
  {
    method: 'POST',
    path: '/v1/runtimes/:runtimeId/doctor',
    key: ({ owner }) => owner.apiKey,
    body: () => ({ endpoint: 'http://127.0.0.1:9/svc' }),
    fields: { endpoint: 'string' },
    required: [],
    strict: [''],
  },
  {
    method: 'POST',
    path: '/v1/deployments/:version/promote',
    key: ({ runtime }) => runtime.deployKey,
    prepare: deployTwice,
    body: () => ({ traffic: 5 }),
    fields: { traffic: 'number' },
    required: [],
    strict: [''],
  },
  {
    method: 'POST',
    path: '/v1/runtimes/:runtimeId/deployments/:version/promote',
    key: ({ owner }) => owner.apiKey,
    prepare: deployTwice,
    body: () => ({ traffic: 5 }),
    fields: { traffic: 'number' },
    required: [],
    strict: [''],
  },
  {
    method: 'POST',
    path: '/v1/auth/sign-up',
    key: () => undefined,
    body: () => ({ email: `${randomUUID()}@example.com`, password: PASSWORD }),
    fields: { email: 'string', password: 'string' },
    required: ['email', 'password'],
    strict: [''],
    maxBodyBytes: 8_192,
  },
  {
    method: 'POST',
    path: '/v1/auth/sign-in',
    key: () => undefined,
    body: ({ owner }) => ({ email: owner.email, password: PASSWORD, code: '123456' }),
    fields: { email: 'string', password: 'string', code: 'string' },
    required: ['email', 'password'],
    strict: [''],
    maxBodyBytes: 8_192,
  },
  {
    method: 'POST',
    path: '/v1/auth/password-reset',
    key: () => undefined,
    body: ({ owner }) => ({ email: owner.email }),
    fields: { email: 'string' },
    required: ['email'],
    strict: [''],
    maxBodyBytes: 8_192,
  },
  {
    method: 'POST',
    path: '/v1/auth/password-reset/confirm',
    key: () => undefined,
    prepare: letLinkWait,
    body: ({ owner }) => ({ token: `link-of-${owner.ownerId}`, password: PASSWORD, revokeKeys: false }),
    fields: { token: 'string', password: 'string', revokeKeys: 'boolean' },
    required: ['token', 'password'],
    strict: [''],
    maxBodyBytes: 8_192,
  },
  {
    method: 'POST',
    path: '/v1/auth/invitation',
    key: () => undefined,
    prepare: letJoin,
    body: ({ owner }) => ({ token: `join-${owner.ownerId}` }),
    fields: { token: 'string' },
    required: ['token'],
    strict: [''],
    maxBodyBytes: 8_192,
  },
  {
    method: 'POST',
    path: '/v1/auth/invitation/accept',
    key: () => undefined,
    prepare: letJoin,
    body: ({ owner }) => ({ token: `join-${owner.ownerId}`, password: PASSWORD }),
    fields: { token: 'string', password: 'string' },
    required: ['token', 'password'],
    strict: [''],
    maxBodyBytes: 8_192,
  },
  {
    method: 'POST',
    path: '/v1/auth/totp',
    key: ({ session }) => session,
    body: () => ({ password: PASSWORD }),
    fields: { password: 'string' },
    required: ['password'],
    strict: [''],
  },
  {
    method: 'POST',
    path: '/v1/auth/totp/confirm',
    key: ({ session }) => session,
    prepare: (scene) => giveSecondFactor(scene, { isOn: false }),
    body: ({ service }) => ({ code: appCode(service) }),
    fields: { code: 'string' },
    required: ['code'],
    strict: [''],
  },
  {
    method: 'DELETE',
    path: '/v1/auth/totp',
    key: ({ session }) => session,
    prepare: (scene) => giveSecondFactor(scene, { isOn: true }),
    body: ({ service }) => ({ password: PASSWORD, code: appCode(service) }),
    fields: { password: 'string', code: 'string' },
    required: ['password', 'code'],
    strict: [''],
  },
  {
    method: 'POST',
    path: '/v1/auth/device',
    key: () => undefined,
    body: () => ({ machine: 'ada-laptop' }),
    fields: { machine: 'string' },
    required: ['machine'],
    strict: [''],
    maxBodyBytes: 8_192,
  },
  {
    method: 'POST',
    path: '/v1/auth/device/token',
    key: () => undefined,
    prepare: letDeviceWait,
    body: ({ owner }) => ({ deviceCode: `code-of-${owner.ownerId}` }),
    fields: { deviceCode: 'string' },
    required: ['deviceCode'],
    strict: [''],
    maxBodyBytes: 8_192,
  },
  {
    method: 'PUT',
    path: '/v1/runtime/executions/:executionId/feedback',
    key: ({ runtime }) => runtime.publicKey,
    headers: ratedKey,
    prepare: letRatedEnd,
    body: () => ({ value: 1 }),
    fields: { value: 'number or null' },
    required: ['value'],
    strict: [''],
  },
  {
    method: 'POST',
    path: '/v1/runtime/approvals/:approvalId',
    key: ({ runtime }) => runtime.publicKey,
    prepare: letApprovalWait,
    body: (scene) => ({ decision: 'decline', approvalKey: waitingKey(scene), endUserToken: WAITING_USER }),
    fields: { decision: 'string', approvalKey: 'string', endUserToken: 'string' },
    required: ['decision', 'approvalKey'],
    strict: [''],
  },
  {
    method: 'POST',
    path: '/v1/executions/approvals/:approvalId',
    key: ({ owner }) => owner.apiKey,
    prepare: letApprovalWait,
    body: (scene) => ({ decision: 'decline', approvalKey: waitingKey(scene), endUserToken: WAITING_USER }),
    fields: { decision: 'string', approvalKey: 'string', endUserToken: 'string' },
    required: ['decision', 'approvalKey'],
    strict: [''],
  },
  {
    method: 'POST',
    path: '/v1/account/devices/:userCode',
    key: ({ session }) => session,
    prepare: letDeviceWait,
    body: () => ({ status: 'denied' }),
    fields: { status: 'string' },
    required: ['status'],
    strict: [''],
  },
  {
    method: 'POST',
    path: '/v1/account/password',
    key: ({ session }) => session,
    body: () => ({ currentPassword: PASSWORD, newPassword: 'another battery, a staple' }),
    fields: { currentPassword: 'string', newPassword: 'string' },
    required: ['currentPassword', 'newPassword'],
    strict: [''],
  },
  {
    method: 'POST',
    path: '/v1/account/keys',
    key: ({ owner }) => owner.apiKey,
    body: () => ({ name: 'Continuous integration', role: 'developer' }),
    fields: { name: 'string', role: 'string' },
    required: ['name'],
    strict: [''],
  },
  {
    method: 'PATCH',
    path: '/v1/account/members/:memberId',
    key: ({ session }) => session,
    prepare: addMember,
    body: () => ({ role: 'developer', ...GIVEN_AGAIN }),
    fields: { role: 'string', password: 'string', code: 'string' },
    required: ['role'],
    strict: [''],
  },
  {
    method: 'DELETE',
    path: '/v1/account/members/:memberId',
    key: ({ session }) => session,
    prepare: addMember,
    body: () => ({ ...GIVEN_AGAIN }),
    fields: { password: 'string', code: 'string' },
    required: [],
    strict: [''],
  },
  {
    method: 'POST',
    path: '/v1/account/leave',
    key: ({ session }) => session,
    prepare: addOwner,
    body: () => ({ ...GIVEN_AGAIN }),
    fields: { password: 'string', code: 'string' },
    required: ['password'],
    strict: [''],
  },
  {
    method: 'POST',
    path: '/v1/account/invitations',
    key: ({ session }) => session,
    body: ({ owner }) => ({ email: `${owner.ownerId}@invited.example.com`, role: 'viewer', ...GIVEN_AGAIN }),
    fields: { email: 'string', role: 'string', password: 'string', code: 'string' },
    required: ['email', 'role'],
    strict: [''],
  },
  {
    method: 'POST',
    path: '/v1/webhooks',
    key: ({ owner }) => owner.apiKey,
    body: () => ({ url: 'https://shop.example.com/hook', events: ['key.revealed'] }),
    fields: { url: 'string', events: 'array', 'events.0': 'string' },
    required: ['url', 'events'],
    strict: [''],
  },
  {
    method: 'POST',
    path: '/v1/deployments',
    key: ({ runtime }) => runtime.deployKey,
    body: () => ({
      manifest: MANIFEST,
      promote: false,
      traffic: 0,
      source: { author: 'Ada', commit: '1f0c7ab2', dirty: true },
    }),
    fields: {
      source: 'object',
      'source.author': 'string',
      'source.commit': 'string',
      'source.dirty': 'boolean',
      promote: 'boolean',
      traffic: 'number',
      manifest: 'object',
      'manifest.schemaVersion': 'number',
      'manifest.capabilities': 'array',
      'manifest.capabilities.0': 'object',
      'manifest.capabilities.0.name': 'string',
      'manifest.capabilities.0.version': 'string',
      'manifest.capabilities.0.description': 'string',
      'manifest.capabilities.0.requiresEndUser': 'boolean',
      'manifest.capabilities.0.actions': 'array',
      'manifest.capabilities.0.actions.0': 'object',
      'manifest.capabilities.0.actions.0.name': 'string',
      'manifest.capabilities.0.actions.0.inputSchema': 'object',
      'manifest.capabilities.0.actions.0.outputSchema': 'object',
      'manifest.capabilities.0.deprecated': 'boolean',
      'manifest.capabilities.0.deprecatedSince': 'string',
      'manifest.capabilities.0.removalNotBefore': 'string',
      'manifest.runtime': 'object',
      'manifest.runtime.sdkVersion': 'string',
      'manifest.endpoint': 'string',
      'manifest.website': 'object',
      'manifest.website.name': 'string',
      'manifest.website.description': 'string',
      'manifest.website.url': 'string',
      'manifest.website.contact': 'string',
      'manifest.adp': 'object',
      'manifest.adp.namespace': 'string',
      'manifest.adp.id': 'string',
      'manifest.agent': 'object',
      'manifest.agent.instructions': 'string',
      'manifest.metadata': 'object',
    },
    required: [
      'manifest',
      'manifest.schemaVersion',
      'manifest.capabilities',
      'manifest.capabilities.0.name',
      'manifest.capabilities.0.version',
      'manifest.capabilities.0.deprecatedSince',
      'manifest.capabilities.0.actions.0.name',
      'manifest.website.name',
      'manifest.adp.namespace',
    ],
    strict: [
      '',
      'source',
      'manifest',
      'manifest.capabilities.0',
      'manifest.capabilities.0.actions.0',
      'manifest.runtime',
      'manifest.website',
      'manifest.adp',
      'manifest.agent',
    ],
  },
  {
    method: 'POST',
    path: '/v1/projects',
    key: ({ owner }) => owner.apiKey,
    body: () => ({ name: 'Shops', description: 'All that sell.' }),
    fields: { name: 'string', description: 'string or null' },
    required: ['name'],
    strict: [''],
  },
  {
    method: 'PATCH',
    path: '/v1/projects/:projectId',
    key: ({ owner }) => owner.apiKey,
    body: () => ({ name: 'Shops', description: 'All that sell.' }),
    fields: { name: 'string', description: 'string or null' },
    required: [],
    needsOne: true,
    strict: [''],
  },
  {
    method: 'DELETE',
    path: '/v1/runtimes/:runtimeId',
    key: ({ owner }) => owner.apiKey,
    body: () => ({ confirm: 'Shop' }),
    fields: { confirm: 'string' },
    required: ['confirm'],
    strict: [''],
  },
  {
    method: 'DELETE',
    path: '/v1/projects/:projectId',
    key: ({ owner }) => owner.apiKey,
    prepare: leaveProject,
    body: () => ({ confirm: 'Default' }),
    fields: { confirm: 'string' },
    required: ['confirm'],
    strict: [''],
  },
  {
    method: 'DELETE',
    path: '/v1/account',
    key: ({ session }) => session,
    body: ({ owner }) => ({ confirm: owner.email, password: PASSWORD, cancelSubscription: false }),
    fields: { confirm: 'string', password: 'string', cancelSubscription: 'boolean' },
    required: ['confirm', 'password'],
    strict: [''],
  },
  {
    method: 'POST',
    path: '/v1/billing/checkout',
    key: ({ owner }) => owner.apiKey,
    body: () => ({ tier: 'pro', successUrl: 'https://shop.example.com/paid', cancelUrl: 'https://shop.example.com/' }),
    fields: { tier: 'string', successUrl: 'string', cancelUrl: 'string' },
    required: ['tier', 'successUrl', 'cancelUrl'],
    strict: [''],
  },
  {
    method: 'POST',
    path: '/v1/billing/verify',
    key: ({ owner }) => owner.apiKey,
    prepare: async ({ database, service, owner }) => {
      const row = { owner_id: owner.ownerId, checkout_id: `chk_${owner.ownerId}`, tier: 'pro' } as const
      const payment = { provider: 'test', provider_ref: row.checkout_id, status: 'pending' } as const
      const urls = { success_url: 'https://shop.example.com/paid', cancel_url: 'https://shop.example.com/' }
      const now = service.clock.now()
      await insertCheckout(database.db, { ...row, ...payment, ...urls, created_at: now, expires_at: now + 60_000 })
    },
    body: ({ owner }) => ({ checkoutId: `chk_${owner.ownerId}` }),
    fields: { checkoutId: 'string' },
    required: ['checkoutId'],
    strict: [''],
  },
  {
    method: 'POST',
    path: '/v1/executions',
    key: ({ owner }) => owner.apiKey,
    body: ({ runtime }) => ({ runtimeId: runtime.runtimeId, messages: MESSAGES, metadata: { page: '/shoes' } }),
    fields: { runtimeId: 'string', ...MESSAGE_FIELDS },
    required: ['runtimeId', ...MESSAGES_REQUIRED],
    strict: [],
  },
  {
    method: 'POST',
    path: '/v1/runtime/execute',
    key: ({ runtime }) => runtime.publicKey,
    body: () => ({ messages: MESSAGES, metadata: { page: '/shoes' }, endUserToken: 'token' }),
    fields: { ...MESSAGE_FIELDS, endUserToken: 'string' },
    required: MESSAGES_REQUIRED,
    strict: [],
  },
  {
    method: 'POST',
    path: '/v1/runtime/capability',
    key: ({ runtime }) => runtime.publicKey,
    body: () => ({ capability: 'echo', input: { text: 'shoes' }, metadata: { page: '/shoes' }, endUserToken: 'token' }),
    fields: {
      capability: 'string',
      input: 'object',
      'input.text': 'string',
      metadata: 'object',
      endUserToken: 'string',
    },
    required: ['capability'],
    strict: [],
  },
  {
    method: 'POST',
    path: '/v1/capabilities/:runtimeId/:capability',
    key: () => undefined,
    body: () => ({ input: { text: 'shoes' }, metadata: { page: '/shoes' }, endUserToken: 'token' }),
    fields: { input: 'object', 'input.text': 'string', metadata: 'object', endUserToken: 'string' },
    required: [],
    strict: [],
  },
]

/** Empties the project of the scene's runtime, which then is not the default one any more. */
async function leaveProject({ database: { db }, service, owner, runtime }: Scene): Promise<void> {
  const { projectId } = (
    await service.send('POST', '/v1/projects', { key: owner.apiKey, body: { name: 'Shops' } })
  ).json()
  const { runtimeId, projectId: left } = runtime
  await service.send('POST', '/v1/runtimes', { key: owner.apiKey, body: { runtimeId, name: 'Shop', projectId } })
  await db.updateTable('projects').set({ is_default: 0 }).where('project_id', '=', left).execute()
}

/** Lets a device wait that polls with a code of this owner's, under the user code of all requests. */
async function deployTwice({ service, runtime }: Scene): Promise<void> {
  const body = { manifest: { ...MANIFEST, endpoint: undefined } }
  await service.send('POST', '/v1/deployments', { key: runtime.deployKey, body })
}

const ratedId = ({ owner }: Scene) => `exec_rated_${owner.ownerId}`

function ratedKey(scene: Scene): Record<string, string> {
  const { runtimeId } = scene.runtime
  return { 'x-svc-resume-key': resumeKeyOf(scene.service.deps.keyring, { runtimeId, executionId: ratedId(scene) }) }
}

async function letRatedEnd(scene: Scene): Promise<void> {
  const { runtimeId: runtime_id, projectId: project_id } = scene.runtime
  const ids = { owner_id: scene.owner.ownerId, execution_id: ratedId(scene), runtime_id, project_id }
  const completed_at = scene.service.clock.now()
  const row = executionRow({ ...ids, status: 'completed', finish_reason: 'stop', node_id: null, completed_at })
  await scene.database.db.insertInto('executions').values(row).execute()
}

async function letLinkWait({ database, service, owner }: Scene): Promise<void> {
  const token_hash = service.deps.keyring.hash(`password-reset:link-of-${owner.ownerId}`)
  const { memberId: member_id } = await firstMember(service, owner)
  const expires_at = service.clock.now() + 60_000
  await putResetLink(database.db, { member_id, owner_id: owner.ownerId, token_hash, expires_at })
}

async function letJoin({ service, owner }: Scene): Promise<void> {
  await letInvitationWait(service, owner, { role: 'developer', token: `join-${owner.ownerId}` })
}

function addMember(scene: Scene): Promise<void> {
  return addWith(scene, 'viewer')
}

function addOwner(scene: Scene): Promise<void> {
  return addWith(scene, 'owner')
}

async function addWith({ database, service, owner: { ownerId } }: Scene, role: Role): Promise<void> {
  const who = { memberId: `mem_of_${ownerId}`, email: `member-of-${ownerId.toLowerCase()}@example.com` }
  const member = { ...who, ownerId, role, joinedAt: service.clock.now() }
  await inTransaction(database.db, (tx) => insertMember(tx, member))
}

async function letDeviceWait({ database, service, owner }: Scene): Promise<void> {
  const { keyring } = service.deps
  await insertDeviceLogin(database.db, {
    device_hash: keyring.hash(`device-code:code-of-${owner.ownerId}`),
    user_hash: keyring.hash(`user-code:${USER_CODE}`),
    ...{ machine: 'ada-laptop', network: '192.0.2.1', status: 'pending' },
    ...{ requested_at: service.clock.now(), expires_at: service.clock.now() + 60_000 },
  })
}

/** A request to the route that is good but for its body. */
export function requestTo(
  route: BodyRoute,
  scene: Scene,
  payload: Exclude<InjectOptions['payload'], undefined>,
  headers: Record<string, string> = { 'content-type': 'application/json' },
): InjectOptions {
  const url = route.path
    .replace(':runtimeId', scene.runtime.runtimeId)
    .replace(':capability', 'echo')
    .replace(':projectId', scene.runtime.projectId)
    .replace(':version', '1')
    .replace(':userCode', USER_CODE)
    .replace(':memberId', `mem_of_${scene.owner.ownerId}`)
    .replace(':approvalId', waitingId(scene))
    .replace(':executionId', ratedId(scene))
  const key = route.key(scene)
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` }
  return { method: route.method, url, payload, headers: { ...authorization, ...route.headers?.(scene), ...headers } }
}

/** A copy of a JSON value with another one at a dotted path; undefined leaves the field out. */
export function withField(value: unknown, path: string, replacement: unknown): unknown {
  if (path === '') return replacement
  const [name = '', ...rest] = path.split('.')
  const inner = (old: unknown) => withField(old, rest.join('.'), replacement)
  if (Array.isArray(value)) return value.map((item, index) => (String(index) === name ? inner(item) : item))
  const fields = isJsonObject(value) ? value : {}
  return { ...fields, [name]: inner(fields[name]) }
}

/** The value at a dotted path of a JSON value. */
export function fieldAt(value: unknown, path: string): unknown {
  if (path === '') return value
  const [name = '', ...rest] = path.split('.')
  const inner = Array.isArray(value) ? value[Number(name)] : isJsonObject(value) ? value[name] : undefined
  return fieldAt(inner, rest.join('.'))
}
