import { Worker } from 'node:worker_threads'
import type { LightMyRequestResponse } from 'fastify'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Database } from '../../src/database/open.ts'
import { createSchemaJudge } from '../../src/deployments/schema-judge.ts'
import type { Limits } from '../../src/limits.ts'
import { createGate, type Gate } from '../support/deferred.ts'
import { describeEngine, describeEngines, useDatabase } from '../support/engines.ts'
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

/** As many as the service of these tests may hold. */
const DOOR = 8

interface WaitingScene extends Scene {
  gate: Gate
  /** From now on they wait at the gate. */
  shut(): void
}

/** A service where deployments wait at a gate for the judgement of their schemas. */
async function setWaitingScene(database: Database, limits: Partial<Limits> = {}): Promise<WaitingScene> {
  const gate = createGate()
  onTestFinished(() => gate.open())
  let isShut = false
  const scene = await setScene(database, {
    limits,
    schemaJudge: {
      async judge(_ownerId, schemas) {
        if (isShut) await gate.enter()
        return { ok: true, problems: schemas.map(() => null) }
      },
      close: async () => {},
    },
  })
  const shut = () => {
    isShut = true
  }
  return { ...scene, gate, shut }
}

const eventually = (check: () => void) => vi.waitFor(check, { timeout: 10_000 })

describeEngines('requests that wait for another thread', (engine) => {
  const database = useDatabase(engine)

  test('keep nobody else out: deployments, as many as may be held', async () => {
    const { service, runtime, execute, gate, shut } = await setWaitingScene(database(), { heldRequests: DOOR })
    shut()
    const waiting = Array.from({ length: DOOR }, () => service.deploy(runtime))
    await gate.arrived(DOOR)
    expect((await execute()).statusCode).toBe(200)
    await eventually(() => expect(service.deps.load.held).toBe(0))
    gate.open()
    for (const answer of await Promise.all(waiting)) expect(answer.statusCode).toBe(201)
    expect(service.deps.load.held).toBe(0)
  })
})

// How many may wait is the same on every engine.
describeEngine('sqlite', 'requests that wait, and are not held', (engine) => {
  const database = useDatabase(engine)

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
