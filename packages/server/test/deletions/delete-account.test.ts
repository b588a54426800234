import { expect, test } from 'vitest'
import { makeResetLink } from '../../src/accounts/password-reset.ts'
import { stopDeleted } from '../../src/deletions/deletions.ts'
import { createDeletionSweep } from '../../src/deletions/sweep.ts'
import { eachDeletedAccount } from '../../src/deletions/sweep-store.ts'
import { faultsIn, refusalOf } from '../support/answers.ts'
import { letApprovalWait } from '../support/approvals.ts'
import { askForCheckout, checkOut, confirmAsPerson, sessionOf, setStripeScene, tierOf } from '../support/checkouts.ts'
import { deferred } from '../support/deferred.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { firstMember, joinAs, letInvitationWait } from '../support/members.ts'
import { setReplicatedScene } from '../support/replicas.ts'
import { rowsNaming } from '../support/rows-naming.ts'
import { executed, type Scene, setScene } from '../support/scene.ts'
import { PASSWORD } from '../support/service.ts'
import { askToSignIn, askToSignUp, begunSession, cookieSet, statusWith } from '../support/sign-in.ts'
import { appCode, giveSecondFactor } from '../support/two-factor.ts'

const MINUTE_MS = 60_000

type Deleting = Pick<Scene, 'service' | 'owner' | 'session'>

function remove({ service, owner, session }: Deleting, body: object = {}, key = session) {
  return service.send('DELETE', '/v1/account', { key, body: { confirm: owner.email, password: PASSWORD, ...body } })
}

async function sweepAfter({ service }: Pick<Scene, 'service'>, minutes: number): Promise<void> {
  service.clock.advance(minutes * MINUTE_MS)
  await service.renew()
  await createDeletionSweep(service.deps).run()
}

describeEngines('deleting an account', (engine) => {
  const database = useDatabase(engine)

  // holds DEL-13
  test('needs a session, the password and the address', async () => {
    const scene = await setScene(database())
    refusalOf(await remove(scene, {}, scene.owner.apiKey), 'forbidden')
    expect(faultsIn(await remove(scene, { password: 'another battery' }))).toEqual({ password: [expect.any(String)] })
    expect(faultsIn(await remove(scene, { confirm: 'someone@example.com' }))).toEqual({ confirm: [expect.any(String)] })
    executed(await scene.execute())
    expect(await statusWith(scene.service, scene.session)).toBe(200)
  })

  // holds DEL-13
  test('needs a code, too, where two-factor sign-in is on', async () => {
    const scene = await setScene(database())
    await giveSecondFactor(scene, { isOn: true })
    expect(faultsIn(await remove(scene))).toEqual({ code: [expect.stringContaining('is needed')] })
    expect(faultsIn(await remove(scene, { code: '000000' }))).toEqual({ code: [expect.any(String)] })
    expect(await statusWith(scene.service, scene.session)).toBe(200)
    expect((await remove(scene, { code: appCode(scene.service) })).statusCode).toBe(200)
    expect(await statusWith(scene.service, scene.session)).toBe(401)
  })

  // holds DEL-14
  test('everything of it stops at once on every replica, and its address may sign up again', async () => {
    const { a, b } = await setReplicatedScene(engine)
    executed(await b.execute())
    expect((await remove(a, { confirm: a.owner.email.toUpperCase() })).statusCode).toBe(200)
    for (const { service, execute, broker, runtime, owner, session } of [a, b]) {
      const keys = [owner.apiKey, session].map((key) => statusWith(service, key))
      expect(await Promise.all(keys)).toEqual([401, 401])
      const status = service.send('GET', '/v1/runtime/status', { key: runtime.deployKey })
      const manifest = service.send('GET', `/v1/runtime/${runtime.runtimeId}/manifest`)
      const answers = await Promise.all([execute(), broker('echo'), status, manifest])
      expect(answers.map(({ statusCode }) => statusCode)).toEqual([401, 404, 401, 404])
      refusalOf(await askToSignIn(service, { email: owner.email }), 'unauthorized')
    }
    const { account, token } = begunSession(await askToSignUp(b.service, { email: a.owner.email }))
    expect(account.ownerId).not.toBe(a.owner.ownerId)
    // Its runtimes are still there until the sweep.
    const takeOver = { runtimeId: a.runtime.runtimeId, name: 'Mine' }
    const taken = await b.service.send('POST', '/v1/runtimes', { key: token, body: takeOver })
    expect(faultsIn(taken)).toEqual({ runtimeId: [expect.stringContaining('not given again')] })
    await createDeletionSweep(a.service.deps).run()
    expect((await askToSignIn(a.service, { email: a.owner.email })).statusCode).toBe(200)
  })

  test('what runs on another replica is stopped and settled, and the browser is signed out', async () => {
    const { a, b } = await setReplicatedScene(engine)
    const begun = deferred()
    b.service.model.say(async function* ({ signal }) {
      begun.resolve()
      await new Promise<void>((resolve) => signal.addEventListener('abort', resolve))
      yield { type: 'end', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
    })
    const executing = b.execute()
    await begun.promise
    const headers = { cookie: `__Host-svc_session=${a.session}`, origin: 'https://svc.test' }
    const body = { confirm: a.owner.email, password: PASSWORD }
    const answer = await a.service.send('DELETE', '/v1/account', { headers, body })
    expect(cookieSet(answer)).toMatchObject({ value: '' })
    await stopDeleted(b.service.deps)
    expect(executed(await executing)).toMatchObject({ status: 'failed', finishReason: 'error' })
  })

  // holds DEL-15
  test('nothing of it is left in any table, and another account is as it was', async () => {
    const scene = await setScene(database(), { tier: 'pro' })
    const neighbour = await setScene(database(), { tier: 'pro' })
    executed(await neighbour.execute())
    await scene.service.renew()
    const ids = await fillAccount(scene)
    await scene.service.deps.aggregation.catchUp()
    const before = await rowsNaming(scene, neighbour.owner.ownerId)
    expect((await remove(scene, { code: appCode(scene.service) })).statusCode).toBe(200)
    await createDeletionSweep(scene.service.deps).run()
    await sweepAfter(scene, 11)
    for (const id of ids) expect([id, await rowsNaming(scene, id)]).toEqual([id, {}])
    expect(await rowsNaming(scene, neighbour.owner.ownerId)).toEqual(before)
    const takeOver = { runtimeId: scene.runtime.runtimeId, name: 'Mine' }
    await neighbour.service.renew()
    const answer = await neighbour.service.send('POST', '/v1/runtimes', { key: neighbour.owner.apiKey, body: takeOver })
    expect(faultsIn(answer)).toEqual({ runtimeId: [expect.stringContaining('not given again')] })
  })

  // A table that is added belongs in here, in `accountSteps`, and in what `fillAccount` makes.
  test('every table with rows of accounts is known to the deletion', async () => {
    const tables = await database().db.introspection.getTables()
    const owned = tables.filter(({ columns }) => columns.some(({ name }) => name === 'owner_id'))
    expect(owned.map(({ name }) => name).sort()).toEqual([
      ...['account_events', 'allowances', 'approvals', 'auth_sessions', 'call_rollups', 'candidates'],
      ...['checkouts', 'credentials', 'deployments', 'device_logins', 'execution_rollups', 'executions'],
      ...['idempotency_keys', 'invitations', 'known_networks', 'members', 'owners', 'password_resets'],
      ...[
        'projects',
        'quota_alerts',
        'recovery_codes',
        'retired_runtimes',
        'runtimes',
        'second_factors',
        'webhook_deliveries',
        'webhooks',
      ],
    ])
  })

  test('goes on in the background for every account, also where more than a hundred wait', async () => {
    const { db } = database()
    const ids = Array.from({ length: 101 }, (_, index) => `acc_gone${1_000 + index}`)
    const row = { tier: 'free' as const, created_at: 0, deleted_at: 1 }
    const rows = ids.map((id) => ({ ...row, owner_id: id, email: `${id}@deleted.invalid` }))
    await db.insertInto('owners').values(rows).execute()
    const found: string[] = []
    for await (const { ownerId } of eachDeletedAccount(db)) found.push(ownerId)
    expect(found.filter((id) => ids.includes(id))).toEqual(ids)
    await db.deleteFrom('owners').where('owner_id', 'in', ids).execute()
  })

  // holds DEL-16
  test('a subscription is cancelled where the request says so; nothing is deleted otherwise', async () => {
    const { service, stripe, owner } = await setStripeScene(database())
    const session = await service.signedIn(owner)
    const checkout = await checkOut(service, owner)
    const paid = sessionOf(stripe, checkout)
    stripe.pay(paid)
    await service.send('POST', '/v1/billing/verify', { key: owner.apiKey, body: { checkoutId: checkout.checkoutId } })
    const scene = { service, owner, session }
    await giveSecondFactor(scene, { isOn: true })
    // A refused deletion leaves the code as it was.
    const code = appCode(service)
    const refused = await remove(scene, { code })
    expect(faultsIn(refused)).toEqual({ cancelSubscription: [expect.stringContaining('cancelled at once')] })
    expect(await tierOf(service, owner)).toBe('pro')
    stripe.failNext({ type: 'status', status: 500 }, { type: 'status', status: 500 }, { type: 'status', status: 500 })
    expect((await remove(scene, { code, cancelSubscription: true })).statusCode).toBe(500)
    expect(await statusWith(service, session)).toBe(200)
    expect((await remove(scene, { code, cancelSubscription: true })).statusCode).toBe(200)
    expect(stripe.requests.filter(({ method }) => method === 'DELETE')).toHaveLength(1)
    await sweepAfter(scene, 11)
    const left = await rowsNaming({ database: database() }, owner.ownerId)
    expect(Object.keys(left)).toEqual(['checkouts'])
    expect(left['checkouts']?.join()).toContain('"status":"ended"')
    expect(left['checkouts']?.join()).not.toContain('shop.example.com')
  })

  test('a payment page that is open can no longer be paid', async () => {
    const scene = await setScene(database())
    const checkout = await checkOut(scene.service, scene.owner)
    expect((await remove(scene)).statusCode).toBe(200)
    await confirmAsPerson(scene.service, checkout)
    const row = await database()
      .db.selectFrom('owners')
      .select('tier')
      .where('owner_id', '=', scene.owner.ownerId)
      .executeTakeFirst()
    expect(row?.tier).toBe('free')
    await sweepAfter(scene, 11)
    expect(await rowsNaming(scene, scene.owner.ownerId)).toEqual({})
  })
})

/** Gives the account one of everything; returns the ids and texts that name it. */
async function fillAccount(scene: Scene): Promise<string[]> {
  const { service, owner, runtime } = scene
  const post = (url: string, body: object) => service.send('POST', url, { key: owner.apiKey, body })
  await post('/v1/projects', { name: 'Shops' })
  await post('/v1/account/keys', { name: 'Deploys' })
  await post('/v1/webhooks', { url: 'https://shop.example.com/hook', events: ['key.revealed'] })
  await post(`/v1/runtimes/${runtime.runtimeId}/reveal-key`, { type: 'public' })
  await askToSignIn(service, { email: owner.email })
  await askForCheckout(service, owner)
  const { executionId } = executed(await scene.execute())
  await scene.call({ capability: 'echo' }, { headers: { 'idempotency-key': 'once-and-no-more' } })
  await scene.broker('echo')
  await letApprovalWait(scene)
  await giveSecondFactor(scene, { isOn: true })
  await makeResetLink(service.deps, await firstMember(service, owner))
  await joinAs(service, owner, 'developer')
  await letInvitationWait(service, owner, { role: 'viewer' })
  return [owner.ownerId, owner.email, runtime.runtimeId, executionId]
}
