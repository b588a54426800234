import type { JsonObject } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { compileQuickly, type QuickSchema } from '../../src/deployments/json-schema.ts'
import { linearRegExps } from '../../src/deployments/linear-reg-exp.ts'
import { object } from './schema-support.ts'

/** A step of the engine, one instruction on one character, takes 40 ns at most: this many take four milliseconds. */
const MAX_STEPS = 100_000

function quick(schema: JsonObject): QuickSchema {
  return compileQuickly(schema, { compileMs: 5_000, checkMs: 5_000 })
}

function instructionsOf(pattern: string): number {
  let instructions = 0
  linearRegExps((more) => {
    instructions += more
  })(pattern)
  return instructions
}

/** The size of the largest input that is checked without a limit. */
function largestSafe({ isSafe }: QuickSchema): number {
  let bytes = 0
  while (isSafe(bytes + 1)) bytes += 1
  return bytes
}

describe('what is checked without a limit', () => {
  test.each(['(?:a?b?c?d?){100}$|z{1}', '(a?){300}a{300}$', '[ab]{1000}c', '(a.*){10}b', '(a|b|ab)*c{200}$'])(
    'takes %s no more steps than four milliseconds have, in one place or in twenty',
    (pattern) => {
      for (const places of [1, 20]) {
        const allOf = Array.from({ length: places }, () => ({ not: { pattern } }))
        const bytes = largestSafe(quick(object({ a: { type: 'string', allOf } })))
        expect(places * instructionsOf(pattern) * bytes).toBeLessThanOrEqual(MAX_STEPS)
      }
    },
  )

  test('is not what took forty milliseconds a call', () => {
    const schema = quick(object({ a: { not: { pattern: '(?:a?b?c?d?){100}$|z{1}' } } }))
    expect(schema.isSafe(1_200)).toBe(false)
    expect(schema.isSafe(100)).toBe(true)
  })

  test('is an ordinary input with ordinary patterns', () => {
    const schema = quick(
      object({
        id: { type: 'string', pattern: '^ord_[0-9a-z]{12}$' },
        postcode: { type: 'string', pattern: '^[0-9]{5}$' },
        email: { type: 'string', pattern: '^[^@ ]+@[^@ ]+\\.[a-z]{2,}$' },
      }),
    )
    expect(schema.isSafe(1_500)).toBe(true)
  })
})
