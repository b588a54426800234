import { expect, onTestFinished, test, vi } from 'vitest'
import { limited } from '../../src/errors.ts'
import { Stop } from '../../src/lib/stop-signal.ts'
import { createSchemas, type Schemas } from '../../src/schemas/schemas.ts'
import type { Database } from '../../src/store/database.ts'
import { createGate } from '../support/deferred.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { post } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { setScene } from '../support/scene.ts'
import { calls } from '../support/scripted-model.ts'
import { capability, schemaThreadHere, type TestServiceOptions } from '../support/service.ts'

/** Too many keywords to be compiled on the thread of the event loop. */
const LARGE = {
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`f${at}`, { type: 'number' }])),
}

const MANIFEST = { capabilities: [capability('large', { actions: [{ name: 'large', inputSchema: LARGE }] })] }

/** A service whose one capability has inputs that are checked by a thread, where each waits at a gate. */
async function setWaitingScene(database: Database, options: Partial<TestServiceOptions> = {}) {
  const gate = createGate()
  onTestFinished(() => gate.open())
  const asked = createGate()
  asked.open()
  const checked: string[] = []
  const askedFor = new Set<string>()
  const schemas = createSchemas(() => {
    const thread = schemaThreadHere()
    return {
      ...thread,
      async run(job, limitsMs) {
        if (job.input !== undefined) {
          checked.push(job.ownerId)
          await gate.enter()
        }
        return thread.run(job, limitsMs)
      },
    }
  })
  const scene = await setScene(database, {
    tier: 'pro',
    manifest: MANIFEST,
    handle: { large: () => ({ output: 'done' }) },
    schemas: {
      ...schemas,
      checkOf(ownerId, schema) {
        const check = schemas.checkOf(ownerId, schema)
        return (...input) => {
          askedFor.add(ownerId)
          void asked.enter()
          return check(...input)
        }
      },
    },
    ...options,
  })
  return { ...scene, gate, asked, askedFor, checked, idle: () => scene.service.deps.running.idle(new Stop()) }
}

// Judged before or after the store is asked; execute.test.ts and broker.test.ts hold what is stored on both engines.
describeEngine('sqlite', 'a request whose input is checked in the schema thread', (engine) => {
  const database = useDatabase(engine)

  test('is admitted once its input was found valid, while executions continue', async () => {
    const { broker, call, execute, gate } = await setWaitingScene(database())
    const waiting = [broker('large'), call({ capability: 'large', input: {} })]
    await gate.arrived(1)
    expect((await execute()).statusCode).toBe(200)
    gate.open()
    for (const answer of await Promise.all(waiting)) expect(answer.json()).toMatchObject({ output: 'done' })
  })

  // holds CAP-15
  test('waits for one input of another account, even if that account has many', async () => {
    const { service, broker, gate, asked, askedFor, checked, owner } = await setWaitingScene(database())
    const other = await service.owner()
    const runtime = await service.runtime(other)
    await service.deploy(runtime, MANIFEST)
    const calls = Array.from({ length: 20 }, () => broker('large'))
    await asked.arrived(20)
    const url = `/v1/capabilities/${runtime.runtimeId}/large`
    const answer = service.send('POST', url, { body: { input: { f0: 'a' } } })
    await eventually(() => expect(askedFor).toContain(other.ownerId))
    gate.open()
    expect((await answer).statusCode).toBe(400)
    await Promise.all(calls)
    expect(checked).toHaveLength(21)
    // One was being checked, and one more may have had its turn before.
    expect([1, 2]).toContain(checked.indexOf(other.ownerId))
    expect(checked.filter((ownerId) => ownerId === owner.ownerId)).toHaveLength(20)
  })

  test('is neither admitted nor charged where its caller left during the check', async () => {
    const { service, runtime, gate, charged, idle, endpoint } = await setWaitingScene(database())
    const before = await charged()
    const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
    const { request, response } = post(`${url}/v1/capabilities/${runtime.runtimeId}/large`, { body: { input: {} } })
    response.catch(() => undefined)
    await gate.arrived(1)
    request.destroy()
    await eventually(() => expect(service.deps.requests.size).toBe(0))
    gate.open()
    await idle()
    expect(await charged()).toEqual(before)
    expect(endpoint.effects).toEqual([])
  })

  test('leaves the queue when its caller leaves', async () => {
    const { service, runtime, broker, gate, asked, checked } = await setWaitingScene(database())
    const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
    const first = broker('large')
    await gate.arrived(1)
    const { request, response } = post(`${url}/v1/capabilities/${runtime.runtimeId}/large`, { body: { input: {} } })
    response.catch(() => undefined)
    await asked.arrived(2)
    request.destroy()
    // The first one alone is under way.
    await eventually(() => expect(service.deps.requests.size).toBe(1))
    gate.open()
    expect((await first).statusCode).toBe(200)
    expect(checked).toHaveLength(1)
  })

  test('is answered 429 when the service stops', async () => {
    const { service, broker, gate, charged } = await setWaitingScene(database())
    const before = await charged()
    const answer = broker('large')
    await gate.arrived(1)
    service.deps.running.shutDown()
    expect((await answer).statusCode).toBe(429)
    expect(await charged()).toEqual(before)
  })

  test('reads nothing from the database where too many inputs wait, unlike other refusals', async () => {
    const real = createSchemas(schemaThreadHere)
    let isFull = false
    const full = () => Promise.reject(limited('Too many.', 1_000))
    const schemas: Schemas = {
      ...real,
      checkOf: (ownerId, schema) => {
        const check = real.checkOf(ownerId, schema)
        return (...input) => (isFull ? full() : check(...input))
      },
    }
    const { service, broker } = await setWaitingScene(database(), { schemas })
    expect((await broker('large', { input: {} })).statusCode).toBe(200)
    const read = vi.spyOn(service.deps.serving.reads, 'read')
    isFull = true
    expect((await broker('large', { input: {} })).statusCode).toBe(429)
    expect(read).not.toHaveBeenCalled()
    isFull = false
    expect((await broker('large', { input: { f0: 'S' } })).statusCode).toBe(400)
    expect(read).toHaveBeenCalledTimes(1)
  })

  test('as an execution’s call ends with the execution', async () => {
    const { service, execute, gate } = await setWaitingScene(database())
    service.model.say(calls({ name: 'large', input: {} }))
    const answer = execute()
    await gate.arrived(1)
    service.deps.running.stopAll('deadline')
    gate.open()
    expect((await answer).json()).toMatchObject({
      status: 'failed',
      error: { message: 'The execution took too long and was stopped.' },
    })
  })
})
