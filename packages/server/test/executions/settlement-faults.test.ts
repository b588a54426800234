import { collectGarbage } from '@svc/testkit'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { type Database, type Engine, openDatabase } from '../../src/store/database.ts'
import { createPrometheusMetrics } from '../../src/telemetry/prometheus-metrics.ts'
import { createTestPlace, describeEngines } from '../support/engines.ts'
import { executed, type SceneOptions, setScene } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'

type Table = 'usage_journal' | 'executions'

function takeAway({ db }: Database, table: Table): Promise<unknown> {
  return sql`alter table ${sql.table(table)} rename to ${sql.table(`${table}_gone`)}`.execute(db)
}

function giveBack({ db }: Database, table: Table): Promise<unknown> {
  return sql`alter table ${sql.table(`${table}_gone`)} rename to ${sql.table(table)}`.execute(db)
}

/** Has the database refuse every entry in the journal for what it says; the function has it take them again. */
async function refuseEntries({ db }: Database, engine: Engine): Promise<() => Promise<unknown>> {
  const [refuse, accept] =
    engine === 'postgres'
      ? [
          'alter table usage_journal add constraint refused check (false) not valid',
          'alter table usage_journal drop constraint refused',
        ]
      : [
          "create trigger refused before insert on usage_journal begin select raise(abort, 'refused'); end",
          'drop trigger refused',
        ]
  await sql.raw(refuse).execute(db)
  return () => sql.raw(accept).execute(db)
}

describeEngines('an outcome that cannot be written', (engine) => {
  async function setOwnScene(options: SceneOptions = {}) {
    const place = await createTestPlace(engine)
    const database = await openDatabase(place.options)
    onTestFinished(() => database.close())
    return setScene(database, options)
  }

  test('is answered as a failure, and written as one when it can be', async () => {
    const metrics = createPrometheusMetrics()
    const { service, database, execute, trace, usage } = await setOwnScene({ metrics })
    service.model.say(calls({ name: 'echo', input: { text: 'a' } }), text('done'))
    await takeAway(database, 'usage_journal')
    const body = executed(await execute())
    expect(body).toMatchObject({ status: 'failed', finishReason: 'error', error: { message: expect.any(String) } })
    expect(await trace(body.executionId)).toMatchObject({ status: 'running', finishReason: null })
    await service.deps.settlements.retryQueued()
    expect((await trace(body.executionId)).status).toBe('running')
    expect(await metrics.text()).toContain('\nsvc_unwritten_outcomes 1\n')
    await giveBack(database, 'usage_journal')
    await service.deps.settlements.retryQueued()
    expect(await metrics.text()).toContain('\nsvc_unwritten_outcomes 0\n')
    expect(await trace(body.executionId)).toMatchObject({
      status: 'failed',
      error: body.error,
      totalTokens: 20,
      capabilityCalls: [{ status: 'completed', output: { text: 'a' } }],
    })
    expect(await usage()).toMatchObject({
      executions: 1,
      completed: 0,
      failed: 1,
      capability_calls: 1,
      input_tokens: 14,
    })
    await service.deps.settlements.retryQueued()
    expect(await usage()).toMatchObject({ executions: 1, input_tokens: 14 })
  })

  test('is awaited by a second retry while the first is in progress', async () => {
    const { service, database, broker } = await setOwnScene()
    await takeAway(database, 'usage_journal')
    await broker('echo')
    const ended: string[] = []
    const retry = async (name: string) => {
      await service.deps.settlements.retryQueued()
      ended.push(name)
    }
    await Promise.all([retry('earlier'), retry('later')])
    expect(ended).toEqual(['earlier', 'later'])
  })

  test('leaves nothing of ended retries in memory after many renewals of the lease', async () => {
    const { service } = await setOwnScene()
    const retry = async (rounds: number) => {
      for (let round = 0; round < rounds; round += 1) await service.deps.settlements.retryQueued()
      await collectGarbage()
      return process.memoryUsage().heapUsed
    }
    const before = await retry(1_000)
    expect((await retry(50_000)) - before).toBeLessThan(1_500_000)
  })

  test('of a broker call is a failed call, even if the endpoint succeeded', async () => {
    const { service, database, broker, trace } = await setOwnScene()
    await takeAway(database, 'usage_journal')
    const answer = await broker('echo')
    // It had its effect: a caller must not take it for one that failed.
    expect([answer.statusCode, answer.json()]).toMatchObject([502, { outcome: 'unknown' }])
    await giveBack(database, 'usage_journal')
    await service.deps.settlements.retryQueued()
    expect(await trace(answer.json().executionId)).toMatchObject({ status: 'failed', error: answer.json().error })
  })

  test('because its values are refused is retried once, and then left to the sweep', async () => {
    const lines: string[] = []
    const { service, database, broker, trace } = await setOwnScene({ log: (line) => void lines.push(line) })
    const { executionId } = (await broker('echo')).json()
    const accept = await refuseEntries(database, engine.name)
    const refused = (await broker('echo')).json().executionId
    await service.deps.settlements.retryQueued()
    const told = lines.map((line) => JSON.parse(line)).filter((line) => line.executionId === refused && line.err)
    expect(told.map(({ msg }) => msg)).toEqual([
      'an outcome could not be written',
      'an outcome was dropped: the database refused its values',
    ])
    await accept()
    await service.deps.settlements.retryQueued()
    const statuses = await Promise.all([trace(executionId), trace(refused)])
    expect(statuses.map(({ status }) => status)).toEqual(['completed', 'running'])
  })

  test('a call that cannot be recorded beforehand is not made', async () => {
    const { service, database, endpoint, execute, trace } = await setOwnScene()
    service.model.say(async function* () {
      await takeAway(database, 'executions')
      yield* calls({ name: 'echo', input: {} }, { name: 'echo', input: {} })
    }, text('done'))
    const body = executed(await execute())
    expect(body).toMatchObject({ status: 'failed', finishReason: 'error' })
    expect(body.error?.message).not.toMatch(/executions|table|relation/)
    expect(endpoint.effects).toHaveLength(0)
    await giveBack(database, 'executions')
    await service.deps.settlements.retryQueued()
    expect(await trace(body.executionId)).toMatchObject({ status: 'failed', capabilityCalls: [] })
  })

  // holds ERR-06
  test('an admission that cannot be written admits nothing, and is answered in general words', async () => {
    const { service, database, endpoint, broker, charged } = await setOwnScene()
    const before = await charged()
    await takeAway(database, 'executions')
    const answer = await broker('echo')
    expect(answer.statusCode).toBe(500)
    expect(answer.json()).toEqual({
      error: { code: 'internal_error', message: expect.not.stringMatching(/table|relation|calls/) },
    })
    await giveBack(database, 'executions')
    expect(await charged()).toEqual(before)
    expect(endpoint.effects).toHaveLength(0)
    expect((await broker('echo')).statusCode).toBe(200)
    expect(service.deps.running.size).toBe(0)
  })
})
