import { randomBytes } from 'node:crypto'
import { KEY_PREFIXES, type KeyKind, keyChecksum } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { findPassword } from '../../src/accounts/password-store.ts'
import { SESSION_MS } from '../../src/accounts/rules.ts'
import { deleteSession, insertSession } from '../../src/accounts/session-store.ts'
import { mintHandle, signSession } from '../../src/accounts/session-token.ts'
import { mintCredential } from '../../src/credentials/credentials.ts'
import { insertCredential } from '../../src/credentials/store.ts'
import type { Plane } from '../../src/http/typed.ts'
import { createKeyring } from '../../src/secrets/keyring.ts'
import { mintKey } from '../../src/secrets/mint.ts'
import { refusalOf, steadyHeaders } from '../support/answers.ts'
import { paymentsWithEveryRoute } from '../support/checkouts.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { firstMember } from '../support/members.ts'
import { collectRoutes } from '../support/routes.ts'
import { executed, type Scene, saying, setScene, useScene } from '../support/scene.ts'
import { startService } from '../support/service.ts'

/** Every route of the service. One that is added belongs in here, with the plane that the interface gives it. */
const ROUTES = [
  ['public', 'GET', '/'],
  ['public', 'GET', '/health'],
  ['public', 'GET', '/docs'],
  ['public', 'GET', '/docs/:asset'],
  ['public', 'GET', '/openapi.json'],
  ['public', 'GET', '/dashboard'],
  ['public', 'GET', '/dashboard/*'],
  ['public', 'GET', '/widget.js'],
  ['public', 'GET', '/v1/runtime/:runtimeId/manifest'],
  ['public', 'GET', '/v1/runtime/:runtimeId/openapi.json'],
  ['public', 'GET', '/v1/runtime/:runtimeId/server.json'],
  ['public', 'GET', '/.well-known/oauth-protected-resource/v1/mcp/:runtimeId'],
  ['public', 'POST', '/v1/capabilities/:runtimeId/:capability'],
  ['public', 'POST', '/v1/mcp/:runtimeId'],
  ['public', 'GET', '/v1/mcp/:runtimeId'],
  ['public', 'DELETE', '/v1/mcp/:runtimeId'],
  ['public', 'GET', '/v1/peers/executions/:executionId/events'],
  ['public', 'POST', '/v1/peers/executions/:executionId/cancel'],
  ['public', 'POST', '/v1/billing/webhook'],
  ['public', 'GET', '/v1/billing/test-checkout/:checkoutId'],
  ['public', 'POST', '/v1/billing/test-checkout/:checkoutId/confirm'],
  ['public', 'POST', '/v1/billing/test-checkout/:checkoutId/cancel'],
  ['public-key', 'POST', '/v1/runtime/execute'],
  ['public-key', 'POST', '/v1/runtime/capability'],
  ['public-key', 'GET', '/v1/runtime/executions/:executionId/events'],
  ['public-key', 'POST', '/v1/runtime/executions/:executionId/cancel'],
  ['public-key', 'PUT', '/v1/runtime/executions/:executionId/feedback'],
  ['public-key', 'GET', '/v1/runtime/widget'],
  ['public-key', 'GET', '/v1/runtime/approvals/:approvalId'],
  ['public-key', 'POST', '/v1/runtime/approvals/:approvalId'],
  ['deploy', 'POST', '/v1/deployments'],
  ['deploy', 'POST', '/v1/deployments/:version/promote'],
  ['deploy', 'GET', '/v1/runtime/status'],
  ['deploy', 'POST', '/v1/runtime/heartbeat'],
  ['deploy', 'POST', '/v1/runtime/doctor'],
  ['deploy', 'GET', '/v1/runtime/deployment'],
  ['owner', 'POST', '/v1/runtimes'],
  ['owner', 'GET', '/v1/runtimes'],
  ['owner', 'GET', '/v1/runtimes/:runtimeId'],
  ['owner', 'DELETE', '/v1/runtimes/:runtimeId'],
  ['owner', 'PUT', '/v1/runtimes/:runtimeId/allowed-origins'],
  ['owner', 'POST', '/v1/runtimes/:runtimeId/doctor'],
  ['owner', 'GET', '/v1/runtimes/:runtimeId/deployments'],
  ['owner', 'GET', '/v1/runtimes/:runtimeId/deployments/:version'],
  ['owner', 'POST', '/v1/runtimes/:runtimeId/deployments/:version/promote'],
  ['owner', 'GET', '/v1/runtimes/:runtimeId/traffic'],
  ['owner', 'POST', '/v1/runtimes/:runtimeId/reveal-key'],
  ['owner', 'POST', '/v1/runtimes/:runtimeId/rotate-key'],
  ['owner', 'POST', '/v1/runtimes/:runtimeId/revoke-key'],
  ['owner', 'POST', '/v1/runtimes/:runtimeId/rotate-secret'],
  ['public', 'POST', '/v1/auth/sign-up'],
  ['public', 'POST', '/v1/auth/sign-in'],
  ['public', 'POST', '/v1/auth/sign-out'],
  ['public', 'POST', '/v1/auth/password-reset'],
  ['public', 'POST', '/v1/auth/password-reset/confirm'],
  ['public', 'POST', '/v1/auth/device'],
  ['public', 'POST', '/v1/auth/device/token'],
  ['public', 'POST', '/v1/auth/invitation'],
  ['public', 'POST', '/v1/auth/invitation/accept'],
  ['owner', 'GET', '/v1/auth/sessions'],
  ['owner', 'DELETE', '/v1/auth/sessions'],
  ['owner', 'DELETE', '/v1/auth/sessions/:sessionId'],
  ['owner', 'GET', '/v1/auth/totp'],
  ['owner', 'POST', '/v1/auth/totp'],
  ['owner', 'POST', '/v1/auth/totp/confirm'],
  ['owner', 'DELETE', '/v1/auth/totp'],
  ['owner', 'GET', '/v1/account'],
  ['owner', 'DELETE', '/v1/account'],
  ['owner', 'POST', '/v1/account/password'],
  ['owner', 'GET', '/v1/account/members'],
  ['owner', 'PATCH', '/v1/account/members/:memberId'],
  ['owner', 'DELETE', '/v1/account/members/:memberId'],
  ['owner', 'POST', '/v1/account/leave'],
  ['owner', 'GET', '/v1/account/invitations'],
  ['owner', 'POST', '/v1/account/invitations'],
  ['owner', 'DELETE', '/v1/account/invitations/:invitationId'],
  ['owner', 'GET', '/v1/account/keys'],
  ['owner', 'POST', '/v1/account/keys'],
  ['owner', 'POST', '/v1/account/keys/:keyId/revoke'],
  ['owner', 'GET', '/v1/account/devices/:userCode'],
  ['owner', 'POST', '/v1/account/devices/:userCode'],
  ['owner', 'POST', '/v1/executions'],
  ['owner', 'GET', '/v1/executions'],
  ['owner', 'GET', '/v1/executions/:executionId'],
  ['owner', 'GET', '/v1/executions/approvals'],
  ['owner', 'GET', '/v1/executions/approvals/:approvalId'],
  ['owner', 'POST', '/v1/executions/approvals/:approvalId'],
  ['owner', 'GET', '/v1/analytics/summary'],
  ['owner', 'GET', '/v1/traces/runtime/:runtimeId'],
  ['owner', 'GET', '/v1/traces/:executionId'],
  ['owner', 'GET', '/v1/projects'],
  ['owner', 'POST', '/v1/projects'],
  ['owner', 'GET', '/v1/projects/:projectId'],
  ['owner', 'PATCH', '/v1/projects/:projectId'],
  ['owner', 'DELETE', '/v1/projects/:projectId'],
  ['owner', 'GET', '/v1/events'],
  ['owner', 'GET', '/v1/webhooks'],
  ['owner', 'POST', '/v1/webhooks'],
  ['owner', 'GET', '/v1/webhooks/:webhookId'],
  ['owner', 'DELETE', '/v1/webhooks/:webhookId'],
  ['owner', 'GET', '/v1/webhooks/:webhookId/deliveries'],
  ['owner', 'POST', '/v1/webhooks/:webhookId/deliveries/:deliveryId/redeliver'],
  ['owner', 'GET', '/v1/billing/plans'],
  ['owner', 'GET', '/v1/billing/usage'],
  ['owner', 'POST', '/v1/billing/checkout'],
  ['owner', 'POST', '/v1/billing/verify'],
] as const

const CLOSED_ROUTES = ROUTES.filter(([plane]) => plane !== 'public')
/** One of each plane: every route of a plane asks the store for its credential by the same code. */
const ONE_OF_EACH = CLOSED_ROUTES.filter(([plane], at) => CLOSED_ROUTES.findIndex(([first]) => first === plane) === at)
const isRepresentative = (...route: readonly string[]) => ONE_OF_EACH.some((one) => one.join() === route.join())
/** One of each kind: what a route adds to its plane is that it is on it. The others are told apart by the plane's code. */
const SOME =
  /^(?:none|word|session|session (?:expired|signed out|of an earlier password)|(?:account|deploy|public)(?: key| never issued| revoked| out of grace))$/
const PUBLIC_ROUTES = ROUTES.filter(([plane]) => plane === 'public')
/** Those that read what an owner has stored. */
const OF_STORED = PUBLIC_ROUTES.filter(([, , path]) => path.includes(':runtimeId'))
/** A good credential of each plane, by its name in these tests. */
const OPENS: Readonly<Record<Plane, readonly string[]>> = {
  public: [],
  'public-key': ['public key', 'public in grace'],
  deploy: ['deploy key', 'deploy in grace'],
  owner: ['account key', 'account in grace', 'session'],
}
const KINDS = ['account', 'deploy', 'public'] as const
const DAY_MS = 86_400_000

describeEngines('planes', (engine) => {
  const database = useDatabase(engine)

  const refusing = useScene(database)
  const passing = useScene(database)
  const open = useScene(database, { manifest: null })
  /** Wrong ones stay wrong, whatever is asked with them; good ones stay good where nothing is deleted and nobody signs out. */
  let wrongOnes: ReturnType<typeof credentials> | undefined
  let goodOnes: ReturnType<typeof goodKeys> | undefined
  let ignoredOnes: ReturnType<typeof credentials> | undefined

  // holds AUTH-02, AUTH-03, AUTH-04, STR-12, SVC-14
  test('every route is on the plane that the interface gives it, and in this matrix', async () => {
    const service = await startService(database(), { payments: paymentsWithEveryRoute() })
    const routes = await collectRoutes(service.app)
    await service.close()
    const found = routes.map(({ plane, method, path }) => `${plane} ${method} ${path}`)
    expect(found.sort()).toEqual(ROUTES.map((route) => route.join(' ')).sort())
  })

  describe.each(engine.name === 'sqlite' ? CLOSED_ROUTES : ONE_OF_EACH)('%s plane: %s %s', (plane, method, path) => {
    // holds AUTH-05
    test('a credential of this plane passes, and so does a key in its grace period', async () => {
      // What deletes may end the credentials of the next test.
      const scene = method === 'DELETE' ? await setScene(database()) : passing()
      goodOnes ??= goodKeys(passing())
      const keys = await (method === 'DELETE' ? goodKeys(scene) : goodOnes)
      for (const name of OPENS[plane]) {
        const key = keys[name]
        expect([name, key]).toEqual([name, expect.any(String)])
        const answer = await scene.service.inject(request(scene, method, path, `Bearer ${key}`))
        expect([name, answer.statusCode]).not.toEqual([name, 401])
        expect(answer.statusCode).toBeLessThan(500)
      }
    })

    // holds AUTH-03, AUTH-04, AUTH-06
    test('any other credential is answered with the same 401', async () => {
      const scene = refusing()
      wrongOnes ??= credentials(scene)
      const all = isRepresentative(plane, method, path) ? await wrongOnes : someOf(await wrongOnes)
      const wrong = all.filter(([name]) => !OPENS[plane].includes(name))
      const [first, ...others] = await Promise.all(
        wrong.map(async ([name, header]) => {
          const answer = await scene.service.inject(request(scene, method, path, header))
          return {
            name,
            status: answer.statusCode,
            body: answer.rawPayload.toString('latin1'),
            headers: steadyHeaders(answer),
            answer,
          }
        }),
      )
      if (!first) throw new Error('there are wrong credentials for every plane')
      expect(refusalOf(first.answer, 'unauthorized')).toBe('The credential is missing or not valid here.')
      for (const { name, status, body, headers } of others) {
        expect({ name, status, body, headers }).toEqual({ name, status: 401, body: first.body, headers: first.headers })
      }
    })
  })

  test('a HEAD of any route needs the same credential', async () => {
    const scene = await setScene(database())
    const gets = CLOSED_ROUTES.filter(([, method]) => method === 'GET')
    for (const [, method, path] of gets) {
      const { headers, url } = request(scene, method, path, 'Bearer hello')
      const answer = await scene.service.inject({ method: 'HEAD', url, headers })
      expect([path, answer.statusCode]).toEqual([path, 401])
    }
    expect(gets.length).toBeGreaterThan(10)
  })

  // holds AUTH-02, BRK-01, PUB-04
  test.each(engine.name === 'sqlite' ? PUBLIC_ROUTES : OF_STORED)(
    '%s plane: %s %s needs no credential and ignores any',
    async (_, method, path) => {
      const endsSession = path === '/v1/auth/sign-out'
      const scene = endsSession ? await setScene(database(), { manifest: null }) : open()
      ignoredOnes ??= credentials(open())
      const plain = await scene.service.inject(request(scene, method, path, undefined))
      expect(plain.statusCode).not.toBe(401)
      const given = await (endsSession ? credentials(scene) : ignoredOnes)
      for (const [, header] of path === OF_STORED[0]?.[2] ? given : someOf(given)) {
        const answer = await scene.service.inject(request(scene, method, path, header))
        expect([answer.statusCode, answer.payload]).toEqual([plain.statusCode, plain.payload])
      }
    },
  )
})

describeEngines('credentials', (engine) => {
  const database = useDatabase(engine)

  // holds AUTH-01
  test('the scheme’s name is read in any case', async () => {
    const { service, owner } = await setScene(database())
    for (const scheme of ['bearer', 'BEARER', 'bEaReR']) {
      const headers = { authorization: `${scheme} ${owner.apiKey}` }
      expect((await service.inject({ method: 'GET', url: '/v1/runtimes', headers })).statusCode).toBe(200)
    }
  })

  // holds AUTH-01
  test('a key outside the Authorization header opens nothing', async () => {
    const { service, owner } = await setScene(database())
    const places = [
      { url: `/v1/runtimes?key=${owner.apiKey}&authorization=Bearer%20${owner.apiKey}&access_token=${owner.apiKey}` },
      { url: '/v1/runtimes', headers: { cookie: `session=${owner.apiKey}; authorization=Bearer ${owner.apiKey}` } },
      { url: '/v1/runtimes', headers: { 'x-api-key': owner.apiKey, 'proxy-authorization': `Bearer ${owner.apiKey}` } },
    ]
    for (const place of places) {
      expect((await service.inject({ method: 'GET', ...place })).statusCode).toBe(401)
    }
  })

  // holds KEY-22
  test('a cached public key stops at the last millisecond of its grace', async () => {
    const scene = await setScene(database(), { tier: 'pro' })
    const keys = await keysOf(scene, 'in grace', { expires_at: scene.service.clock.now() + 10_000 })
    const use = () => scene.execute(saying(), { key: keys['public in grace'] ?? '' })
    executed(await use())
    scene.service.clock.advance(9_999)
    executed(await use())
    scene.service.clock.advance(1)
    refusalOf(await use(), 'unauthorized')
  })

  test('a cached public key stops at once when it is revoked', async () => {
    const { service, runtime, execute } = await setScene(database())
    executed(await execute())
    const { db } = database()
    const { runtimeId } = runtime
    await db
      .updateTable('credentials')
      .set({ revoked_at: service.clock.now() })
      .where('runtime_id', '=', runtimeId)
      .execute()
    await db.updateTable('runtimes').set({ revision: 1_000 }).where('runtime_id', '=', runtimeId).execute()
    refusalOf(await execute(), 'unauthorized')
    expect(service.model.requests).toHaveLength(1)
  })
})

function request(
  scene: Scene,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  authorization: string | undefined,
) {
  const url = path
    .replace(':runtimeId', scene.runtime.runtimeId)
    .replace(':capability', 'echo')
    .replace(':keyId', 'key_1')
    .replace(':executionId', 'exec_1')
    .replace(':projectId', scene.runtime.projectId)
  const headers = authorization === undefined ? {} : { authorization }
  return { method, url, headers, ...(method !== 'GET' && { payload: {} }) }
}

/** What opens each plane, by its name in {@link OPENS}. */
async function goodKeys(scene: Scene): Promise<Record<string, string>> {
  const inGrace = await keysOf(scene, 'in grace', { expires_at: scene.service.clock.now() + 1 })
  return { ...ownKeys(scene), ...inGrace }
}

function ownKeys({ owner, runtime, session }: Scene) {
  return { 'account key': owner.apiKey, session, 'deploy key': runtime.deployKey, 'public key': runtime.publicKey }
}

/** Tokens that were sessions of the scene’s owner, or look as if they could have been. */
async function overSessions({ service, owner }: Scene): Promise<Record<string, string>> {
  const { db, keyring } = service.deps
  const now = service.clock.now()
  const passwordVersion = (await findPassword(db, { email: owner.email }))?.version ?? 0
  const { memberId } = await firstMember(service, owner)
  const handleFrom = async (start: { now: number; passwordVersion: number }) => {
    const handle = mintHandle()
    const ids = { ownerId: owner.ownerId, memberId, sessionId: service.deps.newId('session'), handle, device: null }
    await insertSession(db, { ...ids, ...start })
    return handle
  }
  const [expired, outdated, signedOut, living] = await Promise.all([
    handleFrom({ now: now - SESSION_MS, passwordVersion }),
    handleFrom({ now, passwordVersion: passwordVersion - 1 }),
    handleFrom({ now, passwordVersion }),
    handleFrom({ now, passwordVersion }),
  ])
  await deleteSession(db, signedOut)
  const token = (handle: string, ring = keyring) => signSession(ring, handle).reveal()
  return {
    'session expired': token(expired),
    'session of an earlier password': token(outdated),
    'session signed out': token(signedOut),
    'session never begun': token('a'.repeat(32)),
    'session signed under another key': token(living, createKeyring([randomBytes(32)])),
    'session handle alone': living,
    'session without a signature': `svc_ss_${living}`,
    'session with an empty signature': `svc_ss_${living}_`,
  }
}

/** Credentials of every kind and state, as `Authorization` headers; those that are good somewhere are named in OPENS. */
async function credentials(scene: Scene): Promise<[name: string, header: string | undefined][]> {
  const { owner, runtime } = scene
  const now = scene.service.clock.now()
  const own = Object.entries(ownKeys(scene))
  const bearers = [
    ...own,
    ...own.map(([name, key]) => [`${name} with one character changed`, withLastChanged(key)] as const),
    ...own.map(([name, key]) => [`${name} cut short`, key.slice(0, -1)] as const),
    ...own.map(([name, key]) => [`${name} in upper case`, key.toUpperCase()] as const),
    ...KINDS.map((kind) => [`${kind} never issued`, mintKey(kind).reveal()] as const),
    ...KINDS.map((kind) => [`${kind} of zeros`, wellFormed(kind, '0'.repeat(32))] as const),
    ...Object.entries(await keysOf(scene, 'revoked', { revoked_at: now })),
    ...Object.entries(await keysOf(scene, 'revoked in its grace', { revoked_at: now, expires_at: now + DAY_MS })),
    ...Object.entries(await keysOf(scene, 'out of grace', { expires_at: now })),
    ...Object.entries(await overSessions(scene)),
    ['signing secret', runtime.secret],
    ['runtime id', runtime.runtimeId],
    ['owner id', owner.ownerId],
    ['word', 'hello'],
    ['very long word', 'a'.repeat(8_000)],
    ['bytes that are no ASCII', 'svc_ak_\u00e9\u00ff'],
    ['SQL', "svc_ak_'||(select hash from credentials)||'"],
  ] as const
  const malformed = [
    ['none', undefined],
    ['empty', ''],
    ['scheme alone', 'Bearer'],
    ['scheme and space', 'Bearer '],
    ...own.flatMap(([name, key]) => [
      [`${name} without a scheme`, key] as const,
      [`${name} under another scheme`, `Basic ${key}`] as const,
      [`${name} after two spaces`, `Bearer  ${key}`] as const,
      [`${name} after a tab`, `Bearer\t${key}`] as const,
      [`${name} twice`, `Bearer ${key} ${key}`] as const,
      [`${name} in a list`, `Bearer ${key},${key}`] as const,
      [`${name} in quotes`, `Bearer "${key}"`] as const,
    ]),
  ] as const
  return [
    ...bearers.map(([name, key]): [string, string] => [name, `Bearer ${key}`]),
    ...malformed.map(([name, header]): [string, string | undefined] => [name, header]),
  ]
}

function someOf(all: Awaited<ReturnType<typeof credentials>>): typeof all {
  return all.filter(([name]) => SOME.test(name))
}

/** One more key of each kind for the scene's owner and runtime, in a state of its own. */
async function keysOf(
  scene: Scene,
  state: string,
  columns: { expires_at?: number; revoked_at?: number },
): Promise<Record<string, string>> {
  const { service, owner, runtime } = scene
  const keys = KINDS.map(async (kind) => {
    const runtimeId = kind === 'account' ? null : runtime.runtimeId
    const role = kind === 'account' ? ('owner' as const) : null
    const { key, row } = mintCredential(service.deps, owner.ownerId, { kind, runtimeId, role })
    await insertCredential(service.deps.db, { ...row, ...columns })
    return [`${kind} ${state}`, key.reveal()]
  })
  return Object.fromEntries(await Promise.all(keys))
}

function withLastChanged(key: string): string {
  return key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')
}

function wellFormed(kind: KeyKind, random: string): string {
  const body = KEY_PREFIXES[kind] + random
  return body + keyChecksum(body)
}
