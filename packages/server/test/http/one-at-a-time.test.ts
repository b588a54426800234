import { expect, onTestFinished, test, vi } from 'vitest'
import { SynchronousWork } from '../../src/admission/synchronous-work.ts'
import { createSchemas } from '../../src/schemas/schemas.ts'
import type { Database } from '../../src/store/database.ts'
import { refusalOf } from '../support/answers.ts'
import { createGate } from '../support/deferred.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { post } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { setScene } from '../support/scene.ts'
import { deployBody, schemaThreadHere } from '../support/service.ts'

/** A service whose deployments wait at a gate while their schemas are judged. */
async function setJudgingScene(database: Database) {
  const gate = createGate()
  onTestFinished(() => gate.open())
  const schemas = createSchemas(schemaThreadHere)
  const judged: string[] = []
  const scene = await setScene(database, {
    manifest: null,
    limits: { deploymentsPerHour: 200 },
    schemas: {
      ...schemas,
      async judge(ownerId, texts) {
        judged.push(ownerId)
        await gate.enter()
        return schemas.judge(ownerId, texts)
      },
    },
  })
  return { ...scene, gate, judged }
}

// What waits is the same on every engine.
describeEngine('sqlite', 'deployments of one account', (engine) => {
  const database = useDatabase(engine)

  test('are processed one at a time, beside those of another account; 64 wait', async () => {
    const { service, owner, runtime, gate, judged } = await setJudgingScene(database())
    const other = await service.owner()
    const theirs = await service.runtime(other)
    const refused: string[] = []
    const requests = Array.from({ length: 70 }, async () => {
      const answer = await service.deploy(runtime)
      if (answer.statusCode === 429) refused.push(refusalOf(answer, 'rate_limit_exceeded'))
      return answer.statusCode
    })
    await eventually(() => expect(refused).toHaveLength(5))
    expect(new Set(refused)).toEqual(
      new Set(['Too many deployments of this account are under way. Deploy again in a moment.']),
    )
    const beside = service.deploy(theirs)
    await gate.arrived(2)
    expect(judged).toEqual([owner.ownerId, other.ownerId])
    gate.open()
    expect((await beside).statusCode).toBe(201)
    expect((await Promise.all(requests)).filter((status) => status === 201)).toHaveLength(65)
    // The one of each account.
    expect(gate.mostAtOnce).toBe(2)
  })

  test('of several accounts take turns at the event loop', async () => {
    const { service, runtime } = await setScene(database())
    const theirs = await service.runtime(await service.owner())
    expect((await service.deploy(theirs)).statusCode).toBe(201)
    const rests = createGate()
    onTestFinished(() => rests.open())
    service.deps.synchronousWork = new SynchronousWork({ now: () => 0, rest: () => rests.enter() })
    const answered = vi.fn()
    const deploying = [runtime, theirs].map((one) => service.deploy(one).finally(answered))
    await rests.arrived(1)
    await eventually(async () => {
      const rows = await database().db.selectFrom('runtimes').select('serving_version').execute()
      expect(rows.filter(({ serving_version }) => serving_version === 2)).toHaveLength(2)
    })
    expect([rests.waiting, answered.mock.calls.length]).toEqual([1, 0])
    rests.open()
    for (const answer of await Promise.all(deploying)) expect(answer.statusCode).toBe(201)
  })

  test('leave the queue when their caller leaves', async () => {
    const { service, runtime, gate, judged } = await setJudgingScene(database())
    const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
    const first = service.deploy(runtime)
    await gate.arrived(1)
    const { request, response } = post(`${url}/v1/deployments`, { key: runtime.deployKey, body: deployBody() })
    response.catch(() => undefined)
    await eventually(() => expect(service.deps.requests.size).toBe(2))
    request.destroy()
    await eventually(() => expect(service.deps.requests.size).toBe(1))
    gate.open()
    expect((await first).statusCode).toBe(201)
    expect((await service.deploy(runtime)).statusCode).toBe(201)
    expect(judged).toHaveLength(2)
  })

  test('give up their turn if their caller leaves during the key look-up', async () => {
    const gate = createGate()
    onTestFinished(() => gate.open())
    let isLookingUp = false
    const held = database().db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (isLookingUp) await gate.enter()
        return result
      },
    })
    const { service, runtime } = await setScene({ ...database(), db: held }, { manifest: null })
    const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
    isLookingUp = true
    const { request, response } = post(`${url}/v1/deployments`, { key: runtime.deployKey, body: deployBody() })
    response.catch(() => undefined)
    await gate.arrived(1)
    request.destroy()
    await eventually(() => expect(service.deps.requests.size).toBe(0))
    gate.open()
    expect((await service.deploy(runtime)).statusCode).toBe(201)
  })
})
