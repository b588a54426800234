import { get } from 'node:http'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Database } from '../../src/store/database.ts'
import { refusalOf } from '../support/answers.ts'
import { createGate } from '../support/deferred.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { setScene } from '../support/scene.ts'

/** A scene whose queries of a table with a value of its owner’s in them wait at a gate, from `hold` on. */
async function setSlowScene(database: Database, table = 'projects') {
  const gate = createGate()
  onTestFinished(() => gate.open())
  let value: string | undefined
  const held = new WeakSet<object>()
  const named = new RegExp(`[" ]${table}[" ]`)
  const db = database.db.withPlugin({
    transformQuery({ node, queryId }) {
      const text = value === undefined ? '' : JSON.stringify(node)
      if (named.test(text) && text.includes(`"${value}"`)) held.add(queryId)
      return node
    },
    async transformResult({ result, queryId }) {
      if (held.has(queryId)) await gate.enter()
      return result
    },
  })
  const scene = await setScene({ ...database, db })
  const hold = (held = scene.owner.ownerId) => {
    value = held
  }
  return { ...scene, gate, hold }
}

// The queue is the same on both engines.
describeEngine('sqlite', 'requests to the owner and deploy planes', (engine) => {
  const database = useDatabase(engine)

  // holds AUTH-13
  test('four requests of one account run at once on both planes, 64 wait; another account is answered at once', async () => {
    const { service, owner, runtime, gate, hold } = await setSlowScene(database())
    const other = await service.owner()
    hold()
    const refused: string[] = []
    const send = async (method: 'GET' | 'POST', url: string, key: string) => {
      const answer = await service.send(method, url, { key })
      if (answer.statusCode === 429) refused.push(refusalOf(answer, 'rate_limit_exceeded'))
      return answer.statusCode
    }
    const pages = Array.from({ length: 40 }, () => send('GET', '/v1/projects', owner.apiKey))
    await gate.arrived(4)
    const beats = Array.from({ length: 30 }, () => send('POST', '/v1/runtime/heartbeat', runtime.deployKey))
    await eventually(() => expect(refused).toHaveLength(2))
    expect(new Set(refused)).toEqual(
      new Set(['Too many requests to the owner’s API are under way. Try again in a moment.']),
    )
    expect((await service.send('GET', '/v1/projects', { key: other.apiKey })).statusCode).toBe(200)
    expect(gate.waiting).toBe(4)
    gate.open()
    expect((await Promise.all([...pages, ...beats])).filter((status) => status === 200)).toHaveLength(68)
    expect(gate.mostAtOnce).toBe(4)
  })

  // A request of a row must read its table once at a time: what is counted are queries.
  test.each([
    ['summaries', 'execution_rollups', () => '/v1/analytics/summary'],
    ['lists of executions', 'executions', () => '/v1/executions'],
    ['lists of traces', 'executions', (runtimeId: string) => `/v1/traces/runtime/${runtimeId}`],
  ])(
    'requests for %s read one at a time for an account; its other requests and other accounts do not wait',
    async (...asked) => {
      const [, table, urlOf] = asked
      const { service, owner, runtime, gate, hold } = await setSlowScene(database(), table)
      const other = await service.owner()
      const url = urlOf(runtime.runtimeId)
      hold()
      const reads = Array.from({ length: 8 }, () => service.send('GET', url, { key: owner.apiKey }))
      await gate.arrived(1)
      const othersUrl = url.includes(runtime.runtimeId) ? '/v1/executions' : url
      expect((await service.send('GET', othersUrl, { key: other.apiKey })).statusCode).toBe(200)
      expect((await service.send('GET', '/v1/projects', { key: owner.apiKey })).statusCode).toBe(200)
      expect(gate.waiting).toBe(1)
      gate.open()
      for (const read of await Promise.all(reads)) expect(read.statusCode).toBe(200)
      expect(gate.mostAtOnce).toBe(1)
    },
  )

  test('executions and deployments do not count as such requests', async () => {
    const { service, owner, runtime, gate, hold, executeAsOwner } = await setSlowScene(database())
    hold()
    const pages = Array.from({ length: 5 }, () => service.send('GET', '/v1/projects', { key: owner.apiKey }))
    await gate.arrived(4)
    expect((await executeAsOwner()).statusCode).toBe(200)
    expect((await service.deploy(runtime)).statusCode).toBe(201)
    gate.open()
    expect((await Promise.all(pages)).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200])
  })

  test.each(['account', 'deploy'] as const)(
    'requests look their %s key up in one read at a time, before they have a turn',
    async (kind) => {
      const { service, owner, runtime, gate, hold } = await setSlowScene(database(), 'credentials')
      hold(kind)
      const send = () =>
        kind === 'account'
          ? service.send('GET', '/v1/projects', { key: owner.apiKey })
          : service.send('POST', '/v1/runtime/heartbeat', { key: runtime.deployKey })
      const requests = Array.from({ length: 30 }, send)
      await eventually(() => expect(service.deps.requests.size).toBe(30))
      await gate.arrived(1)
      gate.open()
      expect((await Promise.all(requests)).map(({ statusCode }) => statusCode)).toEqual(Array(30).fill(200))
      expect(gate.mostAtOnce).toBe(1)
    },
  )

  test('a request keeps its turn while its work continues after its caller left', async () => {
    const { service, owner, gate, hold } = await setSlowScene(database())
    const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
    hold()
    const ask = () => {
      const headers = { authorization: `Bearer ${owner.apiKey}` }
      return get(`${url}/v1/projects`, { headers }).on('error', () => undefined)
    }
    const callers = Array.from({ length: 4 }, ask)
    await gate.arrived(4)
    for (const caller of callers) caller.destroy()
    await eventually(() => expect(service.deps.requests.size).toBe(0))
    const page = service.send('GET', '/v1/account', { key: owner.apiKey })
    const isAnswered = vi.fn()
    page.then(isAnswered)
    expect((await service.send('GET', '/v1/projects', { key: (await service.owner()).apiKey })).statusCode).toBe(200)
    expect(isAnswered).not.toHaveBeenCalled()
    gate.open()
    expect((await page).statusCode).toBe(200)
  })
})
