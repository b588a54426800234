import { describe, expect, test } from 'vitest'
import { drawsFor } from '../../src/usage/quota-rules.ts'
import { alertRanges, judgeUse, usedPercent } from '../../src/webhooks/quota-alert-rules.ts'

describe('the range of a threshold that was told', () => {
  test.each(alertRanges())(
    '$tier $bucket at $told %: ends where the judgement changes, to the millisecond',
    (range) => {
      const { tier, bucket, told, least, below } = range
      const rate = drawsFor(tier, 'broker').find((draw) => draw.bucket === bucket)?.rate
      if (!rate) throw new Error('the plan has no such quota')
      const judged = (owed: number) => judgeUse(usedPercent(owed, rate, 0), told).percent
      const window = rate.burst * rate.unitMs
      const inside = [least, Math.max(least, 0) + 1, Math.min(below, window) - 1, below - 1]
      for (const owed of inside.filter((owed) => owed >= least && owed < below)) expect(judged(owed)).toBe(told)
      if (below <= window) expect(judged(below)).toBeGreaterThan(told)
      if (least > 0) expect(judged(least - 1)).toBeLessThan(told)
    },
  )
})
