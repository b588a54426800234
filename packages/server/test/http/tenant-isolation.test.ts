import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { describe, expect, test } from 'vitest'
import { refusalOf, steadyHeaders } from '../support/answers.ts'
import { letApprovalWait, waitingId } from '../support/approvals.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { joinAs, letInvitationWait } from '../support/members.ts'
import { type CollectedRoute, collectRoutes } from '../support/routes.ts'
import { executed, type Scene, setScene } from '../support/scene.ts'
import { startService } from '../support/service.ts'
import { BODY_ROUTES, withField } from './body-routes.ts'

/** Where a request names something that belongs to somebody. */
interface Place {
  route: CollectedRoute
  in: 'path' | 'query' | 'body'
  /** Such as `runtimeId`. */
  name: string
}

/** What somebody has, by the name under which a request speaks of it. */
type Belongings = Readonly<Record<string, string>>

const NAMES_AN_ID = /Id$/
/** Routes of members that refuse every API key. */
const NEEDS_SESSION = /^\/v1\/account\/(members|invitations)\//
/** What else a path names, and could not be otherwise. */
const NUMBERS: Readonly<Record<string, string>> = { version: '1' }

describeEngines('tenants', (engine) => {
  const database = useDatabase(engine)

  async function ownerRoutes(): Promise<CollectedRoute[]> {
    const service = await startService(database())
    const routes = await collectRoutes(service.app)
    await service.close()
    return routes.filter(({ plane }) => plane === 'owner')
  }

  describe.each(['account key', 'session'] as const)('with an %s', (credential) => {
    // holds AUTH-07
    test('another owner’s objects read as absent, on every route that can name them', async () => {
      const places = (await ownerRoutes()).flatMap(placesOf)
      expect(places.length).toBeGreaterThan(15)
      const scene = await setScene(database(), { tier: 'pro' })
      const belongings = await belongingsOf(scene)
      const otherOwner = await otherOwnerOf(scene, credential)
      for (const place of places.filter((place) => !isNewRuntime(place))) {
        const ask = (ids: Belongings) => scene.service.inject(otherOwner.request(place, ids))
        const label = `${place.route.method} ${place.route.path}, ${place.name} in its ${place.in}`
        const [foreign, absent] = [await ask(belongings), await ask(unheardOf(belongings))]
        const isRefused =
          credential === 'account key' && NEEDS_SESSION.test(place.route.path) && place.route.method !== 'GET'
        expect([label, foreign.statusCode]).toEqual([label, isRefused ? 403 : 404])
        refusalOf(foreign, isRefused ? 'forbidden' : 'not_found')
        expect([label, ...shown(foreign)]).toEqual([label, ...shown(absent)])
      }
    })

    test('another owner’s runtime id cannot be registered, and answers as absent', async () => {
      const scene = await setScene(database(), { tier: 'pro' })
      const otherOwner = await otherOwnerOf(scene, credential)
      const { runtimeId } = scene.runtime
      const [taken, absent] = [
        await otherOwner.send('POST', '/v1/runtimes', { runtimeId, name: 'Mine' }),
        await otherOwner.send('GET', `/v1/runtimes/${changed(runtimeId)}`),
      ]
      expect(shown(taken)).toEqual(shown(absent))
    })

    test('lists hold the owner’s own objects alone', async () => {
      const lists = (await ownerRoutes()).filter(({ method, path }) => method === 'GET' && !path.includes(':'))
      const scene = await setScene(database(), { tier: 'pro' })
      const belongings = Object.values(await belongingsOf(scene))
      const otherOwner = await otherOwnerOf(scene, credential)
      for (const { path } of lists) {
        const answer = await otherOwner.send('GET', path)
        expect([path, answer.statusCode]).toEqual([path, 200])
        for (const id of belongings) expect(answer.body).not.toContain(id)
      }
    })

    test('requests of another owner change nothing', async () => {
      const places = (await ownerRoutes()).flatMap(placesOf)
      const scene = await setScene(database(), { tier: 'pro' })
      const belongings = await belongingsOf(scene)
      const otherOwner = await otherOwnerOf(scene, credential)
      const before = await rowsOf(scene, belongings)
      for (const place of places) await scene.service.inject(otherOwner.request(place, belongings))
      expect(await rowsOf(scene, belongings)).toEqual(before)
    })
  })
})

function placesOf(route: CollectedRoute): Place[] {
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const ids = (names: readonly string[], place: Place['in']) =>
    names.filter((name) => NAMES_AN_ID.test(name)).map((name) => ({ route, in: place, name }))
  return [...ids(inPath, 'path'), ...ids(route.queryFields, 'query'), ...ids(route.bodyFields, 'body')]
}

// An id that nobody holds is free to be registered: there is no absence to compare with.
function isNewRuntime({ route, name }: Place): boolean {
  return route.method === 'POST' && route.path === '/v1/runtimes' && name === 'runtimeId'
}

/** One of everything that an owner can have. A new kind of id belongs in here. */
async function belongingsOf(scene: Scene): Promise<Belongings> {
  const { service, owner, runtime } = scene
  const post = async (url: string, body: object) =>
    (await service.send('POST', url, { key: owner.apiKey, body })).json()
  const pages = { successUrl: 'https://shop.example.com/paid', cancelUrl: 'https://shop.example.com/left' }
  const free = await service.owner('free')
  const checkout = await service.send('POST', '/v1/billing/checkout', {
    key: free.apiKey,
    body: { tier: 'pro', ...pages },
  })
  await letApprovalWait(scene)
  return {
    approvalId: waitingId(scene),
    runtimeId: runtime.runtimeId,
    projectId: (await post('/v1/projects', { name: 'Shops' })).projectId,
    executionId: executed(await scene.execute()).executionId,
    ...(await deliveryOf(scene)),
    keyId: (await post('/v1/account/keys', { name: 'Deploys' })).keyId,
    ...(await peopleOf(scene)),
    sessionId: (await service.send('GET', '/v1/auth/sessions', { key: owner.apiKey })).json().sessions[0].sessionId,
    checkoutId: checkout.json().checkoutId,
  }
}

/** A member, and an invitation that is open. */
async function peopleOf({ service, owner }: Scene): Promise<Belongings> {
  const { memberId } = await joinAs(service, owner, 'viewer')
  const { invitationId } = await letInvitationWait(service, owner, { role: 'viewer' })
  return { memberId, invitationId }
}

/** A webhook, and an event that waits for it. */
async function deliveryOf({ service, owner, runtime, database }: Scene): Promise<Belongings> {
  const body = { url: 'https://shop.example.com/hook', events: ['key.revealed'] }
  const { webhookId } = (await service.send('POST', '/v1/webhooks', { key: owner.apiKey, body })).json()
  const reveal = `/v1/runtimes/${runtime.runtimeId}/reveal-key`
  await service.send('POST', reveal, { key: owner.apiKey, body: { type: 'public' } })
  const { delivery_id: deliveryId } = await database.db
    .selectFrom('webhook_deliveries')
    .select('delivery_id')
    .where('webhook_id', '=', webhookId)
    .executeTakeFirstOrThrow()
  return { webhookId, deliveryId }
}

async function otherOwnerOf(scene: Scene, credential: 'account key' | 'session') {
  const { service } = scene
  const owner = await service.owner('pro')
  const key = credential === 'session' ? await service.signedIn(owner) : owner.apiKey
  const runtime = await service.runtime(owner)
  const own: Scene = { ...scene, owner, runtime }
  return {
    send: (method: 'GET' | 'POST', url: string, body?: object) =>
      service.send(method, url, { key, ...(body && { body }) }),
    /** A request that is good but for the one id. */
    request({ route, in: where, name }: Place, ids: Belongings): InjectOptions {
      const id = ids[name]
      if (id === undefined) throw new Error(`nobody here has a ${name}: let belongingsOf make one`)
      const path = route.path.replace(
        /:(\w+)/g,
        (_, param: string) => (where === 'path' ? ids[param] : undefined) ?? NUMBERS[param] ?? param,
      )
      const url = where === 'query' ? `${path}?${name}=${id}` : path
      const body =
        BODY_ROUTES.find((known) => known.method === route.method && known.path === route.path)?.body(own) ?? {}
      const payload = where === 'body' ? withField(body, name, id) : body
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const isRead = route.method === 'GET'
      return { method: methodOf(route), url, headers, ...(!isRead && { payload: JSON.stringify(payload) }) }
    },
  }
}

function methodOf({ method }: CollectedRoute): 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' {
  for (const known of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) if (known === method) return known
  throw new Error(`no request is made with ${method} yet`)
}

/** Ids of the same form that nobody has. */
function unheardOf(belongings: Belongings): Belongings {
  return Object.fromEntries(Object.entries(belongings).map(([name, id]) => [name, changed(id)]))
}

function changed(id: string): string {
  return id.slice(0, -1) + (id.endsWith('1') ? '2' : '1')
}

function shown(answer: LightMyRequestResponse) {
  return [answer.statusCode, answer.rawPayload.toString('latin1'), steadyHeaders(answer)]
}

async function rowsOf({ database: { db }, owner }: Scene, { checkoutId = '' }: Belongings) {
  const tables = [
    ...([
      'owners',
      'credentials',
      'projects',
      'runtimes',
      'deployments',
      'executions',
      'allowances',
      'approvals',
      'webhooks',
      'webhook_deliveries',
      'account_events',
      'auth_sessions',
      'members',
      'invitations',
      'password_resets',
      'second_factors',
    ] as const),
  ]
  const rows = tables.map((table) => db.selectFrom(table).selectAll().where('owner_id', '=', owner.ownerId).execute())
  // The checkout is another account's: one that has paid for its plan cannot begin any.
  const checkouts = db.selectFrom('checkouts').selectAll().where('checkout_id', '=', checkoutId).execute()
  return (await Promise.all([...rows, checkouts])).map((found) => found.map((row) => JSON.stringify(row)).sort())
}
