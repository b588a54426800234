import { BillingUsage } from '@svc/contract'
import { expect, onTestFinished, test } from 'vitest'
import { createRetentionSweep } from '../../src/executions/retention.ts'
import { recountStoredBytes } from '../../src/usage/recount-store.ts'
import { textBytes } from '../../src/usage/stored-bytes-rules.ts'
import { createGate } from '../support/deferred.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { DAY_MS } from '../support/past.ts'
import { takeOver } from '../support/replicas.ts'
import { deployed, executed, type Scene, setScene } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'
import { startService } from '../support/service.ts'

const LIMIT = 200_000_000

async function usageOf({ service, owner }: Scene): Promise<BillingUsage> {
  const answer = await service.send('GET', '/v1/billing/usage', { key: owner.apiKey })
  expect(answer.statusCode).toBe(200)
  return BillingUsage.parse(answer.json())
}

async function usedBy(scene: Scene): Promise<number> {
  return (await usageOf(scene)).storedBytes.used
}

async function setUsed({ database, owner }: Scene, bytes: number): Promise<void> {
  await database.db.updateTable('owners').set({ stored_bytes: bytes }).where('owner_id', '=', owner.ownerId).execute()
}

describeEngines('the bytes that an account has stored', (engine) => {
  const database = useDatabase(engine)

  // holds BIL-14
  test('grow with payloads and manifests, shrink with deletions, and equal a recount', async () => {
    const scene = await setScene(database(), {
      limits: { deploymentsKept: 1 },
      handle: { echo: ({ input }) => ({ output: { text: JSON.stringify(input), more: 'ü'.repeat(2_000) } }) },
    })
    const { service, owner } = scene
    const before = await usedBy(scene)
    service.model.say(calls({ name: 'echo', input: { text: 'ä'.repeat(1_000) } }), text('Done.'))
    executed(
      await scene.execute({
        messages: [{ role: 'user', parts: [{ type: 'text', content: 'Hi' }] }],
        metadata: { page: 'x'.repeat(500) },
      }),
    )
    expect((await scene.broker('echo', { input: { text: 'y'.repeat(3_000) } })).statusCode).toBe(200)
    const filled = await usedBy(scene)
    expect(filled - before).toBeGreaterThan(2_000 + 4_000 + 500 + 3_000 + 4_000)
    const recount = () => recountStoredBytes(scene.database.db, owner.ownerId)
    expect(await recount()).toEqual({ before: filled, counted: filled })
    await deployed(service, scene.runtime, { agent: { instructions: 'z'.repeat(10_000) } })
    expect((await usedBy(scene)) - filled).toBeGreaterThan(10_000)
    service.clock.advance(7 * DAY_MS + 1)
    await service.renew()
    await createRetentionSweep(service.deps).run()
    await deployed(service, scene.runtime)
    await deployed(service, scene.runtime)
    const { counted = 0, before: kept = 0 } = (await recount()) ?? {}
    expect(counted).toBe(kept)
    // Two manifests like the first: that of the stable deployment, and of the one that a rollback would bring back.
    expect(counted).toBe(2 * before)
  })

  test('count the stored payloads of interrupted executions', async () => {
    const gate = createGate()
    const scene = await setScene(database(), {
      handle: {
        echo: async () => {
          await gate.enter()
          return { output: 'late' }
        },
      },
    })
    const { service, owner } = scene
    service.model.say(calls({ name: 'echo', input: { text: 'a'.repeat(5_000) } }), text('Done.'))
    const running = scene.execute()
    await gate.arrived(1)
    service.deps.running.stopAll('shutdown')
    await running
    gate.open()
    const used = await usedBy(scene)
    expect(await recountStoredBytes(scene.database.db, owner.ownerId)).toEqual({ before: used, counted: used })
  })

  test('are corrected by a recount while usage waits to be aggregated', async () => {
    const scene = await setScene(database())
    await setUsed(scene, 7)
    executed(await scene.execute())
    const { counted } = (await recountStoredBytes(scene.database.db, scene.owner.ownerId)) ?? {}
    expect(await usedBy(scene)).toBe(counted)
  })

  // holds BIL-14
  test('past the plan’s bound payloads are cut, with a warning, and nothing is refused', async () => {
    const scene = await setScene(database())
    const { service } = scene
    expect((await usageOf(scene)).warnings).toEqual([])
    await setUsed(scene, LIMIT)
    service.model.say(calls({ name: 'echo', input: { text: 'a payload' } }), text('Done.'))
    const done = executed(
      await scene.execute({
        messages: [{ role: 'user', parts: [{ type: 'text', content: 'Hi' }] }],
        metadata: { page: 'a page' },
      }),
    )
    expect(done.status).toBe('completed')
    expect(JSON.stringify(done.messages)).toContain('a payload')
    const trace = await scene.trace(done.executionId)
    expect(trace).toMatchObject({
      status: 'completed',
      metadata: { truncated: true },
      messageShape: [],
      capabilityCalls: [
        { capability: 'echo', status: 'completed', input: { truncated: true }, output: { truncated: true } },
      ],
    })
    const called = await scene.broker('echo', { input: { text: 'another' } })
    expect(called.json()).toMatchObject({ output: { text: 'another' } })
    const { storedBytes, warnings } = await usageOf(scene)
    expect(storedBytes.limit).toBe(LIMIT)
    expect(storedBytes.used).toBeLessThan(LIMIT + 1_000)
    expect(warnings).toEqual([expect.stringContaining('{"truncated": true}')])
  })

  // holds BIL-14
  test('past the plan’s bound hold the first ten of many calls, and counts stay exact', async () => {
    const long = 'ü'.repeat(5_000)
    const scene = await setScene(database(), {
      handle: { echo: ({ input }) => ({ error: (input as { text: string }).text }) },
    })
    const { service, owner } = scene
    const asked = Array.from({ length: 4 }, (_, step) =>
      calls(
        ...Array.from({ length: 15 }, (_, index) => ({ name: 'echo', input: { text: `${step} ${index} ${long}` } })),
      ),
    )
    await setUsed(scene, LIMIT)
    service.model.say(calls({ name: 'echo', input: { text: 'Sold out.' } }), ...asked, text('Done.'))
    const { executionId } = executed(await scene.execute())
    const { capabilityCalls, ...trace } = await scene.trace(executionId)
    expect(trace).toMatchObject({ status: 'completed', steps: 6, modelSteps: [], failedCalls: 61 })
    expect([trace.inputTokens, trace.outputTokens]).toEqual([6 * 7, 6 * 3])
    expect(capabilityCalls.map(({ step }) => step)).toEqual([1, ...Array(9).fill(2)])
    expect(capabilityCalls.slice(0, 2).map(({ error }) => error?.message)).toEqual([
      'Sold out.',
      'The error is not kept: the account has no room.',
    ])
    const listed = await service.send('GET', '/v1/executions', { key: owner.apiKey })
    expect(listed.json().executions).toMatchObject([{ executionId, capabilityCalls: 61, failedCalls: 61 }])
    const usage = await usageOf(scene)
    expect(usage).toMatchObject({ capabilityCalls: 61, inputTokens: 42, outputTokens: 18 })
    const row = await database()
      .db.selectFrom('executions')
      .select(['message_shape', 'metadata', 'model_steps', 'error', 'calls'])
      .where('execution_id', '=', executionId)
      .executeTakeFirstOrThrow()
    expect(usage.storedBytes.used - LIMIT).toBe(textBytes(Object.values(row)))
    expect(textBytes(Object.values(row))).toBeLessThan(4_000)
  })

  // holds BIL-14
  test('stay within the plan’s bound while usage waits to be aggregated, with a warning before it', async () => {
    const scene = await setScene(database())
    const input = { text: 'x'.repeat(30_000) }
    await setUsed(scene, LIMIT - 70_000)
    for (let index = 0; index < 10; index += 1) expect((await scene.broker('echo', { input })).statusCode).toBe(200)
    const { storedBytes, warnings } = await usageOf(scene)
    // The first one fits, and no other.
    expect(storedBytes.used).toBeGreaterThan(LIMIT - 20_000)
    expect(storedBytes.used).toBeLessThan(LIMIT)
    expect(warnings).toHaveLength(1)
  })

  /** An execution with metadata, whose one call waits at the gate. */
  async function setBegun(used: number, input = { text: 'x' }) {
    const gate = createGate()
    onTestFinished(gate.open)
    const handle = { echo: async () => ({ output: await gate.enter() }) }
    const scene = await setScene(database(), { handle })
    await setUsed(scene, used)
    scene.service.model.say(calls({ name: 'echo', input }), text('Another.'), text('Done.'))
    const running = scene.execute({
      messages: [{ role: 'user', parts: [{ type: 'text', content: 'Hi' }] }],
      metadata: { page: 'x'.repeat(500) },
    })
    await gate.arrived(1)
    const stored = async () => {
      const columns = ['message_shape', 'metadata', 'model_steps', 'error', 'calls'] as const
      const { owner, database } = scene
      const query = database.db.selectFrom('executions').select(columns).where('owner_id', '=', owner.ownerId)
      return textBytes((await query.execute()).flatMap((row) => Object.values(row)))
    }
    return { scene, gate, running, stored }
  }

  test.each([
    ['while it runs', LIMIT - 300, LIMIT - 300],
    ['before it begins, and no more when it ends', LIMIT, 0],
  ])('count the metadata of an execution as it is stored where the bound is passed %s', async (_when, first, then) => {
    const { scene, gate, running, stored } = await setBegun(first)
    await setUsed(scene, then)
    // From its admission the server knows the figure.
    executed(await scene.execute())
    gate.open()
    executed(await running)
    expect((await usedBy(scene)) - then).toBe(await stored())
  })

  test('past the plan’s bound payloads of interrupted executions are cut, too', async () => {
    const { scene, stored } = await setBegun(LIMIT - 1_000, { text: 'x'.repeat(20_000) })
    const successor = await startService(database(), { masterKey: scene.service.masterKey, clock: scene.service.clock })
    onTestFinished(() => successor.close())
    await takeOver(successor)
    expect((await usedBy(scene)) - (LIMIT - 1_000)).toBe(await stored())
    expect(await stored()).toBeLessThan(2_000)
  })

  test('have no bound on the enterprise plan', async () => {
    const scene = await setScene(database(), { tier: 'enterprise' })
    await setUsed(scene, 100 * LIMIT)
    const { executionId } = (await scene.broker('echo', { input: { text: 'kept' } })).json()
    expect((await scene.trace(executionId)).capabilityCalls[0]?.input).toEqual({ text: 'kept' })
    expect(await usageOf(scene)).toMatchObject({ storedBytes: { limit: null }, warnings: [] })
  })
})
