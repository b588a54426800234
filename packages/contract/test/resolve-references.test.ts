import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../src/json.ts'
import { resolveReferences } from '../src/resolve-references.ts'

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'

describe('references of a schema', () => {
  test('become definitions by number, and names go', () => {
    const item = { $id: 'item.json', $anchor: 'it', type: 'object', properties: { next: { $ref: '#' } } }
    const schema = {
      properties: { a: { $ref: 'item.json#it' }, b: { $ref: '#/$defs/item' } },
      $defs: { item, unused: {} },
    }
    expect(resolveReferences(schema)).toEqual({
      properties: { a: { $ref: '#/$defs/0' }, b: { $ref: '#/$defs/0' } },
      $defs: { 0: { type: 'object', properties: { next: { $ref: '#/$defs/0' } } } },
    })
  })

  test('are read where keywords hold schemas alone', () => {
    const values = { const: { $ref: '#/none' }, enum: [{ $id: 'a' }, { $id: 'a' }], default: { $anchor: 'a' } }
    const schema = { ...values, properties: { $ref: { type: 'string' }, $id: true } }
    expect(resolveReferences(schema)).toEqual(schema)
  })

  test('replace what stands beside them in draft-07, and only there', () => {
    const schema = { properties: { a: { $ref: '#/definitions/t', minLength: 2 } }, definitions: { t: true } }
    expect(resolveReferences(schema)['properties']).toEqual({ a: { $ref: '#/$defs/0', minLength: 2 } })
    expect(resolveReferences({ $schema: DRAFT_07, ...schema })['properties']).toEqual({ a: { $ref: '#/$defs/0' } })
  })

  test('that are dynamic lead to the outermost resource on the way, on each way', () => {
    const list = { $id: 'list', items: { $dynamicRef: '#t' }, $defs: { any: { $dynamicAnchor: 't' } } }
    const texts = { $id: 'texts', $ref: 'list', $defs: { text: { $dynamicAnchor: 't', type: 'string' } } }
    const resolved = resolveReferences({
      properties: { a: { $ref: 'list' }, b: { $ref: 'texts' } },
      $defs: { list, texts },
    })
    const itemsOf = (name: string) => JSON.stringify(follow(resolved, name))
    expect([itemsOf('a').includes('string'), itemsOf('b').includes('string')]).toEqual([false, true])
  })

  test.each<[string, JsonObject, RegExp]>([
    ['out of the schema', { $ref: 'https://evil.example/x' }, /leads out of the schema \(https:\/\/evil\.example\/x\)/],
    ['to a fragment that is none', { $ref: '#%' }, /leads out of the schema/],
    ['to what every object inherits', { $ref: '#/constructor' }, /leads out of the schema/],
    ['to a value', { $ref: '#/title', title: 'x' }, /leads out of the schema/],
    ['that is no text', { $ref: 7 }, /leads out of the schema \(7\)/],
    ['to one of two of a name', { $defs: { a: { $id: 'a' }, b: { $id: 'a' } } }, /\$id “.*a” twice/],
  ])('%s are refused', (_, schema, message) => {
    expect(() => resolveReferences(schema)).toThrow(message)
  })

  test('that ask for a copy for every way to them are refused before there are too many', () => {
    const names = Array.from({ length: 40 }, (_, at) => `n${at}`)
    const resources = names.flatMap((name, at) =>
      ['x', 'y'].map((kind) => {
        const next = at + 1 < names.length ? ['x', 'y'].map((each) => ({ $ref: `${each}${at + 1}` })) : []
        const $defs = { own: { $dynamicAnchor: name, type: kind === 'x' ? 'string' : 'number' } }
        return [
          `${kind}${at}`,
          { $id: `${kind}${at}`, anyOf: [true, ...next], $defs, not: { $dynamicRef: `#${name}` } },
        ]
      }),
    )
    const schema = { anyOf: [{ $ref: 'x0' }, { $ref: 'y0' }], $defs: Object.fromEntries(resources) }
    expect(() => resolveReferences(schema)).toThrow('takes too long to check')
  })
})

/** The schema of a property, its references followed. */
function follow(schema: JsonObject, property: string): unknown {
  const { properties, $defs } = schema
  const replace = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replace)
    if (typeof value !== 'object' || value === null) return value
    const { $ref, ...rest } = Object(value)
    const target = $ref === undefined ? {} : replace(Object($defs)[String($ref).replace('#/$defs/', '')])
    return {
      ...Object(target),
      ...Object.fromEntries(Object.entries(rest).map(([name, each]) => [name, replace(each)])),
    }
  }
  return replace(Object(properties)[property])
}
