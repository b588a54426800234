import { PlanList } from '@svc/contract'
import { expect, test } from 'vitest'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { startForTest } from '../support/service.ts'

describeEngines('the list of plans', (engine) => {
  const database = useDatabase(engine)

  // holds BIL-01, BIL-02
  test('goes from the smallest to the largest, with price and every limit', async () => {
    const service = await startForTest(database())
    const { apiKey } = await service.owner('free')
    const answer = await service.send('GET', '/v1/billing/plans', { key: apiKey })
    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toEqual({
      plans: [
        {
          tier: 'free',
          name: 'Free',
          price: { amount: 0, currency: 'USD', interval: 'month' },
          limits: {
            runtimes: 1,
            executionsPerHour: 100,
            executionsBurst: 200,
            anonymousPerHour: 25,
            anonymousBurst: 50,
            requestsPerMinute: 60,
            analyticsDays: 7,
            retentionDays: 7,
            storedBytes: 200_000_000,
          },
        },
        {
          tier: 'pro',
          name: 'Pro',
          price: { amount: 4900, currency: 'USD', interval: 'month' },
          limits: {
            runtimes: 10,
            executionsPerHour: 2_000,
            executionsBurst: 48_000,
            anonymousPerHour: 500,
            anonymousBurst: 12_000,
            requestsPerMinute: 600,
            analyticsDays: 90,
            retentionDays: 90,
            storedBytes: 5_000_000_000,
          },
        },
        {
          tier: 'enterprise',
          name: 'Enterprise',
          price: { amount: null, currency: 'USD', interval: 'month' },
          limits: {
            runtimes: null,
            executionsPerHour: null,
            executionsBurst: null,
            anonymousPerHour: null,
            anonymousBurst: null,
            requestsPerMinute: 6_000,
            analyticsDays: 400,
            retentionDays: 400,
            storedBytes: null,
          },
        },
      ],
      current: 'free',
    })
  })

  // holds BIL-01
  test.each(['free', 'pro', 'enterprise'] as const)('names %s as the account’s plan', async (tier) => {
    const service = await startForTest(database())
    const { apiKey } = await service.owner(tier)
    const answer = await service.send('GET', '/v1/billing/plans', { key: apiKey })
    expect(PlanList.parse(answer.json()).current).toBe(tier)
  })
})
