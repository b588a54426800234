import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Database } from '../../src/database/open.ts'
import { createInputThreads } from '../../src/deployments/input-checks.ts'
import type { Asker } from '../../src/deployments/waiting-line.ts'
import { limited } from '../../src/errors.ts'
import { Stop } from '../../src/stop-signal.ts'
import { createGate } from '../support/deferred.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { post } from '../support/event-stream.ts'
import { setScene } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'
import { capability, inputThreadsAtOnce } from '../support/service.ts'

/** A thread that finds every input good, as soon as it may. */
const HELD_UP = `
  const { parentPort, workerData } = require('node:worker_threads')
  parentPort.on('message', ({ id }) => {
    Atomics.wait(workerData, 0, 0)
    parentPort.postMessage({ id, answer: null })
  })
  parentPort.postMessage({ id: 0 })
`
const LARGE = { type: 'object', properties: { size: { type: 'number' } }, description: 'x'.repeat(10_000) }

/** A service whose one capability has inputs that are checked elsewhere, where each waits at a gate. */
async function setWaitingScene(database: Database) {
  const gate = createGate()
  onTestFinished(() => gate.open())
  const threads = inputThreadsAtOnce()
  const askers: (Asker | undefined)[] = []
  const scene = await setScene(database, {
    manifest: { capabilities: [capability('large', { actions: [{ name: 'large', inputSchema: LARGE }] })] },
    handle: { large: () => ({ output: 'done' }) },
    inputThreads: {
      ...threads,
      async ask(...asked) {
        askers.push(asked[3])
        await gate.enter()
        return threads.ask(...asked)
      },
    },
  })
  return { ...scene, gate, askers, idle: () => scene.service.deps.running.idle(new Stop()) }
}

/** The same with the real line of inputs, and a thread that is held up until it is let go. */
async function setCrowdedScene(database: Database) {
  const flag = new Int32Array(new SharedArrayBuffer(4))
  const letGo = () => {
    Atomics.store(flag, 0, 1)
    Atomics.notify(flag, 0)
  }
  onTestFinished(letGo)
  const threads = createInputThreads(() => new Worker(HELD_UP, { eval: true, workerData: flag }))
  const gate = createGate()
  gate.open()
  const scene = await setScene(database, {
    tier: 'pro',
    manifest: { capabilities: [capability('large', { actions: [{ name: 'large', inputSchema: LARGE }] })] },
    handle: { large: () => ({ output: 'done' }) },
    inputThreads: {
      ask(...asked) {
        void gate.enter()
        return threads.ask(...asked)
      },
      close: () => threads.close(),
    },
  })
  onTestFinished(() => threads.close())
  return { ...scene, gate, letGo }
}

describeEngines('a request whose input is being checked elsewhere', (engine) => {
  const database = useDatabase(engine)

  test('keeps nobody else out, and is let in once its input was found to fit', async () => {
    const { broker, call, execute, gate, askers } = await setWaitingScene(database())
    const callLarge = () => call({ capability: 'large', input: {} })
    const waiting: ReturnType<typeof broker>[] = []
    // Each comes when those before it wait.
    for (const ask of [...Array.from({ length: 8 }, () => () => broker('large')), callLarge]) {
      waiting.push(ask())
      await gate.arrived(waiting.length)
    }
    // Each door has places of its own.
    expect(askers.map((asker) => asker?.door)).toEqual([...Array.from({ length: 8 }, () => 'broker'), 'page'])
    expect((await execute()).statusCode).toBe(200)
    gate.open()
    for (const answer of await Promise.all(waiting)) expect(answer.json()).toMatchObject({ output: 'done' })
  })

  test('has a place in line however many pages fill it, which pay nothing for that: strangers’, and what models call', async () => {
    const { service, broker, call, execute, executeAsOwner, endpoint, gate, letGo } = await setCrowdedScene(database())
    const crowd = Array.from({ length: 70 }, () => call({ capability: 'large', input: {} }))
    await gate.arrived(70)
    const asks = calls({ name: 'large', input: {} })
    service.model.say(asks, asks, text('done'))
    const others: ReturnType<typeof broker>[] = []
    for (const ask of [() => broker('large'), execute, executeAsOwner]) {
      others.push(ask())
      await gate.arrived(70 + others.length)
    }
    letGo()
    for (const answer of await Promise.all(others)) expect(answer.statusCode).toBe(200)
    const served = (await Promise.all(crowd)).filter(({ statusCode }) => statusCode === 200)
    // One was being checked, 32 waited.
    expect(served).toHaveLength(33)
    // Each execute's call was made, too.
    expect(endpoint.effects).toHaveLength(33 + 3)
  })

  test('is not let in, nor charged, where its caller left meanwhile: nobody waits for the check', async () => {
    const { service, runtime, gate, askers, charged, idle, endpoint } = await setWaitingScene(database())
    const before = await charged()
    const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
    const { request, response } = post(`${url}/v1/capabilities/${runtime.runtimeId}/large`, { body: { input: {} } })
    response.catch(() => undefined)
    await gate.arrived(1)
    request.destroy()
    await idle()
    // So that it leaves the line of what is to be checked, too.
    expect(askers.map((asker) => asker?.signal.aborted)).toEqual([true])
    gate.open()
    expect(await charged()).toEqual(before)
    expect(endpoint.effects).toEqual([])
  })

  test('is told to come again where the service stops', async () => {
    const { service, broker, gate, charged } = await setWaitingScene(database())
    const before = await charged()
    const answer = broker('large')
    await gate.arrived(1)
    service.deps.running.shutDown()
    expect((await answer).statusCode).toBe(429)
    expect(await charged()).toEqual(before)
  })

  test('and is told that too many are costs no read of the database, unlike other refusals', async () => {
    let isFull = false
    const threads = inputThreadsAtOnce()
    const { service, broker } = await setScene(database(), {
      manifest: { capabilities: [capability('large', { actions: [{ name: 'large', inputSchema: LARGE }] })] },
      handle: { large: () => ({ output: 'done' }) },
      inputThreads: {
        ...threads,
        ask: async (...asked) => (isFull ? Promise.reject(limited('Too many.', 1_000)) : threads.ask(...asked)),
      },
    })
    expect((await broker('large', { input: {} })).statusCode).toBe(200)
    const read = vi.spyOn(service.deps.serving.reads, 'read')
    isFull = true
    expect((await broker('large', { input: {} })).statusCode).toBe(429)
    expect(read).not.toHaveBeenCalled()
    isFull = false
    expect((await broker('large', { input: { size: 'S' } })).statusCode).toBe(400)
    expect(read).toHaveBeenCalledTimes(1)
  })

  test('as an execution’s call does not outlast that either', async () => {
    const { service, execute, gate, askers } = await setWaitingScene(database())
    service.model.say(calls({ name: 'large', input: {} }))
    const answer = execute()
    await gate.arrived(1)
    service.deps.running.stopAll('deadline')
    expect(askers.map((asker) => asker?.signal.aborted)).toEqual([true])
    expect((await answer).json()).toMatchObject({
      status: 'failed',
      error: { message: 'The execution took too long and was stopped.' },
    })
  })
})
