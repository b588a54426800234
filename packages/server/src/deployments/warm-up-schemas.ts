import type { JsonObject } from '@svc/contract'
import { compileQuickly, type QuickLimits } from './json-schema.ts'
import { DIALECT_IDS } from './schema-dialects.ts'
import { TimeLimitError } from './time-limit.ts'

// With what is slow for the first time: a format, a pattern with a count, a reference.
const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    at: { type: 'string', format: 'date-time' },
    kind: { type: ['string', 'null'], enum: ['a', 'b', null] },
    count: { type: 'integer', minimum: 1 },
    items: { type: 'array', items: { $ref: '#/$defs/item' }, minItems: 1, uniqueItems: true },
  },
  required: ['at'],
  additionalProperties: false,
  $defs: {
    item: { type: 'object', properties: { id: { type: 'string', pattern: '^id_[0-9a-z]{2,8}$' } }, required: ['id'] },
  },
}
const FITS = { at: '2020-02-02T20:20:20Z', kind: 'a', count: 1, items: [{ id: 'id_01' }, { id: 'id_02' }] }
const FAULTY = { at: 'today', kind: 'c', count: 0.5, items: [{ id: '' }, {}], more: true }

const PLENTY = { compileMs: 1_000, checkMs: 1_000 }

/**
 * Has all that compiles schemas and checks inputs run once, on the way that requests take: what runs for the first time
 * takes several times as long. Costs some 50 ms.
 */
export function warmUpSchemas(limits: QuickLimits = PLENTY): void {
  for (const $schema of DIALECT_IDS) warmUp({ ...SCHEMA, $schema }, limits)
}

function warmUp(schema: JsonObject, limits: QuickLimits): void {
  try {
    const { check } = compileQuickly(schema, limits)
    for (const value of [FITS, FAULTY]) check(value, 'input')
  } catch (error) {
    // A machine that stands still now is no reason not to start.
    if (!(error instanceof TimeLimitError)) throw error
  }
}
