import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { sweepApprovals } from '../../src/approvals/sweep-approvals.ts'
import { ModelError } from '../../src/model/model.ts'
import { createPrometheusMetrics } from '../../src/telemetry/prometheus-metrics.ts'
import { APPROVING, askToPay, decide } from '../support/approvals.ts'
import { deferred } from '../support/deferred.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { openStream, resumeStream } from '../support/event-stream.ts'
import { saying, setScene } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'
import { startForTest } from '../support/service.ts'

test('counters with a known set of labels are 0 from the start, so that a rate sees the first count', async () => {
  const text = await createPrometheusMetrics().text()
  const zeros = [...text.matchAll(/^(svc_\w+_total)\{\w+="\w+"\} 0$/gm)].map(([, name]) => name)
  expect([...new Set(zeros)].sort()).toEqual([
    'svc_admission_refusals_total',
    'svc_approvals_total',
    'svc_database_errors_total',
    'svc_lease_renewals_total',
    'svc_overload_refusals_total',
  ])
})

describeEngine('postgres', 'metrics of the pool', (engine) => {
  const database = useDatabase(engine)

  test('show connections in use, requests that wait for one, and the maximum', async () => {
    const metrics = createPrometheusMetrics()
    await startForTest(database(), { metrics })
    const end = deferred<void>()
    const hold = () => {
      const taken = deferred<void>()
      const over = database()
        .db.connection()
        .execute(() => {
          taken.resolve()
          return end.promise
        })
      return { taken: taken.promise, over }
    }
    const held = Array.from({ length: 10 }, hold)
    await Promise.all(held.map(({ taken }) => taken))
    const waiting = [hold(), hold()]
    await nextTurn()
    const values = (await metrics.text()).matchAll(/^svc_database_connections_(\w+) (\d+)$/gm)
    expect(Object.fromEntries([...values].map(([, name, value]) => [name, value]))).toEqual({
      used: '10',
      waiting: '2',
      maximum: '10',
    })
    end.resolve()
    await Promise.all([...held, ...waiting].map(({ over }) => over))
  })
})

// The store has no part in these: one engine tells as much as two.
describeEngine('sqlite', 'metrics', (engine) => {
  const database = useDatabase(engine)

  /** The value of a series, by its name and labels as they are written; undefined where it is not there. */
  async function measured(options: Parameters<typeof setScene>[1] = {}) {
    const metrics = createPrometheusMetrics()
    const scene = await setScene(database(), { metrics, ...options })
    const read = async (series: string) => {
      const line = (await metrics.text()).split('\n').find((each) => each.startsWith(`${series} `))
      return line === undefined ? undefined : Number(line.slice(series.length + 1))
    }
    return { ...scene, metrics, read }
  }

  test('count requests by the pattern of their route, executions, model calls, tokens and capability calls', async () => {
    const { service, execute, broker, read } = await measured()
    service.model.say(calls({ name: 'echo', input: {} }), text('done'))
    await execute()
    await broker('echo')
    await broker('unknown')
    await service.send('GET', '/v1/nowhere/at/all')
    const request = 'svc_http_request_duration_seconds_count'
    const broker200 = `${request}{method="POST",route="/v1/capabilities/:runtimeId/:capability",status="2xx"}`
    expect(await read(broker200)).toBe(1)
    expect(await read(broker200.replace('2xx', '4xx'))).toBe(1)
    expect(await read(`${request}{method="POST",route="/v1/runtime/execute",status="2xx"}`)).toBe(1)
    expect(await read(`${request}{method="GET",route="none",status="4xx"}`)).toBe(1)
    const ended = 'svc_execution_duration_seconds_count'
    expect(await read(`${ended}{kind="execute",status="completed",finish_reason="stop"}`)).toBe(1)
    expect(await read(`${ended}{kind="broker",status="completed",finish_reason="stop"}`)).toBe(1)
    expect(await read('svc_model_call_duration_seconds_count{provider="scripted",outcome="completed"}')).toBe(2)
    expect(await read('svc_model_tokens_total{provider="scripted",direction="input"}')).toBe(14)
    expect(await read('svc_model_tokens_total{provider="scripted",direction="output"}')).toBe(6)
    expect(await read('svc_capability_call_duration_seconds_count{outcome="completed"}')).toBe(2)
    for (const batch of ['admissions', 'settlements']) {
      expect(await read(`svc_batch_size_sum{batch="${batch}"}`), batch).toBe(2)
    }
    expect(await read('svc_batch_size_sum{batch="calls"}')).toBe(1)
    expect(await read('svc_running_executions')).toBe(0)
    expect(await read('svc_lease_held')).toBe(1)
    expect(await read('svc_batch_queued{batch="admissions"}')).toBe(0)
  })

  test('count approvals by what became of them, streams that wait, and readers who missed events', async () => {
    const scene = await measured({ ...APPROVING, limits: { eventBytes: 10 } })
    const { service, runtime, read } = scene
    const [first, second, third] = [await askToPay(scene), await askToPay(scene), await askToPay(scene)]
    await decide(scene, first)
    await decide(scene, first)
    await decide(scene, second, { decision: 'decline' })
    await sweepApprovals(service.deps)
    expect(await read('svc_pending_approvals')).toBe(1)
    service.clock.advance(Date.parse(third.expiresAt))
    await service.renew()
    await sweepApprovals(service.deps)
    expect(await read('svc_pending_approvals')).toBe(0)
    const counts = { asked: 3, approved: 1, declined: 1, expired: 1 }
    for (const [event, count] of Object.entries(counts)) {
      expect([event, await read(`svc_approvals_total{event="${event}"}`)]).toEqual([event, count])
    }
    service.model.say(text('done'))
    const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
    const key = runtime.publicKey
    const stream = await openStream(`${url}/v1/runtime/execute`, { key, body: { ...saying(), detach: true } })
    await stream.rest()
    if (stream.run === null) throw new Error('the stream has told no execution')
    await (await resumeStream(url, { key, run: stream.run })).rest()
    expect([await read('svc_streamed_runs'), await read('svc_stream_gaps_total')]).toEqual([1, 1])
    expect(await read('svc_stream_event_bytes')).toBe(service.deps.streams.bytes)
  })

  test('distinguish failures of models, of endpoints and of limits', async () => {
    const handle = { echo: () => ({ output: null, error: { message: 'no' } }) }
    const { service, execute, broker, endpoint, read } = await measured({ handle })
    service.model.say(() => {
      throw new ModelError('The model is not available at the moment.', { usage: { inputTokens: 5, outputTokens: 0 } })
    })
    await execute()
    expect(await read('svc_model_call_duration_seconds_count{provider="scripted",outcome="failed"}')).toBe(1)
    expect(await read('svc_model_tokens_total{provider="scripted",direction="input"}')).toBe(5)
    await broker('echo')
    expect(await read('svc_capability_call_duration_seconds_count{outcome="reported"}')).toBe(1)
    await endpoint.close()
    await broker('echo')
    expect(await read('svc_capability_call_duration_seconds_count{outcome="unreachable"}')).toBe(1)
    let answer = await broker('echo')
    while (answer.statusCode !== 429) answer = await broker('echo')
    expect(await read('svc_admission_refusals_total{limit="anonymous"}')).toBeGreaterThan(0)
    expect(await read('svc_open_circuits')).toBe(1)
  })

  test('hold no owner, runtime, capability, id or address, and no series that callers can create', async () => {
    const { service, owner, runtime, execute, broker, metrics } = await measured()
    service.model.say(calls({ name: 'echo', input: {} }), text('done'))
    await execute()
    await broker('echo')
    const ask = async (round: string) => {
      for (let index = 0; index < 10; index += 1) {
        await broker(`made-up-${round}-${index}`)
        await service.send('GET', `/v1/runtimes/rt_madeup${round}${index}`, { key: owner.apiKey })
      }
      for (const method of ['PROPFIND', 'PURGE', 'LOCK'] as const) await service.inject({ method, url: `/v1/${round}` })
      return (await metrics.text()).split('\n').filter((line) => line.startsWith('svc_'))
    }
    const first = await ask('first')
    const second = await ask('second')
    expect(second).toHaveLength(first.length)
    const known = [owner.ownerId, owner.email, runtime.runtimeId, 'echo', 'made-up', 'exec_', '127.0.0.1', 'PROPFIND']
    expect(known.filter((each) => second.join('\n').includes(each))).toEqual([])
  })
})
