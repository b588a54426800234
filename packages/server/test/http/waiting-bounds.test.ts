import { Worker } from 'node:worker_threads'
import type { Checkout } from '@svc/contract'
import type { LightMyRequestResponse } from 'fastify'
import { expect, onTestFinished, test, vi } from 'vitest'
import { testPayments } from '../../src/billing/payments/test-payments.ts'
import type { Database } from '../../src/database/open.ts'
import { createSchemaJudge } from '../../src/deployments/schema-judge.ts'
import { refusalOf } from '../support/answers.ts'
import { askForCheckout, askToVerify, checkOut } from '../support/checkouts.ts'
import { createTestClock } from '../support/clock.ts'
import { createGate, type Gate } from '../support/deferred.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { type Scene, setScene } from '../support/scene.ts'

/** A thread that finds every schema good, as soon as it may. */
const HELD_UP = `
  const { parentPort, workerData } = require('node:worker_threads')
  parentPort.on('message', ({ id, question }) => {
    Atomics.wait(workerData, 0, 0)
    parentPort.postMessage({ id, answer: question.map(() => null) })
  })
  parentPort.postMessage({ id: 0 })
`

interface WaitingScene extends Scene {
  gate: Gate
  /** From now on they wait at the gate. */
  shut(): void
  /** The owner's, which can be paid. */
  checkout: Checkout
}

/** A service whose payment provider answers once a gate opens. */
async function setWaitingScene(database: Database): Promise<WaitingScene> {
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
    clock,
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

const TOO_MANY = 'Too many payments are being asked about. Try again in a moment.'

// How many may wait is the same on every engine.
describeEngine('sqlite', 'requests that wait for another thread or another host', (engine) => {
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

  test('for their schemas: 8 MiB of one account, whatever else a manifest holds', async () => {
    const flag = new Int32Array(new SharedArrayBuffer(4))
    const letGo = () => {
      Atomics.store(flag, 0, 1)
      Atomics.notify(flag, 0)
    }
    const startWorker = () => new Worker(HELD_UP, { eval: true, workerData: flag })
    const schemaJudge = createSchemaJudge({ threads: 1, startWorker, waitMs: 60_000 })
    onTestFinished(() => schemaJudge.close())
    onTestFinished(letGo)
    const { service, runtime } = await setScene(database(), { manifest: null, schemaJudge })
    const refused: LightMyRequestResponse[] = []
    const answers = Array.from({ length: 12 }, async () => {
      const answer = await service.deploy(runtime, { metadata: { note: 'x'.repeat(1_000_000) } })
      if (answer.statusCode === 429) refused.push(answer)
      return answer
    })
    // One is being judged, eight wait.
    await eventually(() => expect(refused).toHaveLength(3))
    letGo()
    const served = (await Promise.all(answers)).filter(({ statusCode }) => statusCode === 201)
    expect(served).toHaveLength(9)
  })
})

async function withNewOwner(scene: WaitingScene): Promise<WaitingScene> {
  const owner = await scene.service.owner()
  return { ...scene, owner, checkout: await checkOut(scene.service, owner) }
}
