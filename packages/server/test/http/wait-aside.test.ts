import type { Checkout } from '@svc/contract'
import type { LightMyRequestResponse } from 'fastify'
import { expect, onTestFinished, test, vi } from 'vitest'
import { testPayments } from '../../src/billing/payments/test-payments.ts'
import type { Database } from '../../src/database/open.ts'
import type { Limits } from '../../src/limits.ts'
import { refusalOf } from '../support/answers.ts'
import { askForCheckout, askToVerify, checkOut } from '../support/checkouts.ts'
import { createTestClock } from '../support/clock.ts'
import { createGate, type Gate } from '../support/deferred.ts'
import { describeEngine, describeEngines, useDatabase } from '../support/engines.ts'
import { type Scene, setScene } from '../support/scene.ts'
import { QUICK_HASHER } from '../support/service.ts'
import { askToSignIn, askToSignUp, newAddress } from '../support/sign-in.ts'

/** As many as the service of these tests may hold. */
const DOOR = 8

interface WaitingScene extends Scene {
  gate: Gate
  /** From now on they wait at the gate. */
  shut(): void
  /** The owner's, which can be paid. */
  checkout: Checkout
}

/** A service where whoever waits for a password's hash or for the payment provider does so at a gate. */
async function setWaitingScene(database: Database, limits: Partial<Limits> = {}): Promise<WaitingScene> {
  const gate = createGate()
  onTestFinished(() => gate.open())
  const clock = createTestClock()
  const provider = testPayments({ baseUrl: () => 'https://svc.test', clock })
  let isShut = false
  const atGate = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isShut) await gate.enter()
    return work()
  }
  const scene = await setScene(database, {
    limits,
    clock,
    passwordHasher: {
      hash: (password) => atGate(() => QUICK_HASHER.hash(password)),
      verify: (compared) => atGate(() => QUICK_HASHER.verify(compared)),
    },
    payments: {
      ...provider,
      open: (order) => atGate(() => provider.open(order)),
      check: (payment) => atGate(() => provider.check(payment)),
      close: (payment) => atGate(() => provider.close(payment)),
    },
  })
  const checkout = await checkOut(scene.service, scene.owner)
  const shut = () => {
    isShut = true
  }
  return { ...scene, gate, shut, checkout }
}

const eventually = (check: () => void) => vi.waitFor(check, { timeout: 10_000 })

interface Wait {
  ask: (scene: WaitingScene) => Promise<LightMyRequestResponse>
  /** How many come to the gate; the others stand in line for it. */
  atGate: number
  status: number
}

const TOO_MANY = 'Too many payments are being asked about. Try again in a moment.'
const PASSWORDS = { currentPassword: 'wrong', newPassword: 'another battery staple' }

const WAITS: [string, Wait][] = [
  ['sign-ins', { ask: ({ service, owner }) => askToSignIn(service, { email: owner.email }), atGate: 2, status: 200 }],
  [
    'sign-ins of nobody',
    { ask: ({ service }) => askToSignIn(service, { email: newAddress() }), atGate: 2, status: 401 },
  ],
  ['sign-ups', { ask: ({ service }) => askToSignUp(service, { email: newAddress() }), atGate: 2, status: 201 }],
  [
    'changes of a password',
    {
      ask: ({ service, session }) => service.send('POST', '/v1/account/password', { key: session, body: PASSWORDS }),
      atGate: 2,
      status: 400,
    },
  ],
  ['checkouts', { ask: ({ service, owner }) => askForCheckout(service, owner), atGate: DOOR, status: 200 }],
  [
    'verifications of a checkout',
    {
      ask: ({ service, owner, checkout }) => askToVerify(service, owner, checkout.checkoutId),
      atGate: DOOR,
      status: 200,
    },
  ],
]

describeEngines('requests that wait for another thread or another host', (engine) => {
  const database = useDatabase(engine)

  test.each(WAITS)('keep nobody else out: %s, as many as may be held', async (_what, { ask, atGate, status }) => {
    const scene = await setWaitingScene(database(), { heldRequests: DOOR })
    const { service, execute, gate, shut } = scene
    shut()
    const waiting = Array.from({ length: DOOR }, () => ask(scene))
    await gate.arrived(atGate)
    expect((await execute()).statusCode).toBe(200)
    await eventually(() => expect(service.deps.load.held).toBe(0))
    gate.open()
    for (const answer of await Promise.all(waiting)) expect(answer.statusCode).toBe(status)
    expect(service.deps.load.held).toBe(0)
  })

  test('keep nobody else out: checkouts that have the one before them closed', async () => {
    const scene = await setWaitingScene(database(), { heldRequests: DOOR })
    const { service, owner, execute, gate, shut } = scene
    shut()
    const waiting = Array.from({ length: DOOR }, () => askForCheckout(service, owner))
    await gate.arrived(DOOR)
    for (let count = 0; count < DOOR; count += 1) gate.letOne()
    await gate.arrived(2 * DOOR)
    expect((await execute()).statusCode).toBe(200)
    gate.open()
    for (const answer of await Promise.all(waiting)) expect(answer.statusCode).toBe(200)
  })

  test('are held again once that is over', async () => {
    const { service, owner, gate, shut } = await setWaitingScene(database(), { heldRequests: DOOR })
    const { auth, load } = service.deps
    const held: number[] = []
    const { beginSession } = auth
    vi.spyOn(auth, 'beginSession').mockImplementation((...begun) => {
      held.push(load.held)
      return beginSession(...begun)
    })
    shut()
    const answer = askToSignIn(service, { email: owner.email })
    await gate.arrived(1)
    held.push(load.held)
    gate.open()
    expect((await answer).statusCode).toBe(200)
    expect(held).toEqual([0, 1])
  })
})

// How many may wait is the same on every engine.
describeEngine('sqlite', 'requests that wait, and are not held', (engine) => {
  const database = useDatabase(engine)

  test('for the payment provider: 32 of one account and 256 in all, one too many is told to come again', async () => {
    const scene = await setWaitingScene(database())
    const { service, gate, shut } = scene
    const accounts = [scene]
    while (accounts.length < 9) accounts.push(await withNewOwner(scene))
    const [last, ...others] = accounts
    if (last === undefined) throw new Error('there are nine')
    shut()
    const waiting: Promise<LightMyRequestResponse>[] = []
    for (const { owner, checkout } of others) {
      for (let count = 0; count < 32; count += 1) waiting.push(askToVerify(service, owner, checkout.checkoutId))
      await gate.arrived(waiting.length)
      expect(refusalOf(await askToVerify(service, owner, checkout.checkoutId), 'rate_limit_exceeded')).toBe(TOO_MANY)
      expect(refusalOf(await askForCheckout(service, owner), 'rate_limit_exceeded')).toBe(TOO_MANY)
    }
    expect(waiting).toHaveLength(256)
    expect(refusalOf(await askForCheckout(service, last.owner), 'rate_limit_exceeded')).toBe(TOO_MANY)
    gate.open()
    for (const answer of await Promise.all(waiting)) expect(answer.statusCode).toBe(200)
    for (const { owner, checkout } of accounts) {
      expect((await askToVerify(service, owner, checkout.checkoutId)).json()).toMatchObject({ status: 'pending' })
    }
  })
})

async function withNewOwner(scene: WaitingScene): Promise<WaitingScene> {
  const owner = await scene.service.owner()
  return { ...scene, owner, checkout: await checkOut(scene.service, owner) }
}
