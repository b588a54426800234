import { describe, expect, test } from 'vitest'
import { describeSchema } from '../../src/routes/runtimes/describe-schema.ts'

const lines = (schema: unknown) =>
  describeSchema(schema).map(({ path, type, isRequired, rules }) =>
    [path, type, ...(isRequired ? ['required'] : []), ...rules].join(', '),
  )

describe('a schema in words', () => {
  test('has a line for each field, with what must hold', () => {
    const schema = {
      type: 'object',
      required: ['query'],
      properties: {
        query: { type: 'string', minLength: 1, maxLength: 80, description: 'Words.' },
        limit: { type: 'integer', minimum: 1, maximum: 20, default: 5 },
        sort: { enum: ['price', 'name'] },
      },
    }
    expect(lines(schema)).toEqual([
      'query, string, required, 1 character or more, 80 characters or fewer',
      'limit, integer, at least 1, at most 20, otherwise 5',
      'sort, choice, one of “price”, “name”',
    ])
    expect(describeSchema(schema)[0]?.description).toBe('Words.')
  })

  test('goes into objects and lists, and follows references', () => {
    const schema = {
      type: 'object',
      properties: {
        items: { type: 'array', minItems: 1, items: { $ref: '#/$defs/item' } },
        to: { $ref: '#/$defs/place' },
      },
      $defs: {
        item: { type: 'object', required: ['sku'], properties: { sku: { type: 'string' } } },
        place: { type: 'object', properties: { city: { type: ['string', 'null'] } } },
      },
    }
    expect(lines(schema)).toEqual([
      'items, list of object, 1 entry or more',
      'items[].sku, string, required',
      'to, object',
      'to.city, string or null',
    ])
  })

  test('a value that is no object is one line', () => {
    expect(lines({ type: 'array', items: { type: 'string' } })).toEqual([', list of string, required'])
    expect(lines({ anyOf: [{ type: 'string' }, { type: 'number' }] })).toEqual([', string or number, required'])
  })

  test('what leads round, leads nowhere or is no schema at all ends', () => {
    const round = {
      type: 'object',
      properties: { child: { $ref: '#' }, next: { $ref: '#/$defs/a' } },
      $defs: { a: { $ref: '#/$defs/a' } },
    }
    expect(describeSchema(round).length).toBeLessThan(100)
    expect(lines({ $ref: '#/$defs/absent' })).toEqual([', anything, required'])
    for (const value of [null, true, 3, 'text', []]) expect(describeSchema(value)).toEqual([])
    expect(describeSchema({ type: 'object', properties: {} })).toEqual([])
  })
})
