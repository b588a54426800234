import {
  AllowedOriginsRequest,
  DeployRequest,
  ErrorBody,
  ExecuteRequest,
  fieldErrorsOf,
  OwnerExecuteRequest,
  RegisterRuntimeRequest,
  RevealKeyRequest,
} from '@svc/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'

function faultsOf(schema: z.ZodType, value: unknown, root?: string) {
  const parsed = schema.safeParse(value)
  return parsed.success ? {} : fieldErrorsOf(parsed.error, root)
}

describe('paths', () => {
  // holds ERR-04
  test('a fault deep inside is named by its dotted path', () => {
    const capability = { name: 'a.b', version: 'one', actions: [{ name: '', inputSchema: [] }] }
    const body = { manifest: { schemaVersion: 2, capabilities: [{ name: 'ok', version: '1.0.0' }, capability] } }
    expect(Object.keys(faultsOf(DeployRequest, body)).sort()).toEqual([
      'manifest.capabilities.1.actions.0.inputSchema',
      'manifest.capabilities.1.actions.0.name',
      'manifest.capabilities.1.name',
      'manifest.capabilities.1.version',
    ])
  })

  test.each([undefined, null, 'text', 7, [], true])('a fault of the whole of %j stands under body', (value) => {
    expect(Object.keys(faultsOf(RegisterRuntimeRequest, value))).toEqual(['body'])
  })

  test('or under the name that the caller gives the whole', () => {
    expect(Object.keys(faultsOf(RegisterRuntimeRequest, 'text', 'querystring'))).toEqual(['querystring'])
  })

  test('several faults of one field stand together under it', () => {
    const faults = faultsOf(AllowedOriginsRequest, { origins: ['https://a.example/', 'https://b.example/x'] })
    expect(faults['origins']).toHaveLength(2)
  })

  test('a missing field is called required, with what is expected there', () => {
    expect(faultsOf(RegisterRuntimeRequest, {})).toEqual({ name: ['is required (string).'] })
    expect(faultsOf(ExecuteRequest, {})).toEqual({ messages: ['is required (array).'] })
  })

  test('a missing field that may hold anything is called required, in words', () => {
    const message = { role: 'tool', parts: [{ type: 'tool_result', toolCallId: 'a', name: 'b' }] }
    expect(faultsOf(ExecuteRequest, { messages: [message] })['messages.0.parts.0.output']).toEqual(['is required.'])
  })
})

describe('what is wrong with a value', () => {
  const part = { type: 'text', content: 'hi' }
  // holds ERR-15
  test.each([
    [RegisterRuntimeRequest, { name: 5 }, { name: 'must be a text, not a number.' }],
    [RegisterRuntimeRequest, { name: ' ' }, { name: 'must not be empty.' }],
    [RegisterRuntimeRequest, { name: 'x'.repeat(101) }, { name: 'must have at most 100 characters.' }],
    [RegisterRuntimeRequest, [], { body: 'must be a JSON object, not a list.' }],
    [
      OwnerExecuteRequest,
      { runtimeId: null, messages: [{ role: 'user', parts: [part] }], metadata: null },
      {
        runtimeId: 'must not be null (string). Leave it out to leave it unset.',
        metadata: 'must not be null (object). Leave it out to leave it unset.',
      },
    ],
    [RevealKeyRequest, { type: 'secret' }, { type: 'must be “deploy” or “public”.' }],
    [
      ExecuteRequest,
      { messages: [{ role: 'user', parts: [] }] },
      { 'messages.0.parts': 'must have at least 1 entry.' },
    ],
    [
      ExecuteRequest,
      { messages: [{ role: 'bot', parts: [part] }], metadata: [] },
      {
        'messages.0.role': 'must be “user” or “assistant” or “tool”.',
        metadata: 'must be a JSON object, not a list.',
      },
    ],
  ])('is said in plain words (%#)', (schema, body, expected) => {
    const sentences = Object.entries(expected).map(([field, sentence]) => [field, [sentence]])
    expect(faultsOf(schema, body)).toEqual(Object.fromEntries(sentences))
  })
})

describe('unknown fields', () => {
  // holds CFG-08, REG-05
  test.each(['provider', 'model', 'tier'])('%s is refused under its own name, with the reason', (field) => {
    const [message = ''] = faultsOf(RegisterRuntimeRequest, { name: 'Shop', [field]: 'x' })[field] ?? []
    expect(message).toContain('is not accepted')
    expect(message).toContain('Remove it')
  })

  test('all unknown fields are named, each under its own path', () => {
    const body = { name: 'Shop', nmae: 'Shop', tier: 'pro' }
    expect(Object.keys(faultsOf(RegisterRuntimeRequest, body)).sort()).toEqual(['nmae', 'tier'])
    const manifest = { schemaVersion: 2, capabilities: [], website: { name: 'Shop', adress: 'x' } }
    expect(faultsOf(DeployRequest, { manifest })).toEqual({
      'manifest.website.adress': ['is not a known field. Remove it, or check its spelling.'],
    })
  })

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'a field named %s is refused like any other',
    (name) => {
      const body: unknown = JSON.parse(`{"name":"Shop","${name}":1}`)
      const faults = faultsOf(RegisterRuntimeRequest, body)
      expect(Object.keys(faults)).toEqual([name])
      expect(Object.getPrototypeOf(faults)).toBe(Object.prototype)
    },
  )
})

// holds EXE-02
test('execute ignores a runtimeId in its body', () => {
  const messages = [{ role: 'user', parts: [{ type: 'text', content: 'hi' }] }]
  expect(ExecuteRequest.parse({ messages, runtimeId: 'rt_other' })).toEqual({ messages })
})

test('whatever is sent, the faults are sentences by path and fit the error envelope', () => {
  const body = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        name: fc.jsonValue(),
        version: fc.jsonValue(),
        runtimeId: fc.jsonValue(),
        endpoint: fc.jsonValue(),
        tier: fc.jsonValue(),
      },
      { requiredKeys: [] },
    ),
  )
  fc.assert(
    fc.property(body, (value) => {
      for (const schema of [RegisterRuntimeRequest, ExecuteRequest, DeployRequest]) {
        const parsed = schema.safeParse(value)
        if (parsed.success) continue
        const fieldErrors = fieldErrorsOf(parsed.error)
        const envelope = { error: { code: 'validation_error', message: 'no', details: { fieldErrors } } }
        expect(ErrorBody.parse(envelope)).toEqual(envelope)
        expect(Object.values(fieldErrors).length).toBeGreaterThan(0)
        for (const messages of Object.values(fieldErrors)) expect(messages.every((text) => text.length > 3)).toBe(true)
      }
    }),
    { numRuns: 500, seed: 1 },
  )
})
