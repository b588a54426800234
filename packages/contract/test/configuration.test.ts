import { fieldErrorsOf, KEY_PREFIXES, keyChecksum, SvcConfig, SvcSettings } from '@svc/contract'
import { expect, test } from 'vitest'

const body = `${KEY_PREFIXES.deploy}${'k'.repeat(32)}`
const apiKey = body + keyChecksum(body)

function faultsOf(value: unknown) {
  const parsed = SvcConfig.safeParse(value)
  return parsed.success ? {} : fieldErrorsOf(parsed.error)
}

// holds CFG-05
test('a key is all that must be there; the runtime’s module has its default place', () => {
  expect(SvcConfig.parse({ apiKey })).toEqual({ apiKey, runtime: '.svc/runtime.ts' })
})

// holds CFG-03
test('a missing key is answered with the variable that sets it', () => {
  expect(faultsOf({})['apiKey']?.[0]).toContain('SVC_API_KEY')
  expect(faultsOf({ apiKey: undefined })['apiKey']?.[0]).toContain('SVC_API_KEY')
})

test('a key of another kind is told from one that was cut', () => {
  const publicBody = `${KEY_PREFIXES.public}${'k'.repeat(32)}`
  expect(faultsOf({ apiKey: publicBody + keyChecksum(publicBody) })['apiKey']?.[0]).toContain('starts with svc_sk_')
  expect(faultsOf({ apiKey: apiKey.slice(0, -1) })['apiKey']?.[0]).toContain('cut or mistyped')
  expect(faultsOf({ apiKey: '' })['apiKey']?.[0]).toContain('is empty: set SVC_API_KEY')
})

test('no message repeats a key', () => {
  for (const wrong of [apiKey.slice(0, -1), `${apiKey}x`]) {
    expect(JSON.stringify(faultsOf({ apiKey: wrong }))).not.toContain('k'.repeat(32))
  }
})

// holds CFG-02, CFG-04, CFG-08
test('all failing fields are reported together, each with its own message', () => {
  const faults = faultsOf({
    apiKey: 'svc_sk_x',
    endpoint: 'http://shop.example.com',
    runtime: '',
    website: { url: 'nowhere' },
    adp: { namespace: 'shop', endpoint: 'https://shop.example.com' },
    provider: 'x',
    model: 'y',
    tier: 'pro',
  })
  expect(Object.keys(faults).sort()).toEqual([
    'adp.endpoint',
    'adp.namespace',
    'apiKey',
    'endpoint',
    'model',
    'provider',
    'runtime',
    'tier',
    'website.name',
    'website.url',
  ])
})

test('the settings are all of it but the key', () => {
  expect(Object.keys(SvcConfig.shape)).toEqual(['apiKey', ...Object.keys(SvcSettings.shape)])
  expect(SvcSettings.parse({})).toEqual({ runtime: '.svc/runtime.ts' })
  expect(SvcSettings.safeParse({ apiKey }).success).toBe(false)
})

// holds CFG-07
test('adp.endpoint is refused with the reason; an unknown field of that name elsewhere is only unknown', () => {
  const faults = faultsOf({
    apiKey,
    adp: { namespace: 'com.example', endpoint: 'x' },
    website: { name: 'x', endpoint: 'x' },
  })
  expect(faults['adp.endpoint']?.[0]).toContain('the published address is always the broker’s')
  expect(faults['website.endpoint']?.[0]).toContain('is not a known field')
})
