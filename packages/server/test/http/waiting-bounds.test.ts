import { Worker } from 'node:worker_threads'
import type { LightMyRequestResponse } from 'fastify'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createSchemaJudge } from '../../src/deployments/schema-judge.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { setScene } from '../support/scene.ts'

/** A thread that finds every schema good, as soon as it may. */
const HELD_UP = `
  const { parentPort, workerData } = require('node:worker_threads')
  parentPort.on('message', ({ id, question }) => {
    Atomics.wait(workerData, 0, 0)
    parentPort.postMessage({ id, answer: question.map(() => null) })
  })
  parentPort.postMessage({ id: 0 })
`

const eventually = (check: () => void) => vi.waitFor(check, { timeout: 10_000 })

// How many may wait is the same on every engine.
describeEngine('sqlite', 'requests that wait for another thread or another host', (engine) => {
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
