import { describe, expect, test } from 'vitest'
import { describeSchema } from '../../src/routes/runtimes/describe-schema.ts'

const lines = (schema: unknown) =>
  describeSchema(schema).map(({ path, type, isRequired, rules }) =>
    [path, type, ...(isRequired ? ['required'] : []), ...rules].join(', '),
  )

const LIST = { type: 'array', items: { $ref: '#/$defs/list' } }

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

  test('what refers to itself is gone into once', () => {
    const nested = { type: 'object', properties: { matrix: { $ref: '#/$defs/list' } }, $defs: { list: LIST } }
    expect(lines(nested)).toEqual(['matrix, list of anything'])
    const json = { anyOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#/$defs/json' } }] }
    const value = { type: 'object', properties: { value: { $ref: '#/$defs/json' } }, $defs: { json } }
    expect(lines(value)).toEqual(['value, string or list of anything'])
    const tree = { type: 'object', properties: { left: { $ref: '#' }, right: { type: 'array', items: { $ref: '#' } } } }
    expect(lines(tree)).toEqual(['left, object', 'right, list of object'])
  })

  test('the same definition in two places is gone into in both', () => {
    const place = { type: 'object', properties: { lines: { type: 'array', items: { type: 'string' } } } }
    const schema = { type: 'object', properties: { from: { $ref: '#/$defs/p' }, to: { $ref: '#/$defs/p' } } }
    expect(lines({ ...schema, $defs: { p: place } })).toEqual([
      'from, object',
      'from.lines, list of string',
      'to, object',
      'to.lines, list of string',
    ])
  })

  test('a reference whose escapes are broken leads nowhere', () => {
    expect(lines({ $ref: '#/%' })).toEqual([', anything, required'])
    expect(lines({ type: 'object', properties: { half: { $ref: '#/$defs/50%' } } })).toEqual(['half, anything'])
  })
})
