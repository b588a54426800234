import { CapabilityDefinitionError, defineCapability, defineConfig, defineRuntime, isRuntime } from '@svc/sdk'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

function define(overrides: object) {
  return defineCapability({ name: 'order-status', version: '1.0.0', handler: () => null, ...overrides })
}

describe('defineCapability', () => {
  test.each([
    ['a dot in the name', { name: 'order.status' }, /order\.status.*Try “order-status”/],
    ['an empty name', { name: '' }, /it is empty/],
    ['no name', { name: undefined }, /has no name: give it one/],
    ['a version with two numbers', { version: '1.0' }, /“order-status”: version must be a semantic version/],
    ['no version', { version: undefined }, /version is required/],
    ['no handler', { handler: undefined }, /handler must be a function/],
    ['an unknown effect', { effect: 'delete' }, /effect must be “read” or “write” or “destructive”/],
    ['confirm that is no boolean', { confirm: 'yes' }, /confirm must be/],
    ['a preview that is no function', { preview: true }, /preview must be a function: preview\(input, context\)/],
    ['a misspelt option', { requireEndUser: true }, /requireEndUser is not a known field/],
    ['deprecated without since', { deprecated: true }, /deprecatedSince is required/],
    ['an array as a schema', { input: [] }, /input must be a schema/],
    [
      'a schema that cannot validate',
      { output: { '~standard': {} } },
      /output is a Standard Schema that cannot validate/,
    ],
    ['a class as a schema', { input: Date }, /input must be a schema/],
    [
      'a $ref that leads nowhere',
      { input: { $ref: '#/$defs/none' } },
      /“order-status”: input: .*\$ref.*\(#\/\$defs\/none\): write/,
    ],
    [
      'a type that there is not',
      { output: { type: 'strng' } },
      /“order-status”: output: .*type "strng": there are string/,
    ],
    [
      'a misspelt keyword alone',
      { input: { propertes: { city: {} } } },
      /input has no keyword of JSON Schema, only “propertes”.*properties: \{ … \}/,
    ],
    ['types without schemas', { input: { orderNumber: 'string' } }, /only “orderNumber”/],
    [
      'a misspelt keyword inside',
      { output: { type: 'array', items: { anyOf: [{ typ: 'string' }] } } },
      /output\.items\.anyOf\.0 has no keyword of JSON Schema, only “typ”/,
    ],
    [
      'a type in place of a schema',
      { input: { type: 'object', properties: { city: 'string' } } },
      /input\.properties\.city must be a schema, such as/,
    ],
    ['a list in place of properties', { input: { properties: [] } }, /input\.properties must be an object of schemas/],
    [
      'a zod shape',
      { input: { city: z.string() } },
      /input\.city is a schema of a library inside a plain object.*: z\.object\(\{ … \}\)/,
    ],
    [
      'a zod schema inside a plain one, under a name that is a keyword',
      { input: { type: 'object', properties: { title: z.string() } } },
      /input\.properties\.title is a schema of a library/,
    ],
    ['a valibot shape', { input: { city: v.string() } }, /toStandardJsonSchema\(v\.object\(\{ … \}\)\)/],
    ['an arktype shape', { output: { city: type('string') } }, /output\.city .*: type\(\{ … \}\)/],
    ['a date in a schema', { input: { const: new Date(0) } }, /input\.const holds something that is no JSON/],
    ['a function in a schema', { input: { type: 'object', default: () => ({}) } }, /input\.default holds something/],
    ['a number that JSON cannot hold', { input: { properties: { n: { maximum: Infinity } } } }, /n\.maximum holds/],
    ['permissions that are no list', { permissions: 'orders:refund' }, /permissions must be a list/],
    ['a permission that is no text', { permissions: ['a', 7] }, /permissions\.1 must be a text/],
    ['an empty permission', { permissions: [' '] }, /permissions\.0 must be a text/],
    ['a permission twice', { permissions: ['a', 'b', 'a'] }, /permissions\.2 repeats “a”: remove it/],
  ])('refuses %s with a message that names the way out', (_situation, overrides, message) => {
    expect(() => define(overrides)).toThrow(CapabilityDefinitionError)
    expect(() => define(overrides)).toThrow(message)
  })

  test.each([
    [{}],
    [{ properties: { any: {}, all: true, none: false, titled: { title: 'x' } } }],
    [{ type: 'object', 'x-order': 1, ownKeyword: { deep: 'x' }, properties: { a: { 'x-own': 1 } } }],
    [{ type: 'object', description: undefined, properties: { items: { enum: [{ a: 'b' }] } } }],
    [{ $ref: '#/$defs/a', $defs: { a: { items: [{ const: 1 }] } } }],
    [z.toJSONSchema(z.object({ a: z.string().optional() }))],
  ])('takes a plain schema for what it is: %j', (input) => {
    expect(() => define({ input })).not.toThrow()
  })

  // holds CAP-03
  test('reports all faults of one definition together', () => {
    const attempt = () =>
      define({ version: 'one', input: 3, output: { $ref: '#/x' }, deprecated: true, permissions: [''] })
    expect(attempt).toThrow(/version.*deprecatedSince.*input.*output.*permissions/s)
  })

  test('leaves a definition that cannot be changed afterwards', () => {
    const permissions = ['orders:read']
    const defined = define({ permissions })
    permissions.push('orders:refund')
    expect([Object.isFrozen(defined), defined.permissions]).toEqual([true, ['orders:read']])
  })
})

describe('defineRuntime', () => {
  // holds CAP-04
  test('refuses names that differ only by case, and equal names', () => {
    expect(() => defineRuntime({ capabilities: [define({}), define({ name: 'Order-Status' })] })).toThrow(
      /“Order-Status” and “order-status” differ only by case/,
    )
    expect(() => defineRuntime({ capabilities: [define({}), define({})] })).toThrow(/Two capabilities are named/)
  })

  test('names the position of what is no capability', () => {
    const plainObject = JSON.parse('{"name":"x"}')
    expect(() => defineRuntime({ capabilities: [define({}), plainObject] })).toThrow(
      /capabilities\[1\].*defineCapability/,
    )
  })

  test('looks names up exactly, and names of object methods not at all', () => {
    const runtime = defineRuntime({ capabilities: [define({})] })
    expect(runtime.find('order-status')?.version).toBe('1.0.0')
    expect(['Order-Status', 'constructor', '__proto__', 'toString', ''].map((name) => runtime.find(name))).toEqual(
      Array(5).fill(undefined),
    )
  })

  test('does not change when the list that it was made of does', () => {
    const capabilities = [define({})]
    const runtime = defineRuntime({ capabilities })
    capabilities.push(define({ name: 'later' }))
    expect(runtime.capabilities).toHaveLength(1)
    expect(Object.isFrozen(runtime.capabilities) && Object.isFrozen(runtime)).toBe(true)
  })
})

test('isRuntime knows a runtime by its looks, and nothing else', () => {
  expect(isRuntime(defineRuntime({ capabilities: [] }))).toBe(true)
  expect([null, undefined, {}, 'svc-runtime', { capabilities: [] }, []].some(isRuntime)).toBe(false)
})

// holds CFG-01
test('defineConfig changes nothing', () => {
  const config = { apiKey: undefined, website: { name: 'Shop' } }
  expect(defineConfig(config)).toBe(config)
})
