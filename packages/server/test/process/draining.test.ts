import { ExecutionList } from '@svc/contract'
import { expect, test } from 'vitest'
import { restarting } from '../../src/errors.ts'
import { describeEngine } from '../support/engines.ts'
import { postText } from '../support/raw-http.ts'
import { saying } from '../support/scene.ts'
import { keptConnection, untilPortIsClosed } from './connections.ts'
import { ask } from './operator.ts'
import { startTwoReplicas } from './replicas.ts'
import { until } from './until.ts'

const CONNECTIONS = 8
const STATUS = /(?<=HTTP\/1\.1 )\d+/g

describeEngine('postgres', 'a replica that drains beside another one', (engine) => {
  test('ends all that it let in, and what comes too late on a kept connection is served by the other', async () => {
    const drain = { SVC_DRAIN_DELAY_MS: '3000' }
    const { first, second, apiKey, runtime, gate } = await startTwoReplicas(engine, 'pro', drain)
    const head = { authorization: `Bearer ${runtime.publicKey}` }
    const stream = postText('/v1/runtime/execute', saying(), { ...head, accept: 'text/event-stream' })
    const whole = postText('/v1/runtime/execute', saying(), head)
    // The head of each stream leaves before the signal, so that its connection stays open.
    const kept = Array.from({ length: CONNECTIONS }, () => keptConnection(first))
    for (const { send } of kept) send(stream)
    await gate.arrived(CONNECTIONS)
    const stopped = first.stop()
    await until(async () => (await ask(`${first.ops}/ready`)).status !== 200)
    const within = ask(`${first.url}/v1/runtime/execute`, { key: runtime.publicKey, body: saying() })
    await gate.arrived(CONNECTIONS + 1)
    await untilPortIsClosed(first)
    for (const { send } of kept) send(whole)
    gate.open()
    expect(await within).toMatchObject({ status: 200, body: { status: 'completed' } })
    for (const text of await Promise.all(kept.map(({ heard }) => heard))) {
      expect(text.match(STATUS)).toEqual(['200', '429'])
      expect(text).toMatch(/event: done\n[\s\S]*"type":"done"[^\n]*"status":"completed"/)
      expect(text).toContain(JSON.stringify(restarting().toBody()))
      expect(text).toMatch(/^retry-after: 1\r$/m)
      const again = await ask(`${second.url}/v1/runtime/execute`, { key: runtime.publicKey, body: saying() })
      expect(again).toMatchObject({ status: 200, body: { status: 'completed' } })
    }
    await stopped
    const { body } = await ask(`${second.url}/v1/executions?limit=200`, { key: apiKey })
    const ended = Array(2 * CONNECTIONS + 1).fill('completed')
    expect(ExecutionList.parse(body).executions.map(({ status }) => status)).toEqual(ended)
  })
})
