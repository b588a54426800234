import { type Profiler, Session } from 'node:inspector/promises'
import type { JsonObject } from '@svc/contract'
import { expect, onTestFinished, test } from 'vitest'
import { compileQuickly } from '../../src/deployments/json-schema.ts'
import { TimeLimitError } from '../../src/deployments/time-limit.ts'
import { warmUpSchemas } from '../../src/deployments/warm-up-schemas.ts'
import { object } from './schema-support.ts'

const ORDER: JsonObject = {
  ...object(
    {
      id: { type: 'string', pattern: '^ord_[0-9a-z]{12}$' },
      placed: { type: 'string', format: 'date-time' },
      items: { type: 'array', items: { $ref: '#/$defs/item' }, minItems: 1 },
      status: { enum: ['open', 'sent'] },
    },
    { required: ['id'], additionalProperties: false },
  ),
  $defs: { item: object({ sku: { type: 'string' } }, { required: ['sku'] }) },
}
const DRAFT_07 = { $schema: 'http://json-schema.org/draft-07/schema#', ...ORDER }

/** The functions of what checks inputs that `work` calls. */
async function calledBy(work: () => void): Promise<Set<string>> {
  const session = new Session()
  session.connect()
  onTestFinished(() => session.disconnect())
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  work()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  await session.post('Profiler.stopPreciseCoverage')
  return new Set(result.flatMap(calledIn))
}

function calledIn({ url, functions }: Profiler.ScriptCoverage): string[] {
  const file = /(?:\/src\/deployments\/|\/(?=ajv(?:-formats)?\/|re2js\/))(.*)/.exec(url)?.[1]
  if (file === undefined) return []
  const called = functions.filter(({ ranges }) => ranges.some(({ count }) => count > 0))
  return called.map(({ functionName, ranges }) => `${file} ${functionName} ${ranges[0]?.startOffset}`)
}

function check(schema: JsonObject): void {
  const quick = compileQuickly(schema, { compileMs: 5_000, checkMs: 5_000 })
  expect(
    quick.check({ id: 'ord_0123456789ab', placed: '2030-01-01T00:00:00Z', items: [{ sku: 'a' }] }, 'input'),
  ).toBeNull()
  expect(quick.check({ id: 'ord', placed: 'now', items: [{}], status: 'lost', note: '' }, 'input')).not.toBeNull()
}

test('what an ordinary schema takes, in either dialect, has run before', async () => {
  const warm = await calledBy(() => warmUpSchemas())
  const needed = await calledBy(() => {
    check(ORDER)
    check(DRAFT_07)
  })
  expect([...needed].filter((called) => !warm.has(called))).toEqual([])
})

test('a machine that stands still meanwhile is no reason not to start', () => {
  const stop = () => {
    throw new TimeLimitError('stood still', 0)
  }
  expect(() => warmUpSchemas({ compileMs: 1, checkMs: 1, stop })).not.toThrow()
})
