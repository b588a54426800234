import { expect, test } from 'vitest'
import { createDeathWatch, longestClearing, shareOfHits } from '../../src/fault/kills/death-watch.ts'
import { isWithin } from '../../src/fault/quota/bound.ts'

test('a full bucket lets in its burst and what came in meanwhile, no more and no fewer', () => {
  const bound = { burst: 60, unitMs: 1_000, tookMs: 2_500 }
  expect([59, 60, 61, 62, 63].map((letIn) => isWithin(letIn, bound))).toEqual([false, true, true, true, false])
  expect([199, 200, 201].map((letIn) => isWithin(letIn, { burst: 200, unitMs: 36_000, tookMs: 20_000 }))).toEqual([
    false,
    true,
    false,
  ])
})

test('a death that was never cleared up took for ever, and one that hit nothing is not a hit', () => {
  const death = { nodeId: 'node_1', since: 100, hits: 2, clearedAt: 350 }
  expect(longestClearing([death, { ...death, clearedAt: 200 }])).toBe(250)
  expect(longestClearing([death, { ...death, clearedAt: null }])).toBe(Number.POSITIVE_INFINITY)
  expect(shareOfHits([death, { ...death, hits: 0 }])).toBe(0.5)
})

test('executions of a dead server are over when none of them runs, and the time until then counts from its restart', async () => {
  let [now, running] = [1_000, 2]
  const query = async () => (running === 0 ? [] : [{ node_id: 'node_1', count: running }])
  const watch = createDeathWatch({ query }, () => now)
  const death = await watch.add('node_1', now)
  expect(death).toMatchObject({ hits: 2, clearedAt: null })
  death.since = 1_500
  await watch.look()
  expect(longestClearing(watch.deaths)).toBe(Number.POSITIVE_INFINITY)
  ;[now, running] = [2_100, 0]
  await watch.look()
  now = 9_000
  await watch.look()
  expect(longestClearing(watch.deaths)).toBe(600)
})
