import { ExecutionList, type ExecutionSummary, Trace } from '@svc/contract'
import type { KyselyPlugin } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { listExecutions } from '../../src/executions/history-store.ts'
import { executionRow } from '../store/rows.ts'
import { fieldsAtFault } from '../support/answers.ts'
import { createGate } from '../support/deferred.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { executed, type Scene, saying, setScene } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'
import { capability } from '../support/service.ts'

const HOUR_MS = 3_600_000

async function list(
  { service, owner }: Pick<Scene, 'service' | 'owner'>,
  query: Record<string, string> = {},
): Promise<ExecutionList> {
  const answer = await service.send('GET', `/v1/executions?${new URLSearchParams(query)}`, { key: owner.apiKey })
  if (answer.statusCode !== 200) throw new Error(`the list answered ${answer.statusCode}: ${answer.body}`)
  return ExecutionList.parse(answer.json())
}

async function everyPage(scene: Scene, query: Record<string, string>): Promise<ExecutionSummary[]> {
  const found: ExecutionSummary[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page: ExecutionList = await list(scene, { ...query, ...(cursor && { cursor }) })
    found.push(...page.executions)
    expect(page.executions.length).toBeLessThanOrEqual(Number(query['limit']))
    cursor = page.nextCursor
  }
  return found
}

const ended = (at: number) => ({ status: 'completed', completed_at: at, finish_reason: 'stop' }) as const

const idsOf = (executions: readonly { executionId: string }[]) => executions.map(({ executionId }) => executionId)

describeEngines('the history of executions', (engine) => {
  const database = useDatabase(engine)

  /** Three executions an hour, from three hours before the clock’s present, oldest first. */
  async function setPastScene(): Promise<Scene & { past: string[] }> {
    const scene = await setScene(database())
    const past: string[] = []
    for (let hour = 0; hour < 3; hour += 1) {
      for (let index = 0; index < 3; index += 1) past.push(executed(await scene.execute()).executionId)
      scene.service.clock.advance(HOUR_MS)
      await scene.service.renew()
    }
    return { ...scene, past }
  }

  // holds TRC-24
  test('calls that failed are counted, and a filter finds their executions of any status', async () => {
    const scene = await setScene(database(), {
      manifest: { capabilities: [capability('echo'), capability('broken')] },
      handle: { broken: () => ({ error: 'It is broken.' }) },
    })
    const { service, runtime } = scene
    service.model.say(calls({ name: 'echo', input: {} }, { name: 'broken', input: {} }), text('done'), text('fine'))
    const mixed = executed(await scene.execute())
    executed(await scene.execute())
    await scene.broker('broken')
    await scene.call({ capability: 'echo' })
    const failed = await list(scene, { calls: 'failed' })
    expect(
      failed.executions.map(({ status, capabilityCalls, failedCalls }) => [status, capabilityCalls, failedCalls]),
    ).toEqual([
      ['failed', 1, 1],
      ['completed', 2, 1],
    ])
    expect(failed.executions[0]).toMatchObject({ capability: 'broken', error: { message: 'It is broken.' } })
    expect(await scene.trace(mixed.executionId)).toMatchObject({ status: 'completed', failedCalls: 1 })
    const inAny = async (query: Record<string, string>) =>
      idsOf(await everyPage(scene, { limit: '1', calls: 'failed', ...query }))
    expect(await inAny({})).toEqual(idsOf(failed.executions))
    expect(await inAny({ status: 'completed', runtimeId: runtime.runtimeId })).toEqual([mixed.executionId])
    expect(await inAny({ status: 'running' })).toEqual([])
    const traces = await service.send('GET', `/v1/traces/runtime/${runtime.runtimeId}?calls=failed`, {
      key: scene.owner.apiKey,
    })
    expect(traces.json().traces).toHaveLength(2)
    const refused = await service.send('GET', '/v1/executions?calls=some', { key: scene.owner.apiKey })
    expect(refused.statusCode).toBe(400)
  })

  // holds EFF-02
  test('calls whose outcome is unknown are counted by themselves, and a filter finds their executions', async () => {
    const scene = await setScene(database(), {
      handle: {
        echo: ({ input }) =>
          input['text'] === 'cut' ? { fault: 'cut', at: 'before-head', how: 'reset' } : { output: 1 },
      },
    })
    scene.service.model.say(calls({ name: 'echo', input: { text: 'cut' } }, { name: 'echo', input: {} }), text('done'))
    const mixed = executed(await scene.execute())
    executed(await scene.execute())
    const { executions } = await list(scene, { calls: 'unknown' })
    expect(executions).toMatchObject([{ executionId: mixed.executionId, failedCalls: 0, unknownCalls: 1 }])
    expect(await list(scene, { calls: 'failed' })).toMatchObject({ executions: [] })
    expect(await scene.trace(mixed.executionId)).toMatchObject({
      unknownCalls: 1,
      capabilityCalls: [
        { status: 'unknown', effect: 'write', error: { message: expect.stringContaining('unknown') } },
        { status: 'completed' },
      ],
    })
  })

  // holds TRC-06, TRC-25
  test('a row shows the outcome of an execution, and the number of its calls', async () => {
    const scene = await setScene(database())
    scene.service.model.say(calls({ name: 'echo', input: {} }, { name: 'echo', input: {} }), text('done'))
    const body = executed(await scene.execute())
    const startedAt = new Date(scene.service.clock.now()).toISOString()
    expect(body.totalTokens).toBeGreaterThan(0)
    expect(await list(scene)).toEqual({
      nextCursor: null,
      executions: [
        {
          executionId: body.executionId,
          runtimeId: scene.runtime.runtimeId,
          kind: 'execute',
          surface: null,
          status: 'completed',
          finishReason: 'stop',
          durationMs: 0,
          capabilityCalls: 2,
          failedCalls: 0,
          unknownCalls: 0,
          feedback: null,
          capability: 'echo',
          error: null,
          inputTokens: body.inputTokens,
          outputTokens: body.outputTokens,
          totalTokens: body.totalTokens,
          startedAt,
          completedAt: startedAt,
        },
      ],
    })
  })

  // holds LST-01, LST-02, TRC-05
  test('pages lead from the newest to the oldest without a gap or a repeat, equal times included', async () => {
    const scene = await setPastScene()
    const newestFirst = scene.past.toReversed()
    for (const limit of ['1', '2', '4', '9', '200']) {
      expect(idsOf(await everyPage(scene, { limit }))).toEqual(newestFirst)
    }
    expect((await list(scene, { limit: '9' })).nextCursor).toBeNull()
  })

  // holds LST-05
  test('new executions do not shift the following pages', async () => {
    const scene = await setPastScene()
    const first = await list(scene, { limit: '5' })
    await scene.execute()
    const second = await list(scene, { limit: '5', cursor: first.nextCursor ?? '' })
    expect([...idsOf(first.executions), ...idsOf(second.executions)]).toEqual(scene.past.toReversed())
  })

  // holds TRC-10
  test('“from” is inclusive and “to” exclusive, as a time of ISO 8601 in any zone, as a date, and as milliseconds', async () => {
    const scene = await setPastScene()
    const middle = scene.past.slice(3, 6).toReversed()
    const start = Date.parse('2026-03-01T13:00:00Z')
    const windows = [
      { from: '2026-03-01T13:00:00Z', to: '2026-03-01T14:00:00Z' },
      { from: '2026-03-01T15:00:00+02:00', to: '2026-03-01T09:00:00-05:00' },
      { from: String(start), to: String(start + HOUR_MS) },
      { from: '2026-03-01T12:00:00.001Z', to: '2026-03-01T13:00:00.001Z' },
    ]
    for (const window of windows) expect(idsOf((await list(scene, window)).executions)).toEqual(middle)
    expect((await list(scene, { from: '2026-03-01', to: '2026-03-02' })).executions).toHaveLength(9)
    expect((await list(scene, { from: '2026-03-02' })).executions).toEqual([])
    expect(idsOf(await everyPage(scene, { limit: '2', from: String(start) }))).toEqual(scene.past.slice(3).toReversed())
  })

  // holds TRC-07, TRC-09
  test('a status filter shows exactly the executions of that status', async () => {
    const gate = createGate()
    const scene = await setScene(database(), {
      handle: {
        echo: async () => {
          await gate.enter()
          return { error: 'Too late.' }
        },
      },
    })
    onTestFinished(() => gate.open())
    const completed = executed(await scene.execute()).executionId
    const failing = scene.call({ capability: 'echo' })
    await gate.arrived(1)
    gate.letOne()
    const failed = (await failing).json().executionId
    const running = scene.call({ capability: 'echo' })
    await gate.arrived(2)
    const shown = async (status: string) => (await list(scene, { status })).executions
    expect(idsOf(await shown('completed'))).toEqual([completed])
    expect(idsOf(await shown('failed'))).toEqual([failed])
    const [underWay, ...more] = await shown('running')
    expect(underWay).toMatchObject({ status: 'running', finishReason: null, durationMs: null, completedAt: null })
    expect(more).toEqual([])
    gate.open()
    expect((await running).json().executionId).toBe(underWay?.executionId)
    expect(await shown('running')).toEqual([])
  })

  test.each([3, 260])('a runtime’s list continues through the %i projects that it was in', async (projects) => {
    const scene = await setScene(database())
    const { ownerId } = scene.owner
    const { runtimeId } = scene.runtime
    const ran = (index: number, changes: Parameters<typeof executionRow>[0]) => {
      const at = scene.service.clock.now() - index * 1_000
      const execution_id = `exec_${projects}_${String(projects - index).padStart(4, '0')}`
      const project_id = `proj_${(index * 7) % projects}`
      return executionRow({ owner_id: ownerId, execution_id, project_id, started_at: at, ...ended(at), ...changes })
    }
    const own = Array.from({ length: projects }, (_, index) => ran(index, { runtime_id: runtimeId }))
    const another = ran(0, { runtime_id: `${runtimeId}0`, execution_id: `exec_of_another_${projects}` })
    await scene.database.db
      .insertInto('executions')
      .values([...own, another])
      .execute()
    expect(idsOf(await everyPage(scene, { runtimeId, limit: '50' }))).toEqual(own.map((row) => row.execution_id))
    expect(idsOf(await everyPage(scene, { runtimeId, limit: '50', status: 'failed' }))).toEqual([])
  })

  test('an execution that ends while a runtime’s list is read is in it, also as the first of its project', async () => {
    const { owner, runtime, database: held, service } = await setScene(database())
    const at = service.clock.now()
    const found = { owner_id: owner.ownerId, runtime_id: runtime.runtimeId, started_at: at }
    const rows = ['earlier', 'moved'].map((name) => ({
      ...found,
      execution_id: `exec_${name}`,
      project_id: `proj_${name}`,
    }))
    const [earlier = {}, moved = {}] = rows
    await held.db
      .insertInto('executions')
      .values([executionRow({ ...earlier, ...ended(at) }), executionRow(moved)])
      .execute()
    let queries = 0
    const endsBetween: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        queries += 1
        if (queries > 1) return result
        const first = held.db.updateTable('executions').set(ended(at)).where('owner_id', '=', owner.ownerId)
        await first.where('execution_id', '=', 'exec_moved').execute()
        return result
      },
    }
    const { runtimeId } = runtime
    const filter = { runtimeId, from: 0, after: null, limit: 10 }
    const listed = await listExecutions(held.db.withPlugin(endsBetween), owner.ownerId, filter)
    expect([queries, listed.map((row) => row.executionId)]).toEqual([2, ['exec_moved', 'exec_earlier']])
  })

  // holds TRC-07
  test('the trace of a running execution shows no call without an outcome', async () => {
    const gate = createGate()
    const scene = await setScene(database(), {
      handle: {
        echo: async () => {
          await gate.enter()
          return { output: 1 }
        },
      },
    })
    const answer = scene.call({ capability: 'echo' })
    await gate.arrived(1)
    const [row] = (await list(scene)).executions
    expect(await scene.trace(row?.executionId ?? '')).toMatchObject({ status: 'running', capabilityCalls: [] })
    gate.open()
    await answer
    expect(await scene.trace(row?.executionId ?? '')).toMatchObject({
      status: 'completed',
      capabilityCalls: [{ output: 1 }],
    })
  })

  // holds SVC-10, TRC-13, TRC-15, TRC-16, TRC-17
  test('a trace holds the shape of every turn and every call, and no message text', async () => {
    const scene = await setScene(database())
    scene.service.model.say(
      [{ type: 'text', content: 'A word of the model.' }, ...calls({ name: 'echo', input: { text: 'stored' } })],
      text('Another word of it.'),
    )
    const body = executed(await scene.execute({ ...saying('A word of the user.'), metadata: { page: 1 } }))
    const answer = await scene.service.send('GET', `/v1/executions/${body.executionId}`, { key: scene.owner.apiKey })
    const at = new Date(scene.service.clock.now()).toISOString()
    expect(Trace.strict().parse(answer.json())).toEqual({
      executionId: body.executionId,
      runtimeId: scene.runtime.runtimeId,
      projectId: scene.runtime.projectId,
      deploymentVersion: 1,
      kind: 'execute',
      surface: null,
      status: 'completed',
      feedback: null,
      finishReason: 'stop',
      error: null,
      messageShape: [
        { role: 'user', parts: [{ type: 'text' }] },
        { role: 'assistant', parts: [{ type: 'text' }, { type: 'tool_call' }] },
        { role: 'tool', parts: [{ type: 'tool_result' }] },
        { role: 'assistant', parts: [{ type: 'text' }] },
      ],
      steps: 2,
      modelSteps: [
        { step: 1, startedAt: at, durationMs: 0, inputTokens: 7, outputTokens: 3 },
        { step: 2, startedAt: at, durationMs: 0, inputTokens: 7, outputTokens: 3 },
      ],
      inputTokens: 14,
      outputTokens: 6,
      failedCalls: 0,
      approvals: [],
      unknownCalls: 0,
      totalTokens: 20,
      durationMs: 0,
      metadata: { page: 1 },
      capabilityCalls: [
        {
          callId: scene.endpoint.effects[0]?.callId,
          capability: 'echo',
          effect: 'write',
          step: 1,
          status: 'completed',
          input: { text: 'stored' },
          output: { text: 'stored' },
          error: null,
          startedAt: at,
          durationMs: 0,
        },
      ],
      startedAt: at,
      completedAt: at,
    })
    expect(answer.body).not.toContain('word of')
  })

  // holds AUTH-07, TRC-14
  test('another owner’s execution is not found, and is in no other list', async () => {
    const scene = await setScene(database())
    const { executionId } = executed(await scene.execute())
    const otherOwner = await scene.service.owner()
    const ask = (id: string) => scene.service.send('GET', `/v1/executions/${id}`, { key: otherOwner.apiKey })
    const absent = await ask(scene.service.deps.newId('execution'))
    const foreign = await ask(executionId)
    expect(foreign.statusCode).toBe(404)
    expect(foreign.body).toBe(absent.body)
    expect(Object.keys(foreign.headers)).toEqual(Object.keys(absent.headers))
    expect((await ask(`${executionId}%20`)).body).toBe(absent.body)
    expect(await list({ service: scene.service, owner: otherOwner })).toEqual({ executions: [], nextCursor: null })
  })

  const badQueries = [
    ['limit', ['0', '201', '-1', 'ten', '1.5', '1e2', '']],
    ['cursor', ['x', 'bm8', 'W10', Buffer.from('[1,"\\u0000"]').toString('base64url')]],
    ['status', ['done', 'COMPLETED', '']],
    ['from', ['yesterday', '2026-13-01', '2026-03-01T12:00:00', '1e3', '-5']],
    ['to', ['2026-02-30', '2026-03-01 12:00']],
  ] as const

  // holds LST-04
  test.each(badQueries)('a malformed “%s” is named', async (field, values) => {
    const { service, owner } = await setScene(database())
    for (const value of values) {
      const query = new URLSearchParams({ [field]: value })
      const answer = await service.send('GET', `/v1/executions?${query}`, { key: owner.apiKey })
      expect(fieldsAtFault(answer), `${field}=${value}`).toEqual([field])
    }
  })
})
