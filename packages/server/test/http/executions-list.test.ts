import { ExecutionList, ProjectList, RuntimeList, StreamEvent } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { faultsIn, refusalOf } from '../support/answers.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { openStream } from '../support/event-stream.ts'
import { DAY_MS, insertPast, type PastExecution } from '../support/past.ts'
import { executed, saying, setScene } from '../support/scene.ts'
import { startForTest, type TestOwner, type TestService } from '../support/service.ts'

const HOUR_MS = 3_600_000
const STATUSES = ['completed', 'failed', 'running'] as const

type Query = Record<string, string>

describeEngines('the list of executions', (engine) => {
  const database = useDatabase(engine)

  /** 72 executions of two runtimes, which both ran in two projects, two an hour up to now; newest first. */
  async function start() {
    const service = await startForTest(database())
    const owner = await service.owner('pro')
    const { runtimeId: first, projectId: home } = await service.runtime(owner)
    const { runtimeId: second } = await service.runtime(owner)
    const made = await service.send('POST', '/v1/projects', { key: owner.apiKey, body: { name: 'Shops' } })
    const shops: string = made.json().projectId
    const past = Array.from(
      { length: 72 },
      (_, index): PastExecution => ({
        ownerId: owner.ownerId,
        executionId: service.deps.newId('execution'),
        runtimeId: index % 2 ? first : second,
        projectId: index % 3 ? home : shops,
        status: STATUSES[Math.floor(index / 6) % 3] ?? 'completed',
        // Two share each hour's beginning, and most of a page shares it too.
        startedAt: service.clock.now() - Math.floor(index / 2) * HOUR_MS,
      }),
    )
    await insertPast(database(), past)
    const newestFirst = past.toSorted((a, b) => b.startedAt - a.startedAt || (a.executionId < b.executionId ? 1 : -1))
    return { service, owner, runtimes: [first, second] as const, projects: [home, shops] as const, past: newestFirst }
  }

  // holds TRC-11
  test('shows exactly the matching executions, under every combination of filters and page by page', async () => {
    const { service, owner, runtimes, projects, past } = await start()
    const now = service.clock.now()
    const window = { from: now - 30 * HOUR_MS, to: now - 4 * HOUR_MS }
    for (const status of [undefined, ...STATUSES]) {
      for (const runtimeId of [undefined, runtimes[0]]) {
        for (const projectId of [undefined, projects[1]]) {
          for (const { from, to } of [
            { from: undefined, to: undefined },
            { ...window, to: undefined },
            { ...window, from: undefined },
            window,
          ]) {
            const fitting = past.filter(
              (one) =>
                (status === undefined || one.status === status) &&
                (runtimeId === undefined || one.runtimeId === runtimeId) &&
                (projectId === undefined || one.projectId === projectId) &&
                (from === undefined || one.startedAt >= from) &&
                (to === undefined || one.startedAt < to),
            )
            const query = given({ status, runtimeId, projectId, from, to })
            expect(fitting.length).toBeGreaterThan(0)
            const found = await everyPage(service, owner, { ...query, limit: '9' })
            expect([query, found.flat()]).toEqual([query, fitting.map(({ executionId }) => executionId)])
            expect(
              (await list(service, owner, { ...query, limit: '200' })).executions.map(({ executionId }) => executionId),
            ).toEqual(found.flat())
          }
        }
      }
    }
  })

  test('neither repeats nor hides executions when new ones are added between pages', async () => {
    const { service, owner, runtimes, projects } = await start()
    for (const query of [
      {},
      { status: 'completed' },
      { runtimeId: runtimes[0] },
      { runtimeId: runtimes[0], projectId: projects[0] },
    ]) {
      const before = (await everyPage(service, owner, { ...query, limit: '200' })).flat()
      const seen: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: ExecutionList = await list(service, owner, { ...query, limit: '8', ...(cursor && { cursor }) })
        seen.push(...page.executions.map(({ executionId }) => executionId))
        cursor = page.nextCursor
        // One of each status, in the same millisecond as the newest of the first page, with a later id.
        await insertPast(
          database(),
          STATUSES.map(
            (status): PastExecution => ({
              ownerId: owner.ownerId,
              executionId: service.deps.newId('execution'),
              runtimeId: runtimes[0],
              projectId: projects[0],
              status,
              startedAt: service.clock.now(),
            }),
          ),
        )
      }
      expect(seen).toEqual(before)
    }
  })

  test('is not widened by a cursor outside the time window', async () => {
    const { service, owner, past } = await start()
    const now = service.clock.now()
    const window = { from: String(now - 20 * HOUR_MS), to: String(now - 10 * HOUR_MS), limit: '200' }
    const newest = (await list(service, owner, { limit: '1' })).nextCursor ?? ''
    const oldest = (await list(service, owner, { limit: '71' })).nextCursor ?? ''
    const all = await list(service, owner, window)
    expect(all.executions).toHaveLength(20)
    expect(await list(service, owner, { ...window, cursor: newest })).toEqual(all)
    expect(await list(service, owner, { ...window, cursor: oldest })).toEqual({ executions: [], nextCursor: null })
    expect(past).toHaveLength(72)
  })

  // holds TRC-12
  test('refuses a window that ends before it begins on “from”, and accepts an empty one', async () => {
    const { service, owner } = await start()
    const now = service.clock.now()
    const get = (query: Query) =>
      service.send('GET', `/v1/executions?${new URLSearchParams(query)}`, { key: owner.apiKey })
    expect(faultsIn(await get({ from: String(now), to: String(now - 1) }))).toEqual({
      from: ['must not be later than “to”.'],
    })
    expect(faultsIn(await get({ from: '2026-03-02', to: '2026-03-01T23:59:59Z' }))).toHaveProperty('from')
    expect(await list(service, owner, { from: String(now), to: String(now) })).toEqual({
      executions: [],
      nextCursor: null,
    })
  })

  // holds TRC-11
  test('with a filter by another owner’s runtime or project answers as for one that does not exist', async () => {
    const { service, owner, runtimes, projects } = await start()
    const otherOwner = await service.owner()
    await service.runtime(otherOwner)
    const cases = [
      ['The runtime was not found.', { runtimeId: runtimes[0] }, { runtimeId: 'rt_of_nobody' }],
      ['The project was not found.', { projectId: projects[0] }, { projectId: service.deps.newId('project') }],
    ] as const
    for (const [message, foreign, absent] of cases) {
      const ask = (query: Query) =>
        service.send('GET', `/v1/executions?${new URLSearchParams(query)}`, { key: otherOwner.apiKey })
      const answers = [await ask(foreign), await ask(absent), await ask({ ...foreign, status: 'failed', from: '0' })]
      for (const answer of answers) {
        expect(refusalOf(answer, 'not_found')).toBe(message)
        expect(answer.body).toBe(answers[0]?.body)
        expect(Object.keys(answer.headers)).toEqual(Object.keys(answers[0]?.headers ?? {}))
      }
    }
    expect((await list(service, owner, { runtimeId: runtimes[0], projectId: projects[0] })).executions).not.toEqual([])
  })

  test('ignores a cursor of another owner or another list, without harm', async () => {
    const { service, owner, past } = await start()
    const otherOwner = await service.owner('pro')
    const { runtimeId, projectId } = await service.runtime(otherOwner)
    await service.runtime(otherOwner)
    await service.send('POST', '/v1/projects', { key: otherOwner.apiKey, body: { name: 'Shops' } })
    const [own] = await insertedFor(service, otherOwner, { runtimeId, projectId })
    const cursors = [
      (await list(service, owner, { limit: '5' })).nextCursor,
      (await list(service, owner, { limit: '60' })).nextCursor,
      RuntimeList.parse((await get(service, otherOwner, '/v1/runtimes?limit=1')).json()).nextCursor,
      ProjectList.parse((await get(service, otherOwner, '/v1/projects?limit=1')).json()).nextCursor,
    ]
    for (const cursor of cursors) {
      expect(cursor).not.toBeNull()
      const page = await list(service, otherOwner, { cursor: cursor ?? '' })
      expect(page.executions.filter(({ executionId }) => executionId !== own?.executionId)).toEqual([])
      // The other way round: an execution's cursor, taken to the other listings.
      for (const path of ['/v1/runtimes', '/v1/projects', '/v1/account/keys']) {
        expect((await get(service, otherOwner, `${path}?cursor=${cursor}`)).statusCode).toBe(200)
      }
    }
    expect(past).toHaveLength(72)
  })

  describe('beyond its plan’s retention', () => {
    // holds TRC-22
    test.each([
      ['free', 7],
      ['pro', 90],
      ['enterprise', 400],
    ] as const)('of %s, %i days, an execution is not shown in any list or trace', async (tier, days) => {
      const service = await startForTest(database())
      const owner = await service.owner(tier)
      const place = await service.runtime(owner)
      const edge = service.clock.now() - days * DAY_MS
      const [kept, gone] = await insertedFor(service, owner, place, edge, edge - 1)
      const shown = async (query: Query = {}) =>
        (await list(service, owner, query)).executions.map(({ executionId }) => executionId)
      const { runtimeId, projectId } = place
      for (const query of [
        {},
        { from: '0' },
        { status: 'completed' },
        { runtimeId, projectId, from: '1' },
        { limit: '1' },
      ]) {
        expect(await shown(query)).toEqual([kept?.executionId])
      }
      expect(await shown({ to: String(edge) })).toEqual([])
      for (const plane of ['executions', 'traces']) {
        expect((await get(service, owner, `/v1/${plane}/${kept?.executionId}`)).statusCode).toBe(200)
        const [past, absent] = [gone?.executionId, service.deps.newId('execution')]
        const answers = [
          await get(service, owner, `/v1/${plane}/${past}`),
          await get(service, owner, `/v1/${plane}/${absent}`),
        ]
        expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404])
        expect(answers[0]?.body).toBe(answers[1]?.body)
      }
      service.clock.advance(1)
      await service.renew()
      expect(await shown()).toEqual([])
    })
  })

  async function insertedFor(
    service: TestService,
    owner: TestOwner,
    { runtimeId, projectId }: { runtimeId: string; projectId: string },
    ...starts: number[]
  ): Promise<PastExecution[]> {
    const past = (starts.length > 0 ? starts : [service.clock.now()]).map(
      (startedAt): PastExecution => ({
        ownerId: owner.ownerId,
        executionId: service.deps.newId('execution'),
        runtimeId,
        projectId,
        status: 'completed',
        startedAt,
      }),
    )
    await insertPast(database(), past)
    return past
  }
})

describeEngines('the owner’s own execute', (engine) => {
  const database = useDatabase(engine)

  test('answers as one body or as a stream that ends in “done” with the same content, and is listed', async () => {
    const scene = await setScene(database())
    const { service, owner, runtime } = scene
    const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
    const body = { runtimeId: runtime.runtimeId, ...saying() }
    const whole = executed(await scene.executeAsOwner())
    const answer = await openStream(`${url}/v1/executions`, { key: owner.apiKey, body })
    expect(answer.status).toBe(200)
    const events = await answer.rest()
    const done = StreamEvent.parse(events.find(({ type }) => type === 'done'))
    expect(events.map(({ type }) => type)).toEqual(['text', 'done'])
    expect(done).toMatchObject({ ...whole, executionId: expect.stringMatching(/^exec_/) })
    const shown = (await list(service, owner)).executions.map(({ status }) => status)
    expect(shown).toEqual(['completed', 'completed'])
  })

  // holds TRC-04
  test('spends the quota in either form, without a rate limit', async () => {
    const scene = await setScene(database())
    const { service, owner, runtime } = scene
    const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
    const body = { runtimeId: runtime.runtimeId, ...saying() }
    const streamed = async () => {
      const answer = await openStream(`${url}/v1/executions`, { key: owner.apiKey, body })
      if (answer.status === 200) await answer.rest()
      else answer.leave()
      return { status: answer.status, headers: Object.keys(answer.headers) }
    }
    const inOneBody = async () => {
      const answer = await scene.executeAsOwner()
      return { status: answer.statusCode, headers: Object.keys(answer.headers) }
    }
    const answers = await Promise.all(Array.from({ length: 210 }, (_, index) => (index % 3 ? inOneBody() : streamed())))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(200)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(10)
    expect(answers.flatMap(({ headers }) => headers).filter((name) => name.startsWith('ratelimit'))).toEqual([])
    expect((await scene.call({ capability: 'echo' })).headers['ratelimit-remaining']).toBe('59')
  })

  // holds TRC-03
  test('on another owner’s runtime answers as on one that does not exist, and costs nothing', async () => {
    const scene = await setScene(database())
    const otherOwner = await scene.service.owner()
    const ask = (runtimeId: string) =>
      scene.service.send('POST', '/v1/executions', { key: otherOwner.apiKey, body: { runtimeId, ...saying() } })
    const before = await scene.charged()
    const [foreign, absent] = [await ask(scene.runtime.runtimeId), await ask('rt_of_nobody')]
    expect(refusalOf(foreign, 'not_found')).toBe('The runtime was not found.')
    expect(foreign.body).toBe(absent.body)
    expect(await scene.charged()).toEqual(before)
    expect(scene.service.model.requests).toEqual([])
  })
})

function given(filters: Record<string, string | number | undefined>): Query {
  return Object.fromEntries(
    Object.entries(filters).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )
}

const get = (service: TestService, owner: TestOwner, url: string) => service.send('GET', url, { key: owner.apiKey })

async function list(service: TestService, owner: TestOwner, query: Query = {}): Promise<ExecutionList> {
  const answer = await get(service, owner, `/v1/executions?${new URLSearchParams(query)}`)
  const sent: unknown = answer.json()
  expect(answer.statusCode).toBe(200)
  expect(ExecutionList.parse(sent)).toEqual(sent)
  return ExecutionList.parse(sent)
}

async function everyPage(service: TestService, owner: TestOwner, query: Query): Promise<string[][]> {
  const pages: string[][] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: ExecutionList = await list(service, owner, { ...query, ...(cursor && { cursor }) })
    expect(page.executions.length).toBeLessThanOrEqual(Number(query['limit']))
    pages.push(page.executions.map(({ executionId }) => executionId))
    cursor = page.nextCursor
  }
  return pages
}
