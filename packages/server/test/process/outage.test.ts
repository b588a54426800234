import { ExecutionList } from '@svc/contract'
import { expect, test } from 'vitest'
import { databaseAway } from '../../src/errors.ts'
import { describeEngine } from '../support/engines.ts'
import { openStream } from '../support/event-stream.ts'
import { saying } from '../support/scene.ts'
import { ask } from './operator.ts'
import { type Replica, startTwoReplicas } from './replicas.ts'
import { until } from './until.ts'

/** Tries of one batch, which a restart of the database does not outlast. */
const TRIES = 7

describeEngine('postgres', 'two replicas whose database is away', (engine) => {
  test('refuse with a fault of theirs, which costs nothing and is counted apart from limits', async () => {
    const { first, second, runtime, gate, relay } = await startTwoReplicas(engine, 'free')
    gate.open()
    const call = ({ url }: Replica) =>
      fetch(`${url}/v1/capabilities/${runtime.runtimeId}/echo`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', connection: 'close' },
        body: '{}',
      })
    for (const replica of [first, second]) expect((await call(replica)).status).toBe(200)
    relay.shut('now')
    for (const replica of [first, second]) {
      const answer = await call(replica)
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([500, '1'])
      expect(await answer.json()).toEqual(databaseAway().toBody())
    }
    relay.open()
    const heard = { 200: 2, 429: 0, 500: 0 }
    const count = (status: number) => {
      if (status !== 200 && status !== 429 && status !== 500) throw new Error(`a call was answered with ${status}`)
      heard[status] += 1
    }
    // The plan lets 50 anonymous calls in, whichever replica they ask. Some may come before a replica has found its database again.
    for (const replica of [first, second]) {
      for (let last = 0; last !== 429; count(last)) last = (await call(replica)).status
    }
    expect(heard).toMatchObject({ 200: 50, 429: 2 })
    const counted = (name: string, label: string) =>
      Promise.all([first, second].map((replica) => replica.metric(name, label)))
    const sum = async (name: string, label = '') => (await counted(name, label)).reduce((all, one) => all + one, 0)
    expect(await sum('svc_admission_refusals_total')).toBe(2)
    expect(await sum('svc_overload_refusals_total', 'reason="database"')).toBe(2 + heard[500])
    expect(await sum('svc_http_request_duration_seconds_count', 'status="5xx"')).toBe(2 + heard[500])
  })

  test('tell what became of finished work once it is written, however many tries that takes', async () => {
    const { first, second, apiKey, runtime, gate, relay } = await startTwoReplicas(engine, 'pro')
    const callersOf = ({ url }: Replica) => {
      const stream = openStream(`${url}/v1/runtime/execute`, { key: runtime.publicKey, body: saying() })
      return [
        stream.then((answer) => answer.rest()).then((events) => events.at(-1)),
        ask(`${url}/v1/runtime/execute`, { key: runtime.publicKey, body: saying() }).then(({ body }) => body),
        ask(`${url}/v1/capabilities/${runtime.runtimeId}/echo`, { body: { input: { text: 'a' } } }),
      ] as const
    }
    const callers = [callersOf(first), callersOf(second)]
    await gate.arrived(6)
    relay.shut('now')
    gate.open()
    for (const replica of [first, second]) {
      const failures = () => replica.metric('svc_database_errors_total', 'place="settlements"')
      await until(async () => (await failures()) > TRIES)
    }
    relay.open()
    const told = await Promise.all(callers.map((ones) => Promise.all(ones)))
    for (const [done, whole, brokered] of told) {
      expect(done).toMatchObject({ type: 'done', status: 'completed' })
      expect(whole).toMatchObject({ status: 'completed' })
      expect(brokered).toMatchObject({ status: 200, body: { output: { text: 'a' } } })
    }
    const { body } = await ask(`${second.url}/v1/executions`, { key: apiKey })
    expect(ExecutionList.parse(body).executions.map(({ status }) => status)).toEqual(Array(6).fill('completed'))
  })
})
