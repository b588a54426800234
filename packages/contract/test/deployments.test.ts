import { Capability, DeploymentManifest, DeployRequest, fieldErrorsOf } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'

const echo = { name: 'echo', version: '1.0.0' }
const manifest = (fields: Record<string, unknown> = {}) => ({ schemaVersion: 2, capabilities: [echo], ...fields })

function faultsOf(value: unknown, schema: z.ZodType = DeploymentManifest) {
  const parsed = schema.safeParse(value)
  return parsed.success ? {} : fieldErrorsOf(parsed.error)
}

test('the smallest manifest is accepted, and what it leaves out has its default', () => {
  expect(DeploymentManifest.parse(manifest())).toEqual({
    schemaVersion: 2,
    capabilities: [{ ...echo, description: '', requiresEndUser: false, actions: [] }],
  })
})

// holds CAP-08, DEP-10
test('a manifest that uses every field is accepted as it is', () => {
  const inputSchema = { type: 'object', properties: { text: { type: 'string' } } }
  const capability = {
    ...echo,
    description: 'Says it again.',
    requiresEndUser: true,
    actions: [{ name: 'echo', inputSchema, outputSchema: {} }],
    deprecated: true,
    deprecatedSince: '1.1.0',
    removalNotBefore: '2.0.0',
  }
  const whole = manifest({
    capabilities: [capability],
    runtime: { sdkVersion: '0.1.0' },
    endpoint: 'https://shop.example.com/svc',
    website: { name: 'Shop', description: 'A shop.', url: 'https://shop.example.com', contact: 'help@example.com' },
    adp: { namespace: 'com.example.shop', id: 'urn:shop' },
    agent: { instructions: 'Be brief.' },
    metadata: { cliVersion: '0.1.0', anything: [1, null] },
  })
  expect(DeploymentManifest.parse(whole)).toEqual(whole)
})

// holds DEP-08
test.each([1, 3, '2', null, undefined])('schemaVersion %j is refused', (schemaVersion) => {
  expect(faultsOf(manifest({ schemaVersion }))).toEqual({ schemaVersion: ['must be 2.'] })
})

test('a capability may say more than is called: words and permissions of its action, and metadata', () => {
  const action = { name: 'echo', description: 'Says it again.', permissions: ['echo:say'] }
  const capability = { name: 'echo', version: '1.0.0', actions: [action], metadata: { team: 'core' } }
  expect(Capability.parse(capability)).toMatchObject({ actions: [action], metadata: { team: 'core' } })
  expect(Capability.safeParse({ ...capability, actions: [{ ...action, permissions: 'echo:say' }] }).success).toBe(false)
})

describe('capabilities', () => {
  test('a manifest without any is accepted, one without the list is not', () => {
    expect(faultsOf(manifest({ capabilities: [] }))).toEqual({})
    expect(faultsOf({ schemaVersion: 2 })).toEqual({ capabilities: ['is required (array).'] })
  })

  test('a bad name is refused with the repaired one', () => {
    expect(
      faultsOf(manifest({ capabilities: [{ ...echo, name: 'order.status' }] }))['capabilities.0.name']?.[0],
    ).toContain('Try “order-status”')
  })

  test('names that differ by upper and lower case alone are refused, each repetition at its place', () => {
    const named = (name: string) => ({ ...echo, name })
    const faults = faultsOf(manifest({ capabilities: ['Echo', 'other', 'echo', 'ECHO'].map(named) }))
    expect(Object.keys(faults)).toEqual(['capabilities.2.name', 'capabilities.3.name'])
    expect(faults['capabilities.3.name']?.[0]).toContain('“ECHO” repeats “Echo”')
  })

  test('names of object members are names like any other', () => {
    const named = (name: string) => ({ ...echo, name })
    const names = ['constructor', 'toString', 'hasOwnProperty', 'valueOf']
    expect(faultsOf(manifest({ capabilities: names.map(named) }))).toEqual({})
    expect(Object.keys(faultsOf(manifest({ capabilities: [...names, 'ToString'].map(named) })))).toEqual([
      'capabilities.4.name',
    ])
  })

  // holds CAP-09
  test('a second action is refused', () => {
    const actions = [{ name: 'one' }, { name: 'two' }]
    expect(faultsOf({ ...echo, actions }, Capability)).toEqual({
      actions: ['accepts at most one action: split the capability.'],
    })
  })

  test.each([[], 'string', true, null, 7])('a schema that is %j and no object is refused', (inputSchema) => {
    const actions = [{ name: 'echo', inputSchema }]
    expect(Object.keys(faultsOf({ ...echo, actions }, Capability))).toEqual(['actions.0.inputSchema'])
  })

  // holds CAP-05
  test('a version is required, and must be semantic', () => {
    expect(Object.keys(faultsOf({ name: 'echo' }, Capability))).toEqual(['version'])
    expect(Object.keys(faultsOf({ name: 'echo', version: '1' }, Capability))).toEqual(['version'])
  })

  test('a deprecated capability names the version that deprecated it', () => {
    const faults = faultsOf({ ...echo, deprecated: true }, Capability)
    expect(faults['deprecatedSince']?.[0]).toContain('is required when “echo” is deprecated')
    expect(faultsOf({ ...echo, deprecated: true, deprecatedSince: '1.0.0' }, Capability)).toEqual({})
    expect(faultsOf({ ...echo, deprecated: false }, Capability)).toEqual({})
    expect(Object.keys(faultsOf({ ...echo, deprecated: true, deprecatedSince: 'soon' }, Capability))).toContain(
      'deprecatedSince',
    )
  })

  // holds DEP-09
  test('an unknown field is refused, so that a misspelt one is not lost', () => {
    expect(Object.keys(faultsOf({ ...echo, requireEndUser: true }, Capability))).toEqual(['requireEndUser'])
    const actions = [{ name: 'echo', input: {} }]
    expect(Object.keys(faultsOf({ ...echo, actions }, Capability))).toEqual(['actions.0.input'])
  })
})

test.each([
  ['endpoint', 'http://shop.example.com', 'endpoint'],
  ['website', { url: 'https://shop.example.com' }, 'website.name'],
  ['website', { name: '', url: 'https://shop.example.com' }, 'website.name'],
  ['website', { name: 'Shop', url: 'ftp://shop.example.com' }, 'website.url'],
  ['website', { name: 'Shop', url: 'shop' }, 'website.url'],
  ['adp', {}, 'adp.namespace'],
  ['adp', { namespace: 'shop' }, 'adp.namespace'],
  ['adp', { namespace: 'com.example', id: '' }, 'adp.id'],
  ['adp', { namespace: 'com.example', endpoint: 'https://x.example' }, 'adp.endpoint'],
  ['agent', { instructions: 'x'.repeat(32_769) }, 'agent.instructions'],
  ['runtime', { sdk: '1' }, 'runtime.sdk'],
  ['metadata', [], 'metadata'],
  ['model', 'x', 'model'],
  ['tier', 'pro', 'tier'],
])('a manifest with %s %j is refused at %s', (field, value, path) => {
  expect(Object.keys(faultsOf(manifest({ [field]: value })))).toEqual([path])
})

// holds DEP-18
test('all faults of a manifest are told at once', () => {
  const faults = faultsOf({ manifest: manifest({ schemaVersion: 1, endpoint: 'x', adp: {}, extra: 1 }) }, DeployRequest)
  expect(Object.keys(faults).sort()).toEqual([
    'manifest.adp.namespace',
    'manifest.endpoint',
    'manifest.extra',
    'manifest.schemaVersion',
  ])
})
