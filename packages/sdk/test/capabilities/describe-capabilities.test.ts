import { Capability } from '@svc/contract'
import {
  type AnyCapability,
  CapabilityDefinitionError,
  defineCapability,
  defineRuntime,
  describeCapabilities,
} from '@svc/sdk'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { handMadeSchema } from '../support/hand-made-schema.ts'

const facts = { name: 'find', version: '1.0.0' } as const
const handler = () => Promise.reject(new Error('never called'))

function describeOne(capability: AnyCapability) {
  return describeCapabilities(defineRuntime({ capabilities: [capability] }))[0]
}

// holds CLI-03
test('a zod input is published as what a caller may send, an output as what comes out', () => {
  const schema = z.object({ query: z.string().describe('words'), limit: z.number().default(5) })
  const action = describeOne(defineCapability({ ...facts, input: schema, output: schema, handler }))?.actions[0]
  expect(action?.name).toBe('find')
  expect(action?.inputSchema).toMatchObject({
    type: 'object',
    properties: { query: { type: 'string', description: 'words' } },
    required: ['query'],
  })
  expect(action?.outputSchema).toMatchObject({ required: ['query', 'limit'] })
})

test('a plain JSON Schema is published as it is', () => {
  const input = {
    ...{ type: 'object', properties: { id: { $ref: '#/$defs/id' } }, uniqueItems: true, 'x-own': 1 },
    $defs: { id: { type: 'string', format: 'url', example: 'a' } },
  }
  const before = JSON.stringify(input)
  const capability = defineCapability({ ...facts, input: Object.freeze(input), handler })
  expect(describeOne(capability)?.actions).toEqual([{ name: 'find', inputSchema: input }])
  expect([JSON.stringify(input), Object.getOwnPropertyNames(input.$defs.id)]).toEqual([
    before,
    ['type', 'format', 'example'],
  ])
})

test('what a user must be allowed is the owner’s own business, and is not published', () => {
  const described = describeOne(defineCapability({ ...facts, permissions: ['orders:refund'], handler }))
  expect(JSON.stringify(described)).not.toMatch(/permissions|refund/)
})

test('valibot and arktype describe themselves', () => {
  const expected = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }
  const input = toStandardJsonSchema(v.object({ id: v.string() }))
  const described = describeOne(defineCapability({ ...facts, input, output: type({ id: 'string' }), handler }))
  expect(described?.actions).toMatchObject([{ inputSchema: expected, outputSchema: expected }])
  const bare = defineCapability({ ...facts, input: v.object({ id: v.string() }), handler })
  expect(() => describeOne(bare)).toThrow(/input schema \(valibot\).*toStandardJsonSchema/)
})

test('any library that describes itself is taken at its word', () => {
  const schema = handMadeSchema((value) => value)
  expect(describeOne(defineCapability({ ...facts, input: schema, output: schema, handler }))?.actions[0]).toEqual({
    name: 'find',
    inputSchema: { type: 'object', title: 'input side' },
    outputSchema: { type: 'object', title: 'output side' },
  })
})

test('effect, confirm and preview are published where they are declared, and nowhere else', () => {
  const preview = () => ({ title: 'Refund' })
  const declared = defineCapability({ ...facts, effect: 'destructive', confirm: true, preview, handler })
  expect(describeOne(declared)).toMatchObject({ effect: 'destructive', confirm: true, preview: true })
  expect(Capability.parse(describeOne(declared))).toEqual(describeOne(declared))
  const plain = Object.keys(describeOne(defineCapability({ ...facts, confirm: false, handler })) ?? {})
  expect(plain).toEqual(['name', 'version', 'description', 'requiresEndUser', 'actions'])
})

test('without schemas there is no action, and defaults are filled in', () => {
  expect(describeOne(defineCapability({ ...facts, handler }))).toEqual({
    name: 'find',
    version: '1.0.0',
    description: '',
    requiresEndUser: false,
    actions: [],
  })
})

test('every description satisfies the contract’s own schema and survives JSON', () => {
  const capability = defineCapability({
    ...facts,
    description: 'Finds.',
    input: z.object({ a: z.union([z.string(), z.array(z.int())]).optional() }),
    requiresEndUser: true,
    deprecated: true,
    deprecatedSince: '1.0.0',
    removalNotBefore: '2.0.0',
    handler,
  })
  const described = describeOne(capability)
  expect(Capability.parse(JSON.parse(JSON.stringify(described)))).toEqual(described)
})

test('all schemas that JSON cannot express are named at once, with the way out', () => {
  const { jsonSchema: _dropped, ...mute } = handMadeSchema((value) => value)['~standard']
  const capabilities = [
    defineCapability({ ...facts, name: 'dates', input: z.object({ on: z.date() }), handler }),
    defineCapability({ ...facts, name: 'turned', output: z.string().transform(Number), handler }),
    defineCapability({ ...facts, name: 'mute', input: { '~standard': mute }, handler }),
    defineCapability({ ...facts, name: 'scalar', input: z.string(), handler }),
    defineCapability({ ...facts, name: 'fine', input: z.object({}), handler }),
  ]
  const attempt = () => describeCapabilities(defineRuntime({ capabilities }))
  expect(attempt).toThrow(CapabilityDefinitionError)
  expect(attempt).toThrow(/“dates”: its input schema \(zod\).*Date cannot be represented.*z\.iso\.datetime\(\)/)
  expect(attempt).toThrow(/“turned”: its output schema \(zod\).*Transforms/)
  expect(attempt).toThrow(/“mute”: its input schema \(by-hand\).*zod does from 4\.2.*toStandardJsonSchema/)
  expect(attempt).toThrow(/“scalar”: its input schema describes "string"/)
  expect(attempt).not.toThrow(/“fine”/)
})
