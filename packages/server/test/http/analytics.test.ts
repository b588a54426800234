import { AnalyticsSummary, ExecutionList, type Tier } from '@svc/contract'
import { describe, expect, onTestFinished, test } from 'vitest'
import { faultsIn, refusalOf } from '../support/answers.ts'
import { createTestClock } from '../support/clock.ts'
import { createGate } from '../support/deferred.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { deployed, executed, type Scene, type SceneOptions, saying, setScene } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'
import { capability } from '../support/service.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

type Query = Record<string, string>

function ask({ service, owner }: Pick<Scene, 'service' | 'owner'>, query: Query = {}) {
  return service.send('GET', `/v1/analytics/summary?${new URLSearchParams(query)}`, { key: owner.apiKey })
}

/** A summary that must have been 200, with nothing in it that the interface does not name. */
async function summarize(scene: Pick<Scene, 'service' | 'owner'>, query: Query = {}): Promise<AnalyticsSummary> {
  const answer = await ask(scene, query)
  if (answer.statusCode !== 200) throw new Error(`the summary answered ${answer.statusCode}: ${answer.body}`)
  const sent: unknown = answer.json()
  const summary = AnalyticsSummary.parse(sent)
  expect(sent).toEqual(summary)
  return summary
}

const UNRATED = { thumbsUp: 0, thumbsDown: 0 }
const NOTHING = {
  executions: 0,
  completed: 0,
  failed: 0,
  capabilityCalls: 0,
  failedCalls: 0,
  unknownCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
}

describeEngines('the analytics summary', (engine) => {
  const database = useDatabase(engine)

  /** A scene in which a call of `slow` takes as many milliseconds as its input’s text says, by the clock. */
  async function setTimedScene(options: SceneOptions = {}): Promise<Scene & { spend(ms: number): Promise<void> }> {
    const clock = createTestClock()
    const scene = await setScene(database(), {
      tier: 'enterprise',
      clock,
      manifest: { capabilities: [capability('echo'), capability('slow'), capability('broken')] },
      handle: {
        slow: (call) => {
          clock.advance(Number(call.input['text']))
          return { output: null }
        },
        broken: () => ({ error: 'It is broken.' }),
      },
      ...options,
    })
    const spend = async (ms: number) => {
      await scene.service.renew()
      const answer = await scene.call({ capability: 'slow', input: { text: String(ms) } })
      expect(answer.statusCode).toBe(200)
    }
    return { ...scene, spend }
  }

  // holds ANA-06
  test('the summary of an owner without executions holds every bucket with zeros, and no duration', async () => {
    const scene = await setScene(database())
    const days = Array.from({ length: 7 }, (_, day) => Date.parse('2026-02-23') + day * DAY_MS)
    expect(await summarize(scene)).toEqual({
      range: { from: '2026-02-23T00:00:00.000Z', to: '2026-03-02T00:00:00.000Z', bucket: 'day', clamped: false },
      totals: { ...NOTHING, ...UNRATED, totalTokens: 0, avgDurationMs: null, p50DurationMs: null, p95DurationMs: null },
      series: days.map((at) => ({
        at: new Date(at).toISOString(),
        ...NOTHING,
        p50DurationMs: null,
        p95DurationMs: null,
      })),
      capabilities: [],
      runtimes: [],
    })
  })

  // holds ANA-04, ANA-07, ANA-11
  test('the summary counts executions of every route, their calls and their tokens', async () => {
    const scene = await setTimedScene()
    const { service, runtime } = scene
    service.model.say(calls({ name: 'echo', input: {} }, { name: 'broken', input: {} }), text('done'))
    executed(await scene.execute())
    executed(await scene.executeAsOwner())
    await scene.spend(8)
    expect((await scene.broker('broken')).statusCode).toBe(502)

    const counted = {
      ...{
        executions: 4,
        completed: 3,
        failed: 1,
        capabilityCalls: 4,
        failedCalls: 2,
        unknownCalls: 0,
        inputTokens: 21,
        outputTokens: 9,
      },
    }
    const summary = await summarize(scene, { from: '2026-03-01T12:00:00Z', bucket: 'hour' })
    expect(summary).toEqual({
      range: { from: '2026-03-01T12:00:00.000Z', to: '2026-03-01T13:00:00.000Z', bucket: 'hour', clamped: false },
      totals: { ...counted, ...UNRATED, totalTokens: 30, avgDurationMs: 2, p50DurationMs: 0, p95DurationMs: 8 },
      series: [{ at: '2026-03-01T12:00:00.000Z', ...counted, p50DurationMs: 0, p95DurationMs: 8 }],
      capabilities: [
        { capability: 'broken', calls: 2, failed: 2, unknown: 0, p50DurationMs: 0, p95DurationMs: 0 },
        { capability: 'echo', calls: 1, failed: 0, unknown: 0, p50DurationMs: 0, p95DurationMs: 0 },
        { capability: 'slow', calls: 1, failed: 0, unknown: 0, p50DurationMs: 8, p95DurationMs: 8 },
      ],
      runtimes: [
        {
          runtimeId: runtime.runtimeId,
          executions: 4,
          failed: 1,
          failedCalls: 2,
          unknownCalls: 0,
          totalTokens: 30,
          p50DurationMs: 0,
          p95DurationMs: 8,
        },
      ],
    })
  })

  // holds ANA-01
  test('an execution counts in the hour and the day of its start', async () => {
    const scene = await setTimedScene()
    const { clock } = scene.service
    clock.advance(Date.parse('2026-03-01T23:59:59.990Z') - clock.now())
    await scene.service.renew()
    executed(await scene.execute())
    clock.advance(20)
    executed(await scene.execute())
    const points = async (bucket: string) => {
      const { series } = await summarize(scene, {
        from: '2026-03-01T22:00:00Z',
        to: '2026-03-02T00:00:00.005Z',
        bucket,
      })
      return series.map(({ at, executions }) => [at, executions])
    }
    expect(await points('hour')).toEqual([
      ['2026-03-01T22:00:00.000Z', 0],
      ['2026-03-01T23:00:00.000Z', 1],
      ['2026-03-02T00:00:00.000Z', 1],
    ])
    expect(await points('day')).toEqual([
      ['2026-03-01T00:00:00.000Z', 1],
      ['2026-03-02T00:00:00.000Z', 1],
    ])
  })

  // holds ANA-04, ANA-05
  test('percentiles are within 5 % of the exact ones, and the average is exact', async () => {
    const scene = await setTimedScene()
    let ms = 3
    for (let index = 0; index < 40; index += 1) {
      await scene.spend(ms)
      ms = (ms * 7_919) % 20_011
    }
    const answer = await scene.service.send('GET', '/v1/executions?limit=200', { key: scene.owner.apiKey })
    const executions = ExecutionList.parse(answer.json()).executions
    const durations = executions.map(({ durationMs }) => durationMs ?? -1).sort((a, b) => a - b)
    expect(durations).toHaveLength(40)
    const isNear = (estimate: number | null | undefined, truth: number | undefined) =>
      Math.abs((estimate ?? -1) - (truth ?? 0)) / (truth ?? 0) <= 0.05
    const { totals, series, ...by } = await summarize(scene, { from: '2026-03-01', to: '2026-03-02' })
    expect(series.map(({ executions: count }) => count)).toEqual([40])
    for (const figures of [totals, series[0], by.capabilities[0], by.runtimes[0]]) {
      expect(isNear(figures?.p50DurationMs, durations[19])).toBe(true)
      expect(isNear(figures?.p95DurationMs, durations[37])).toBe(true)
    }
    const average = durations.reduce((sum, duration) => sum + duration, 0) / 40
    expect(totals.avgDurationMs).toBeCloseTo(average, 1)
  })

  // holds ANA-07
  test('the sums are equal for hours, days and runtimes', async () => {
    const scene = await setTimedScene()
    for (const hours of [0, 1, 30, 5, 50, 0, 26]) {
      scene.service.clock.advance(hours * HOUR_MS)
      await scene.spend(100 * (hours + 1))
      await scene.broker('broken')
    }
    const range = { from: '2026-03-01T12:00:00Z', to: '2026-03-06T05:00:00Z' }
    const byHour = await summarize(scene, { ...range, bucket: 'hour' })
    expect(byHour.totals).toMatchObject({ executions: 14, failed: 7, capabilityCalls: 14 })
    const byDay = await summarize(scene, { from: '2026-03-01', to: '2026-03-07' })
    expect([byDay.totals, byDay.capabilities, byDay.runtimes]).toEqual([
      byHour.totals,
      byHour.capabilities,
      byHour.runtimes,
    ])
    for (const { series, totals } of [byHour, byDay]) {
      const sum = (of: keyof typeof NOTHING) => series.reduce((total, point) => total + point[of], 0)
      for (const name of ['executions', 'completed', 'failed', 'capabilityCalls'] as const) {
        expect(sum(name)).toBe(totals[name])
      }
    }
  })

  test('running executions are left out until they have ended', async () => {
    const gate = createGate()
    onTestFinished(() => gate.open())
    const echo = async () => {
      await gate.enter()
      return { output: 1 }
    }
    const scene = await setScene(database(), { handle: { echo } })
    const answer = scene.call({ capability: 'echo' })
    await gate.arrived(1)
    expect((await summarize(scene)).totals.executions).toBe(0)
    gate.open()
    await answer
    expect((await summarize(scene)).totals).toMatchObject({ executions: 1, capabilityCalls: 1 })
  })

  test('the summary holds the owner’s own executions alone', async () => {
    const scene = await setScene(database())
    executed(await scene.execute())
    const otherOwner = await scene.service.owner()
    const { totals, runtimes } = await summarize({ ...scene, owner: otherOwner })
    expect([totals.executions, runtimes]).toEqual([0, []])
  })

  describe('with a filter', () => {
    /** Two runtimes in projects of their own; the first one ran once in each, and was moved in between. */
    async function setMovedScene() {
      const scene = await setScene(database(), { tier: 'pro' })
      const { service, owner, runtime, endpoint } = scene
      const created = await service.send('POST', '/v1/projects', { key: owner.apiKey, body: { name: 'Other' } })
      const otherProject = String(created.json().projectId)
      executed(await scene.execute())
      const body = { runtimeId: runtime.runtimeId, name: 'Shop', projectId: otherProject }
      expect((await service.send('POST', '/v1/runtimes', { key: owner.apiKey, body })).statusCode).toBe(200)
      executed(await scene.execute())
      const second = await service.runtime(owner, { endpoint: endpoint.url })
      await deployed(service, second)
      for (const content of ['one', 'two', 'three']) {
        executed(await scene.execute(saying(content), { key: second.publicKey }))
      }
      return { ...scene, second, otherProject }
    }

    // holds ANA-08
    test('a runtime or project filter shows the executions that ran there; a runtime that was moved is in both projects', async () => {
      const { second, otherProject, ...scene } = await setMovedScene()
      const { runtimeId, projectId } = scene.runtime
      const shown = async (query: Query) => {
        const { totals, runtimes, series } = await summarize(scene, query)
        expect(series.reduce((sum, point) => sum + point.executions, 0)).toBe(totals.executions)
        return runtimes.map((runtime) => [runtime.runtimeId, runtime.executions])
      }
      expect(await shown({})).toEqual([
        [second.runtimeId, 3],
        [runtimeId, 2],
      ])
      expect(await shown({ runtimeId })).toEqual([[runtimeId, 2]])
      expect(await shown({ projectId })).toEqual([
        [second.runtimeId, 3],
        [runtimeId, 1],
      ])
      expect(await shown({ projectId: otherProject })).toEqual([[runtimeId, 1]])
      expect(await shown({ projectId: otherProject, runtimeId: second.runtimeId })).toEqual([])
      expect(await shown({ projectId, runtimeId, bucket: 'hour' })).toEqual([[runtimeId, 1]])
    })

    // holds ANA-08
    test('a filter by another owner’s runtime or project answers the 404 of one that does not exist', async () => {
      const scene = await setScene(database())
      const otherOwner = await scene.service.owner()
      const asOtherOwner = (query: Query) => ask({ ...scene, owner: otherOwner }, query)
      const pairs = [
        [{ runtimeId: scene.runtime.runtimeId }, { runtimeId: 'rt_nobody' }],
        [{ projectId: scene.runtime.projectId }, { projectId: 'proj_nobody' }],
      ] as const
      for (const [foreign, absent] of pairs) {
        const [first, second] = [await asOtherOwner(foreign), await asOtherOwner(absent)]
        refusalOf(first, 'not_found')
        expect(first.body).toBe(second.body)
      }
    })
  })

  describe('the range', () => {
    // holds ANA-02
    test.each<[Tier, number]>([
      ['free', 7],
      ['pro', 90],
      ['enterprise', 400],
    ])('of a %s owner reaches back %i days, and says if its start was moved', async (tier, days) => {
      const scene = await setScene(database(), { tier })
      const earliest = Date.parse('2026-03-02') - days * DAY_MS
      const { range, series } = await summarize(scene, { from: '2020-01-01' })
      expect(range).toMatchObject({ from: new Date(earliest).toISOString(), clamped: true })
      expect(series).toHaveLength(days)
      const whole = await summarize(scene, { from: String(earliest) })
      expect(whole.range).toEqual({ ...range, clamped: false })
    })

    test('follows the owner’s plan at once', async () => {
      const scene = await setScene(database())
      await scene.database.db
        .updateTable('owners')
        .set({ tier: 'pro' })
        .where('owner_id', '=', scene.owner.ownerId)
        .execute()
      expect((await summarize(scene, { from: '2020-01-01' })).series).toHaveLength(90)
    })

    test('hides days beyond the plan, and the future', async () => {
      const scene = await setScene(database())
      executed(await scene.execute())
      scene.service.clock.advance(7 * DAY_MS)
      await scene.service.renew()
      executed(await scene.execute())
      const { totals, runtimes } = await summarize(scene, { from: '2026-03-01', to: '2099-01-01' })
      expect([totals.executions, runtimes[0]?.executions]).toEqual([1, 1])
      const gone = await summarize(scene, { from: '2026-03-01', to: '2026-03-02' })
      expect(gone).toMatchObject({ range: { clamped: true }, series: [], runtimes: [], totals: { executions: 0 } })
    })

    // holds ANA-09
    test('is refused on “from” if it does not start before it ends', async () => {
      const scene = await setScene(database())
      const ranges: Query[] = [
        { from: '2026-02-28', to: '2026-02-28' },
        { from: '2026-02-28', to: '2026-02-27' },
        { from: '2026-03-01T12:00:01Z' },
      ]
      for (const range of ranges) {
        expect(Object.keys(faultsIn(await ask(scene, range)))).toEqual(['from'])
      }
    })

    // holds ANA-09
    test('of too many hours is cut to the latest hundred days, and says so', async () => {
      const scene = await setScene(database(), { tier: 'enterprise' })
      const from = '2025-10-01'
      const cut = await summarize(scene, { from, bucket: 'hour' })
      expect(cut.range).toMatchObject({ from: '2025-11-21T13:00:00.000Z', clamped: true })
      expect(cut.series).toHaveLength(100 * 24)
      expect((await summarize(scene, { from, bucket: 'day' })).series).toHaveLength(152)
      const hours = await summarize(scene, { from: '2025-12-01', bucket: 'hour' })
      expect(hours.series).toHaveLength(90 * 24 + 13)
    })
  })
})
