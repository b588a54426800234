import { ExecutionList, Trace, TraceList } from '@svc/contract'
import { expect, test } from 'vitest'
import { faultsIn, refusalOf } from '../support/answers.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { insertPast, type PastExecution } from '../support/past.ts'
import { executed, setScene } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'
import { startForTest, type TestOwner, type TestService } from '../support/service.ts'

const HOUR_MS = 3_600_000
const STATUSES = ['completed', 'failed', 'running'] as const

type Query = Record<string, string>

describeEngines('the traces of a runtime', (engine) => {
  const database = useDatabase(engine)

  /** 30 executions of each of two runtimes, one an hour. */
  async function start() {
    const service = await startForTest(database())
    const owner = await service.owner('pro')
    const runtimes = [await service.runtime(owner), await service.runtime(owner)] as const
    const past = runtimes.flatMap(({ runtimeId, projectId }) =>
      Array.from(
        { length: 30 },
        (_, index): PastExecution => ({
          ownerId: owner.ownerId,
          executionId: service.deps.newId('execution'),
          runtimeId,
          projectId,
          status: STATUSES[index % 3] ?? 'completed',
          startedAt: service.clock.now() - index * HOUR_MS,
        }),
      ),
    )
    await insertPast(database(), past)
    const list = (query: Query = {}, runtimeId = runtimes[0].runtimeId) => traces(service, owner, runtimeId, query)
    return { service, owner, runtimes, list }
  }

  // holds TRC-19
  test('hold that runtime’s executions alone, with the pages and filters of the list of executions', async () => {
    const { service, owner, runtimes, list } = await start()
    const [{ runtimeId, projectId }, other] = runtimes
    const now = service.clock.now()
    const window = { from: String(now - 20 * HOUR_MS), to: String(now - 3 * HOUR_MS) }
    for (const query of [{}, { status: 'failed' }, window, { ...window, status: 'completed' }, { projectId }]) {
      for (const limit of ['4', '200']) {
        const executions = ExecutionList.parse((await listed(service, owner, { ...query, runtimeId, limit })).json())
        const shown = await list({ ...query, limit })
        expect(shown).toEqual({ traces: executions.executions, nextCursor: executions.nextCursor })
        expect(shown.traces.length).toBeGreaterThan(0)
        expect(shown.traces.map((trace) => trace.runtimeId)).toEqual(shown.traces.map(() => runtimeId))
      }
    }
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: TraceList = await list({ limit: '7', ...(cursor && { cursor }) })
      seen.push(...page.traces.map(({ executionId }) => executionId))
      cursor = page.nextCursor
    }
    expect(new Set(seen).size).toBe(30)
    expect(seen).toEqual((await list({ limit: '200' })).traces.map(({ executionId }) => executionId))
    expect((await list({ limit: '200' }, other.runtimeId)).traces).toHaveLength(30)
  })

  test('of one runtime hold only their own with the cursor of another', async () => {
    const { runtimes, list } = await start()
    const { nextCursor } = await list({ limit: '5' })
    const { traces: shown } = await list({ cursor: nextCursor ?? '', limit: '200' }, runtimes[1].runtimeId)
    expect(shown.length).toBeGreaterThan(20)
    expect(new Set(shown.map(({ runtimeId }) => runtimeId))).toEqual(new Set([runtimes[1].runtimeId]))
  })

  // holds TRC-20
  test('of another owner’s runtime or project answer as for one that does not exist', async () => {
    const { service, runtimes } = await start()
    const otherOwner = await service.owner()
    const { runtimeId: own } = await service.runtime(otherOwner)
    const ask = (path: string) => service.send('GET', `/v1/traces/runtime/${path}`, { key: otherOwner.apiKey })
    const [foreign, absent] = [await ask(runtimes[0].runtimeId), await ask('rt_of_nobody')]
    expect(refusalOf(foreign, 'not_found')).toBe('The runtime was not found.')
    expect(foreign.body).toBe(absent.body)
    expect(Object.keys(foreign.headers)).toEqual(Object.keys(absent.headers))
    expect((await ask(`${runtimes[0].runtimeId}?status=failed&limit=1`)).body).toBe(absent.body)
    const foreignProject = await ask(`${own}?projectId=${runtimes[0].projectId}`)
    expect(refusalOf(foreignProject, 'not_found')).toBe('The project was not found.')
    expect(foreignProject.body).toBe((await ask(`${own}?projectId=proj_of_nobody`)).body)
  })

  test('name faults of their query', async () => {
    const { service, owner, runtimes } = await start()
    const path = `/v1/traces/runtime/${runtimes[0].runtimeId}`
    for (const [query, field] of [
      ['limit=201', 'limit'],
      ['cursor=x', 'cursor'],
      ['status=done', 'status'],
      ['from=yesterday', 'from'],
      ['to=2026-02-30', 'to'],
      ['from=2&to=1', 'from'],
    ] as const) {
      expect(Object.keys(faultsIn(await service.send('GET', `${path}?${query}`, { key: owner.apiKey })))).toEqual([
        field,
      ])
    }
  })
})

describeEngines('one trace', (engine) => {
  const database = useDatabase(engine)

  // holds TRC-21
  test('is byte for byte the body of the execution’s own route', async () => {
    const scene = await setScene(database())
    const { service, owner, runtime } = scene
    service.model.say(calls({ name: 'echo', input: { text: 'stored' } }), text('done'))
    const { executionId } = executed(await scene.execute())
    const [trace, execution] = await Promise.all(
      ['traces', 'executions'].map((name) => service.send('GET', `/v1/${name}/${executionId}`, { key: owner.apiKey })),
    )
    expect(trace?.statusCode).toBe(200)
    expect(trace?.body).toBe(execution?.body)
    expect(Trace.strict().parse(trace?.json())).toMatchObject({
      executionId,
      runtimeId: runtime.runtimeId,
      capabilityCalls: [{ input: { text: 'stored' }, output: { text: 'stored' } }],
    })
    expect((await traces(service, owner, runtime.runtimeId)).traces).toMatchObject([
      { executionId, capabilityCalls: 1 },
    ])
  })

  // holds TRC-21
  test('of another owner answers as one that does not exist', async () => {
    const scene = await setScene(database())
    const { executionId } = executed(await scene.execute())
    const otherOwner = await scene.service.owner()
    const ask = (id: string) => scene.service.send('GET', `/v1/traces/${id}`, { key: otherOwner.apiKey })
    const [foreign, absent, word] = [await ask(executionId), await ask('exec_of_nobody'), await ask('runtime')]
    expect(refusalOf(foreign, 'not_found')).toBe('The execution was not found.')
    expect(foreign.body).toBe(absent.body)
    expect(word.body).toBe(absent.body)
    expect(Object.keys(foreign.headers)).toEqual(Object.keys(absent.headers))
  })
})

function listed(service: TestService, owner: TestOwner, query: Query) {
  return service.send('GET', `/v1/executions?${new URLSearchParams(query)}`, { key: owner.apiKey })
}

async function traces(
  service: TestService,
  owner: TestOwner,
  runtimeId: string,
  query: Query = {},
): Promise<TraceList> {
  const answer = await service.send('GET', `/v1/traces/runtime/${runtimeId}?${new URLSearchParams(query)}`, {
    key: owner.apiKey,
  })
  expect(answer.statusCode).toBe(200)
  const sent: unknown = answer.json()
  expect(TraceList.parse(sent)).toEqual(sent)
  return TraceList.parse(sent)
}
