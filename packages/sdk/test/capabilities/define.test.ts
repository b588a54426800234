import { CapabilityDefinitionError, defineCapability, defineConfig, defineRuntime, isRuntime } from '@svc/sdk'
import { describe, expect, test } from 'vitest'

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
      /“order-status”: input: .*\$ref.*“#\/\$defs\/none”/,
    ],
    [
      'a type that there is not',
      { output: { type: 'strng' } },
      /“order-status”: output: .*type "strng": there are string/,
    ],
    ['permissions that are no list', { permissions: 'orders:refund' }, /permissions must be a list/],
    ['a permission that is no text', { permissions: ['a', 7] }, /permissions\.1 must be a text/],
    ['an empty permission', { permissions: [' '] }, /permissions\.0 must be a text/],
    ['a permission twice', { permissions: ['a', 'b', 'a'] }, /permissions\.2 repeats “a”: remove it/],
  ])('refuses %s with a message that names the way out', (_situation, overrides, message) => {
    expect(() => define(overrides)).toThrow(CapabilityDefinitionError)
    expect(() => define(overrides)).toThrow(message)
  })

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
  test('refuses names that differ only by case, and equal names', () => {
    expect(() => defineRuntime({ capabilities: [define({}), define({ name: 'Order-Status' })] })).toThrow(
      /“Order-Status” and “order-status” differ only by case/,
    )
    expect(() => defineRuntime({ capabilities: [define({}), define({})] })).toThrow(/Two capabilities are named/)
  })

  test('names the position of what is no capability', () => {
    const stranger = JSON.parse('{"name":"x"}')
    expect(() => defineRuntime({ capabilities: [define({}), stranger] })).toThrow(/capabilities\[1\].*defineCapability/)
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

test('defineConfig changes nothing', () => {
  const config = { apiKey: undefined, website: { name: 'Shop' } }
  expect(defineConfig(config)).toBe(config)
})
