import { Project, UpdatedRuntime } from '@svc/contract'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/database/open.ts'
import { refusalOf } from '../support/answers.ts'
import { askForCheckout, checkOut, sessionOf, setStripeScene, verify } from '../support/checkouts.ts'
import { createTestPlace, describeEngine, describeEngines, useDatabase } from '../support/engines.ts'
import { createFleetingDatabase } from '../support/fleeting-database.ts'
import { startPostgresRelay } from '../support/postgres-relay.ts'
import { setScene } from '../support/scene.ts'
import { PASSWORD, startForTest } from '../support/service.ts'
import { askToSignIn, askToSignUp, begunSession, newAddress } from '../support/sign-in.ts'

describeEngines('what was changed when the database goes', (engine) => {
  const lasting = useDatabase(engine)

  /** The database goes when the test says so, and until then is there. */
  async function start() {
    const { database, ...fleeting } = createFleetingDatabase(lasting())
    const service = await startForTest(database)
    onTestFinished(fleeting.comeBack)
    const owner = await service.owner('pro')
    return { ...fleeting, service, owner }
  }

  test('a runtime that was registered again is answered as it is by then', async () => {
    const { service, owner, goAfter } = await start()
    const { runtimeId, projectId, tier, deployKeyPrefix, publicKeyPrefix } = await service.runtime(owner)
    const body = { runtimeId, name: 'Shop', endpoint: 'http://127.0.0.1:9/moved' }
    goAfter(1)
    const answer = await service.send('POST', '/v1/runtimes', { key: owner.apiKey, body })
    expect(answer.statusCode).toBe(200)
    expect(UpdatedRuntime.parse(answer.json())).toEqual({
      runtimeId,
      projectId,
      tier,
      deployKeyPrefix,
      publicKeyPrefix,
    })
  })

  test('a project that was renamed is answered with its runtimes', async () => {
    const { service, owner, goAfter } = await start()
    const { projectId } = await service.runtime(owner)
    goAfter(1)
    const answer = await service.send('PATCH', `/v1/projects/${projectId}`, {
      key: owner.apiKey,
      body: { name: 'All' },
    })
    expect(answer.statusCode).toBe(200)
    expect(Project.parse(answer.json())).toMatchObject({ projectId, name: 'All', runtimeCount: 1 })
  })

  describe('after a checkout', () => {
    async function startPaying() {
      const { database, ...fleeting } = createFleetingDatabase(lasting())
      const scene = await setStripeScene(database)
      onTestFinished(fleeting.comeBack)
      return { ...fleeting, ...scene }
    }

    test('was begun and the one before it is closed, its page is told', async () => {
      const { service, stripe, owner, goAfter } = await startPaying()
      const first = await checkOut(service, owner)
      goAfter(2)
      const second = await checkOut(service, owner)
      expect(stripe.sessions.get(sessionOf(stripe, first))?.status).toBe('expired')
      expect(stripe.sessions.get(sessionOf(stripe, second))?.status).toBe('open')
    })

    test('was begun and the one before it is not, it is a fault; another one can be begun and paid', async () => {
      const { service, stripe, owner, goAfter, comeBack } = await startPaying()
      await checkOut(service, owner)
      goAfter(1)
      refusalOf(await askForCheckout(service, owner), 'internal_error')
      comeBack()
      const checkout = await checkOut(service, owner)
      const open = [...stripe.sessions.values()].filter(({ status }) => status === 'open')
      expect(open.map(({ id }) => id)).toEqual([sessionOf(stripe, checkout)])
    })

    test('turned out to be paid, that is told', async () => {
      const { service, stripe, owner, goAfter } = await startPaying()
      const checkout = await checkOut(service, owner)
      stripe.pay(sessionOf(stripe, checkout))
      goAfter(1)
      expect(await verify(service, owner, checkout.checkoutId)).toMatchObject({ status: 'paid', tier: 'pro' })
    })

    test('turned out to be over, that is told', async () => {
      const { service, stripe, owner, goAfter } = await startPaying()
      const checkout = await checkOut(service, owner)
      stripe.expire(sessionOf(stripe, checkout))
      goAfter(1)
      expect(await verify(service, owner, checkout.checkoutId)).toMatchObject({ status: 'expired', tier: 'free' })
    })
  })
})

describeEngine('postgres', 'an account that has changed when the database goes', (engine) => {
  /** The database goes once a session has begun, and before it is read. */
  async function setFleetingScene() {
    const place = await createTestPlace(engine)
    const relay = await startPostgresRelay(place.location)
    const database = await openDatabase({ engine: 'postgres', url: relay.url, onError: () => undefined })
    onTestFinished(() => database.close())
    const scene = await setScene(database)
    const { auth } = scene.service.deps
    const begin = auth.beginSession
    auth.beginSession = async (...given) => {
      const handle = await begin(...given)
      relay.shut('now')
      return handle
    }
    return { ...scene, relay }
  }

  test('a changed password is a fault, and the new one is good', async () => {
    const { service, owner, session, relay } = await setFleetingScene()
    const newPassword = 'another battery staple'
    const body = { currentPassword: PASSWORD, newPassword }
    refusalOf(await service.send('POST', '/v1/account/password', { key: session, body }), 'internal_error')
    relay.open()
    begunSession(await askToSignIn(service, { email: owner.email, password: newPassword }))
  })

  test('an opened account is a fault, and can be signed in to', async () => {
    const { service, relay } = await setFleetingScene()
    const email = newAddress()
    refusalOf(await askToSignUp(service, { email }), 'internal_error')
    relay.open()
    begunSession(await askToSignIn(service, { email }))
  })
})
