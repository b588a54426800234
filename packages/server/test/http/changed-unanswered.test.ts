import { Project, UpdatedRuntime } from '@svc/contract'
import { describe, expect, onTestFinished, test } from 'vitest'
import { SESSION_MS } from '../../src/accounts/rules.ts'
import { refusalOf } from '../support/answers.ts'
import { askForCheckout, checkOut, sessionOf, setStripeScene, verify } from '../support/checkouts.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { createFleetingDatabase } from '../support/fleeting-database.ts'
import { PASSWORD, startForTest } from '../support/service.ts'
import { askToSignIn, askToSignUp, begunSession, newAddress, statusWith } from '../support/sign-in.ts'

const CHANGE = { currentPassword: PASSWORD, newPassword: 'another battery staple' }

describeEngines('a change whose transaction commits before the database fails', (engine) => {
  const lasting = useDatabase(engine)

  /** The database goes when the test says so, and until then is there. */
  async function start() {
    const { database, ...fleeting } = createFleetingDatabase(lasting())
    const service = await startForTest(database)
    onTestFinished(fleeting.comeBack)
    const owner = await service.owner('pro')
    return { ...fleeting, service, owner }
  }

  test('a repeated registration answers the runtime’s new state', async () => {
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

  test('a renamed project is answered with its runtimes', async () => {
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

  test('a new session is answered after sign-up, sign-in and a password change', async () => {
    const { service, owner, goAfter, comeBack } = await start()
    const session = await service.signedIn(owner)
    goAfter(4)
    const signedIn = begunSession(await askToSignIn(service, { email: owner.email }))
    goAfter(5)
    const signedUp = begunSession(await askToSignUp(service, { email: newAddress() }))
    goAfter(4)
    const changed = begunSession(await service.send('POST', '/v1/account/password', { key: session, body: CHANGE }))
    comeBack()
    // The change has ended it.
    expect(await statusWith(service, signedIn.token)).toBe(401)
    for (const { token, account, expiresAt } of [signedUp, changed]) {
      const answer = await service.send('GET', '/v1/account', { key: token })
      expect([answer.statusCode, answer.json()]).toEqual([200, account])
      expect(expiresAt).toBe(new Date(service.clock.now() + SESSION_MS).toISOString())
    }
  })

  test('a changed password without a new session is a fault, and the new password works', async () => {
    const { service, owner, goAfter, comeBack } = await start()
    const session = await service.signedIn(owner)
    goAfter(2)
    refusalOf(await service.send('POST', '/v1/account/password', { key: session, body: CHANGE }), 'internal_error')
    comeBack()
    begunSession(await askToSignIn(service, { email: owner.email, password: CHANGE.newPassword }))
  })

  test('a new account without a session is a fault, and its owner can sign in', async () => {
    const { service, goAfter, comeBack } = await start()
    const email = newAddress()
    goAfter(2)
    refusalOf(await askToSignUp(service, { email }), 'internal_error')
    comeBack()
    begunSession(await askToSignIn(service, { email }))
  })

  test('a counted attempt is a fault without the advice to repeat it', async () => {
    const { service, owner, goAfter } = await start()
    const session = await service.signedIn(owner)
    for (const ask of [
      () => askToSignIn(service, { email: owner.email }),
      () => askToSignUp(service, { email: newAddress() }),
      () => service.send('POST', '/v1/account/password', { key: session, body: CHANGE }),
    ]) {
      goAfter(1)
      refusalOf(await ask(), 'internal_error')
    }
  })

  test('an attempt that could not be counted may be repeated, and is not counted', async () => {
    const { service, owner, goAfter, comeBack } = await start()
    await service.signedIn(owner)
    goAfter(0)
    for (let index = 0; index < 12; index += 1) {
      expect(refusalOf(await askToSignIn(service, { email: owner.email }), 'internal_error')).toContain(
        'Nothing was done',
      )
    }
    comeBack()
    begunSession(await askToSignIn(service, { email: owner.email }))
  })

  describe('a checkout', () => {
    async function startPaying() {
      const { database, ...fleeting } = createFleetingDatabase(lasting())
      const scene = await setStripeScene(database)
      onTestFinished(fleeting.comeBack)
      return { ...fleeting, ...scene }
    }

    test('that began and closed an earlier one answers its page’s address', async () => {
      const { service, stripe, owner, goAfter } = await startPaying()
      const first = await checkOut(service, owner)
      goAfter(2)
      const second = await checkOut(service, owner)
      expect(stripe.sessions.get(sessionOf(stripe, first))?.status).toBe('expired')
      expect(stripe.sessions.get(sessionOf(stripe, second))?.status).toBe('open')
    })

    test('that began but did not close an earlier one is a fault; another one can begin and be paid', async () => {
      const { service, stripe, owner, goAfter, comeBack } = await startPaying()
      await checkOut(service, owner)
      goAfter(1)
      refusalOf(await askForCheckout(service, owner), 'internal_error')
      comeBack()
      const checkout = await checkOut(service, owner)
      const open = [...stripe.sessions.values()].filter(({ status }) => status === 'open')
      expect(open.map(({ id }) => id)).toEqual([sessionOf(stripe, checkout)])
    })

    test.each([
      ['paid', 'pay', 'pro'],
      ['expired', 'expire', 'free'],
    ] as const)('that turned out to be %s is answered as such', async (status, happens, tier) => {
      const { service, stripe, owner, goAfter } = await startPaying()
      const checkout = await checkOut(service, owner)
      stripe[happens](sessionOf(stripe, checkout))
      goAfter(1)
      expect(await verify(service, owner, checkout.checkoutId)).toMatchObject({ status, tier })
    })
  })
})
