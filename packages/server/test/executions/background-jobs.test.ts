import { expect, test } from 'vitest'
import { startJobs } from '../../src/ops/background-jobs.ts'
import type { Database } from '../../src/store/database.ts'
import { createPrometheusMetrics } from '../../src/telemetry/prometheus-metrics.ts'
import { executionRow } from '../store/rows.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { executed, setScene } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'
import { startForTest, type TestService } from '../support/service.ts'

const LONG_MS = 3_600_000

async function runRound({ deps }: Pick<TestService, 'deps'>, retryWaitMs = LONG_MS): Promise<void> {
  const { renewing, aggregating, sweeping } = startJobs(deps, {
    renewalMs: LONG_MS,
    retentionMs: LONG_MS,
    aggregateMs: LONG_MS,
    retryWaitMs,
  })
  renewing.begin()
  await Promise.all([renewing.stop(), aggregating.stop(), sweeping.stop()])
}

/** An execution of a node that holds no lease any more. */
async function leaveBehind({ db }: Database, executionId: string): Promise<() => Promise<string>> {
  const row = executionRow({ execution_id: executionId, node_id: 'node_gone' })
  await db.insertInto('executions').values(row).execute()
  return async () => {
    const found = db.selectFrom('executions').select('status').where('execution_id', '=', executionId)
    return (await found.executeTakeFirstOrThrow()).status
  }
}

describeEngines('the background job that renews the lease', (engine) => {
  const database = useDatabase(engine)

  async function start() {
    const metrics = createPrometheusMetrics()
    const messages: unknown[] = []
    const log = (line: string) => void messages.push(JSON.parse(line).msg)
    const { deps } = await startForTest(database(), { metrics, log })
    let retries = 0
    deps.settlements.retryQueued = async () => {
      retries += 1
    }
    const round = () => runRound({ deps })
    const renewals = async () => (await metrics.text()).match(/(?<=^svc_lease_renewals_total).* [1-9]\d*$/gm)
    return { round, renewals, messages, retries: () => retries }
  }

  test('has renewed the lease also where it cannot fail interrupted executions, and continues', async () => {
    const { round, renewals, messages, retries } = await start()
    const { schema } = database().db
    await schema.alterTable('executions').renameTo('executions_away').execute()
    await round().finally(() => schema.alterTable('executions_away').renameTo('executions').execute())
    expect(await renewals()).toEqual(['{outcome="renewed"} 1'])
    expect(messages).toContain('interrupted executions could not be failed')
    expect(messages).not.toContain('the lease could not be renewed')
    expect(retries()).toBe(1)
  })

  test('without the lease does nothing else', async () => {
    const { round, renewals, messages, retries } = await start()
    const { schema } = database().db
    await schema.alterTable('nodes').renameTo('nodes_away').execute()
    await round().finally(() => schema.alterTable('nodes_away').renameTo('nodes').execute())
    expect(await renewals()).toEqual(['{outcome="failed"} 1'])
    expect(messages).toContain('the lease could not be renewed')
    expect(retries()).toBe(0)
  })

  test('after an outage of any length writes the retry queue before it fails overdue executions', async () => {
    const { service, execute, trace, usage } = await setScene(database())
    const { schema } = database().db
    service.model.say(calls({ name: 'echo', input: { text: 'a' } }), text('done'))
    await schema.alterTable('usage_journal').renameTo('usage_journal_away').execute()
    const { executionId, error } = executed(await execute())
    const { executionMs, dispatchMs } = service.deps.limits
    service.clock.advance(executionMs + dispatchMs + 60_001)
    await schema.alterTable('usage_journal_away').renameTo('usage_journal').execute()
    await runRound(service)
    expect(await trace(executionId)).toMatchObject({
      status: 'failed',
      error,
      totalTokens: 20,
      capabilityCalls: [{ status: 'completed', output: { text: 'a' } }],
    })
    expect(await usage()).toMatchObject({ executions: 1, failed: 1, capability_calls: 1, input_tokens: 14 })
  })

  test('fails no overdue execution of its own while the retry queue holds any, and fails those of dead nodes', async () => {
    const { service, execute, trace, usage } = await setScene(database())
    const { schema } = database().db
    // Which endpoints gave a sign of life is written with outcomes, and by nobody who fails what was interrupted.
    service.model.say(calls({ name: 'echo', input: { text: 'a' } }), async function* () {
      await schema.alterTable('runtimes').renameTo('runtimes_away').execute()
      yield* text('done')
    })
    const { executionId, error } = executed(await execute())
    const { executionMs, dispatchMs } = service.deps.limits
    service.clock.advance(executionMs + dispatchMs + 60_001)
    const statusOfLeft = await leaveBehind(database(), 'exec_left_one')
    await runRound(service).finally(() => schema.alterTable('runtimes_away').renameTo('runtimes').execute())
    expect(await statusOfLeft()).toBe('failed')
    expect(await trace(executionId)).toMatchObject({ status: 'running' })
    await runRound(service)
    expect(await trace(executionId)).toMatchObject({ status: 'failed', error, totalTokens: 20 })
    expect(await usage()).toMatchObject({ executions: 1, failed: 1, input_tokens: 14 })
  })

  test('waits for the retry queue up to a time limit before it fails the executions of dead nodes', async () => {
    const { deps } = await startForTest(database())
    const statusOfLeft = await leaveBehind(database(), 'exec_left_two')
    deps.settlements.retryQueued = () => new Promise(() => undefined)
    await runRound({ deps }, 1)
    expect(await statusOfLeft()).toBe('failed')
  })
})
