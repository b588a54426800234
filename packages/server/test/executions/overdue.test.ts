import { expect, test } from 'vitest'
import { updateTier } from '../../src/accounts/store.ts'
import { createPrometheusMetrics } from '../../src/telemetry/prometheus-metrics.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { setScene } from '../support/scene.ts'

describeEngines('leftovers of earlier states', (engine) => {
  const database = useDatabase(engine)

  test('a running row that its own living node has forgotten is failed once it is overdue, and counted', async () => {
    const metrics = createPrometheusMetrics()
    const { service, owner, runtime, usage, trace, execute } = await setScene(database(), { metrics })
    const { executionId } = (await execute()).json()
    // As after a commit of which the service never heard.
    await database()
      .db.updateTable('executions')
      .set({ status: 'running', completed_at: null, finish_reason: null })
      .where('owner_id', '=', owner.ownerId)
      .where('runtime_id', '=', runtime.runtimeId)
      .execute()
    const { executionMs, dispatchMs } = service.deps.limits
    const before = await usage()
    for (let passed = 0; passed < executionMs + dispatchMs + 60_000; passed += 10_000) {
      expect(await trace(executionId)).toMatchObject({ status: 'running' })
      service.clock.advance(10_000)
      await service.renew()
    }
    service.clock.advance(1)
    await service.renew()
    expect(await trace(executionId)).toMatchObject({ status: 'failed', finishReason: 'error' })
    expect((await usage()).failed).toBe(before.failed + 1)
    expect(await metrics.text()).toContain('\nsvc_interrupted_executions_total 1\n')
  })

  test('a bucket that was emptied under a larger plan is just empty under the smaller one', async () => {
    const { service, owner, execute } = await setScene(database(), { tier: 'pro' })
    const dayMs = 24 * 3_600_000
    await database()
      .db.updateTable('allowances')
      .set({ full_at: service.clock.now() + dayMs })
      .where('owner_id', '=', owner.ownerId)
      .where('bucket', '=', 'executions')
      .execute()
    await updateTier(service.deps.db, owner.email, 'free', service.clock.now())

    const refused = await execute()
    expect(refused.statusCode).toBe(429)
    // One unit of the free plan's hundred an hour.
    expect(refused.headers['retry-after']).toBe('36')
    service.clock.advance(36_000)
    await service.renew()
    expect((await execute()).statusCode).toBe(200)
  })
})
