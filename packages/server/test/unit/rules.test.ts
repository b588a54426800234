import type { Capability } from '@svc/contract'
import { Capability as CapabilitySchema } from '@svc/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { namedFaults, placedSchemas } from '../../src/deployments/rules.ts'
import { sizeFaults, truncatedJson } from '../../src/executions/payload-rules.ts'
import { JsonDocument } from '../../src/lib/json-document.ts'
import { connectionStatus, ONLINE_WINDOW_MS, planLimitProblem } from '../../src/runtimes/rules.ts'
import { schemaProblem } from '../../src/schemas/compile.ts'
import { Secret } from '../../src/secrets/secret.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')

describe('a runtime’s connection', () => {
  // holds CON-05
  test('is pending until the first sign of life, online for five minutes, then offline', () => {
    expect(ONLINE_WINDOW_MS).toBe(300_000)
    expect(connectionStatus(null, NOW)).toBe('pending')
    expect(connectionStatus(NOW, NOW)).toBe('online')
    expect(connectionStatus(NOW - 299_999, NOW)).toBe('online')
    expect(connectionStatus(NOW - 300_000, NOW)).toBe('offline')
    expect(connectionStatus(0, NOW)).toBe('offline')
  })

  test('is online for a clock that lags behind the one that heard of it', () => {
    expect(connectionStatus(NOW + 10_000, NOW)).toBe('online')
  })
})

describe('the number of runtimes', () => {
  // holds REG-09
  test.each([
    ['free', 0, null],
    ['free', 1, 'The free plan allows 1 runtime.'],
    ['free', 7, 'The free plan allows 1 runtime.'],
    ['pro', 9, null],
    ['pro', 10, 'The pro plan allows 10 runtimes.'],
    ['enterprise', 1_000_000, null],
  ] as const)('on the %s plan with %d', (tier, count, problem) => {
    const told = planLimitProblem(tier, count)
    if (problem === null) expect(told).toBeNull()
    else expect(told).toContain(problem)
  })
})

describe('a payload as it is stored', () => {
  const storedPayload = (value: unknown, maxBytes: number) => truncatedJson(JsonDocument.of(value).text, maxBytes)
  const payload = fc.jsonValue({ stringUnit: 'grapheme' })

  test('is its JSON where that fits, to the byte', () => {
    fc.assert(
      fc.property(payload, (value) => {
        const text = JSON.stringify(value)
        const bytes = Buffer.byteLength(text)
        expect(storedPayload(value, bytes)).toBe(text)
        if (bytes > 1) expect(JSON.parse(storedPayload(value, bytes - 1))).toMatchObject({ truncated: true, bytes })
      }),
      { numRuns: 500, seed: 1 },
    )
  })

  // holds TRC-18
  test('is its size and its beginning where it does not, counted in bytes and not in characters', () => {
    const euros = '€'.repeat(30_000)
    expect(JSON.parse(storedPayload(euros, 65_536))).toEqual({
      truncated: true,
      bytes: 90_002,
      preview: `"${'€'.repeat(1999)}`,
    })
    expect(storedPayload('a'.repeat(65_534), 65_536)).toBe(`"${'a'.repeat(65_534)}"`)
    expect(JSON.parse(storedPayload('a'.repeat(65_535), 65_536))).toMatchObject({ truncated: true, bytes: 65_537 })
    expect(JSON.parse(storedPayload('é'.repeat(32_768), 65_536))).toMatchObject({ truncated: true, bytes: 65_538 })
  })

  test('stays small and readable however large the payload was', () => {
    for (const value of [
      '\u0001'.repeat(1_000_000),
      '😀'.repeat(300_000),
      '"'.repeat(1_000_000),
      { a: ['x'.repeat(1_000_000)] },
    ]) {
      const stored = storedPayload(value, 65_536)
      expect(Buffer.byteLength(stored)).toBeLessThan(20_000)
      expect(JSON.parse(stored)).toMatchObject({ truncated: true, preview: expect.any(String) })
    }
  })

  test('of nothing is null', () => {
    expect([undefined, null].map((value) => storedPayload(value, 100))).toEqual(['null', 'null'])
  })
})

describe('a request’s parts', () => {
  const limits = { messages: 3, metadataBytes: 20, endUserTokenBytes: 8 }

  // holds MSG-01
  test('are accepted up to their limits, to the byte', () => {
    const fits = {
      messages: [1, 2, 3],
      metadata: JsonDocument.of({ a: 'é'.repeat(6) }),
      endUserToken: new Secret('é'.repeat(4)),
    }
    expect(fits.metadata.bytes).toBe(20)
    expect(sizeFaults(fits, limits)).toBeNull()
    expect(sizeFaults({}, limits)).toBeNull()
  })

  test('are each named where they are too large, all at once', () => {
    const faults = sizeFaults(
      {
        messages: [1, 2, 3, 4],
        metadata: JsonDocument.of({ a: `${'é'.repeat(6)}x` }),
        endUserToken: new Secret('secret-é'),
      },
      limits,
    )
    expect(Object.keys(faults ?? {}).sort()).toEqual(['endUserToken', 'messages', 'metadata'])
    expect(faults?.['metadata']).toEqual(['has 21 bytes, at most 20 are accepted.'])
    expect(JSON.stringify(faults)).not.toContain('secret')
  })
})

describe('a manifest’s capabilities', () => {
  const limits = { schemaBytes: 200 }
  const named = (name: string, fields: object = {}): Capability =>
    CapabilitySchema.parse({ name, version: '1.0.0', actions: [{ name, ...fields }] })

  test('are each told what is wrong with their schemas, by name', () => {
    const placed = placedSchemas(
      [
        named('one', { inputSchema: { type: 'array' }, outputSchema: { type: 'strin' } }),
        named('two', { inputSchema: { description: 'x'.repeat(200) }, outputSchema: { type: 'array' } }),
      ],
      limits,
    )
    const faults = namedFaults(
      placed.map((place) => ({ ...place, problem: place.problem ?? schemaProblem(JSON.parse(place.text)) })),
    )
    expect(Object.keys(faults ?? {})).toEqual([
      'manifest.capabilities.0.actions.0.inputSchema',
      'manifest.capabilities.0.actions.0.outputSchema',
      'manifest.capabilities.1.actions.0.inputSchema',
    ])
    expect(faults?.['manifest.capabilities.1.actions.0.inputSchema']?.[0]).toBe(
      'of “two” has 218 bytes, at most 200 are accepted.',
    )
  })
})
