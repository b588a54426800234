import { expect, test } from 'vitest'
import { createPrometheusMetrics } from '../../src/metrics/prometheus-metrics.ts'
import { beginRounds } from '../../src/rounds.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { executed, setScene } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'
import { startForTest, type TestService } from '../support/service.ts'

const LONG_MS = 3_600_000

async function runRound({ deps }: Pick<TestService, 'deps'>): Promise<void> {
  const { renewing, folding, sweeping } = beginRounds(deps, {
    renewalMs: LONG_MS,
    retentionMs: LONG_MS,
    foldMs: LONG_MS,
  })
  renewing.begin()
  await Promise.all([renewing.stop(), folding.stop(), sweeping.stop()])
}

describeEngines('a round of renewal', (engine) => {
  const database = useDatabase(engine)

  async function start() {
    const metrics = createPrometheusMetrics()
    const messages: unknown[] = []
    const log = (line: string) => void messages.push(JSON.parse(line).msg)
    const { deps } = await startForTest(database(), { metrics, log })
    let doubtsAsked = 0
    deps.admissions.resolveDoubts = async () => {
      doubtsAsked += 1
    }
    const round = () => runRound({ deps })
    const renewals = async () => (await metrics.text()).match(/(?<=^svc_lease_renewals_total).*/gm)
    return { round, renewals, messages, doubtsAsked: () => doubtsAsked }
  }

  test('that cannot fail what was interrupted has renewed the lease, and goes on', async () => {
    const { round, renewals, messages, doubtsAsked } = await start()
    const { schema } = database().db
    await schema.alterTable('executions').renameTo('executions_away').execute()
    await round().finally(() => schema.alterTable('executions_away').renameTo('executions').execute())
    expect(await renewals()).toEqual(['{outcome="renewed"} 1'])
    expect(messages).toContain('executions that nobody runs any more could not be failed')
    expect(messages).not.toContain('the lease could not be renewed')
    expect(doubtsAsked()).toBe(1)
  })

  test('without the lease does nothing else', async () => {
    const { round, renewals, messages, doubtsAsked } = await start()
    const { schema } = database().db
    await schema.alterTable('nodes').renameTo('nodes_away').execute()
    await round().finally(() => schema.alterTable('nodes_away').renameTo('nodes').execute())
    expect(await renewals()).toEqual(['{outcome="failed"} 1'])
    expect(messages).toContain('the lease could not be renewed')
    expect(doubtsAsked()).toBe(0)
  })

  test('after an outage of any length writes what was kept meanwhile before it fails what is overdue', async () => {
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
})
