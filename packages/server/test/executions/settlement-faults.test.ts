import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { type Database, openDatabase } from '../../src/database/open.ts'
import { createTestPlace, describeEngines } from '../support/engines.ts'
import { executed, setScene } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'

type Table = 'usage_journal' | 'capability_calls'

function takeAway({ db }: Database, table: Table): Promise<unknown> {
  return sql`alter table ${sql.table(table)} rename to ${sql.table(`${table}_gone`)}`.execute(db)
}

function giveBack({ db }: Database, table: Table): Promise<unknown> {
  return sql`alter table ${sql.table(`${table}_gone`)} rename to ${sql.table(table)}`.execute(db)
}

describeEngines('an outcome that cannot be written', (engine) => {
  async function setOwnScene() {
    const place = await createTestPlace(engine)
    const database = await openDatabase(place.options)
    onTestFinished(() => database.close())
    return setScene(database)
  }

  test('is told as a failure, and written as one when it can be', async () => {
    const { service, database, execute, trace, usage } = await setOwnScene()
    service.model.say(calls({ name: 'echo', input: { text: 'a' } }), text('done'))
    await takeAway(database, 'usage_journal')
    const body = executed(await execute())
    expect(body).toMatchObject({ status: 'failed', finishReason: 'error', error: { message: expect.any(String) } })
    expect(await trace(body.executionId)).toMatchObject({ status: 'running', finishReason: null })
    await service.deps.settlements.retryFailed()
    expect((await trace(body.executionId)).status).toBe('running')
    await giveBack(database, 'usage_journal')
    await service.deps.settlements.retryFailed()
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
    await service.deps.settlements.retryFailed()
    expect(await usage()).toMatchObject({ executions: 1, input_tokens: 14 })
  })

  test('of a broker call is a failed call, whatever the endpoint answered', async () => {
    const { service, database, broker, trace } = await setOwnScene()
    await takeAway(database, 'usage_journal')
    const answer = await broker('echo')
    expect([answer.statusCode, Object.keys(answer.json())]).toEqual([502, ['executionId', 'error', 'durationMs']])
    await giveBack(database, 'usage_journal')
    await service.deps.settlements.retryFailed()
    expect(await trace(answer.json().executionId)).toMatchObject({ status: 'failed', error: answer.json().error })
  })

  test('a call that cannot be written down beforehand is not made', async () => {
    const { service, database, endpoint, execute, trace } = await setOwnScene()
    service.model.say(async function* () {
      await takeAway(database, 'capability_calls')
      yield* calls({ name: 'echo', input: {} }, { name: 'echo', input: {} })
    }, text('done'))
    const body = executed(await execute())
    expect(body).toMatchObject({ status: 'failed', finishReason: 'error' })
    expect(body.error?.message).not.toMatch(/capability_calls|table|relation/)
    expect(endpoint.effects).toHaveLength(0)
    await giveBack(database, 'capability_calls')
    await service.deps.settlements.retryFailed()
    expect(await trace(body.executionId)).toMatchObject({ status: 'failed', capabilityCalls: [] })
  })

  test('an admission that cannot be written lets nobody in, and is told in general words', async () => {
    const { service, database, endpoint, broker, charged } = await setOwnScene()
    const before = await charged()
    await takeAway(database, 'capability_calls')
    const answer = await broker('echo')
    expect(answer.statusCode).toBe(500)
    expect(answer.json()).toEqual({
      error: { code: 'internal_error', message: expect.not.stringMatching(/table|relation|calls/) },
    })
    await giveBack(database, 'capability_calls')
    expect(await charged()).toEqual(before)
    expect(endpoint.effects).toHaveLength(0)
    expect((await broker('echo')).statusCode).toBe(200)
    expect(service.deps.running.size).toBe(0)
  })
})
