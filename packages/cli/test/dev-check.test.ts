import { expect, test } from 'vitest'
import { createProject } from './support/project.ts'
import { runSvc } from './support/run-svc.ts'

const check = (runtime: string, args: readonly string[] = []) =>
  runSvc(
    createProject({ 'svc.config.ts': 'export default {}', '.svc/runtime.ts': `${IMPORTS}${runtime}` }),
    ['dev', '--check', ...args],
    { env: {} },
  )

const IMPORTS = `
import { defineCapability, defineRuntime } from '@svc/sdk'
import { z } from 'zod'
`
const CATALOGUE = `
const address = z.object({ city: z.string().describe('Where to.'), zip: z.string().optional() })
const quote = defineCapability({
  name: 'shipping-quote',
  version: '1.2.0',
  description: 'What sending a parcel\\ncosts.',
  input: z.object({
    kind: z.enum(['parcel', 'letter']).describe('What is sent.'),
    weights: z.array(z.number()),
    to: address,
    note: z.string().nullable().optional(),
  }),
  handler: () => ({}),
})
const orders = defineCapability({
  name: 'list-orders',
  version: '2.0.0',
  requiresEndUser: true,
  permissions: ['orders:read', 'orders:list'],
  deprecated: true,
  deprecatedSince: '2.0.0',
  removalNotBefore: '3.0.0',
  handler: () => [],
})
export default defineRuntime({ capabilities: [quote, orders] })
`

test('the list shows names, versions, descriptions, fields with their types, and what is required of callers', async () => {
  const { exitCode, stdout } = await check(CATALOGUE)
  expect(exitCode).toBe(0)
  expect(stdout).toBe(`shipping-quote 1.2.0
  What sending a parcel costs.
    kind     "parcel" | "letter"  What is sent.
    weights  number[]
    to       object
    to.city  string  Where to.
    to.zip?  string
    note?    string | null
list-orders 2.0.0  requires an end user · permissions: orders:read, orders:list · deprecated since 2.0.0, not removed before 3.0.0
    no input schema: the model is told that it takes no parameters

✔ 2 capabilities are in order.
`)
})

test('--json holds the same, with whole schemas', async () => {
  const { stdout } = await check(CATALOGUE, ['--json'])
  expect(JSON.parse(stdout)).toMatchObject({
    ok: true,
    capabilities: [
      { name: 'shipping-quote', requiresEndUser: false, inputSchema: { required: ['kind', 'weights', 'to'] } },
      {
        name: 'list-orders',
        requiresEndUser: true,
        deprecated: true,
        permissions: ['orders:read', 'orders:list'],
        inputSchema: null,
      },
    ],
  })
})

test('fields behind a local reference are shown', async () => {
  const { stdout } = await check(`
const place = defineCapability({
  name: 'place',
  version: '1.0.0',
  input: {
    type: 'object',
    properties: { at: { $ref: '#/$defs/Point' }, choice: { oneOf: [{ const: 1 }, { type: 'string' }] }, loop: { $ref: '#' } },
    $defs: { Point: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] } },
  },
  handler: () => ({}),
})
export default defineRuntime({ capabilities: [place] })
`)
  expect(stdout).toContain('    at?      object\n    at.x     number\n    choice?  1 | string\n')
})

test('faults of several schemas are reported together, each with its capability', async () => {
  const { exitCode, stdout, stderr } = await check(`
const one = defineCapability({ name: 'one', version: '1.0.0', input: z.object({ at: z.date() }), handler: () => ({}) })
const two = defineCapability({ name: 'two', version: '1.0.0', output: z.object({ all: z.map(z.string(), z.string()) }), handler: () => ({ all: new Map() }) })
export default defineRuntime({ capabilities: [one, two] })
`)
  expect(exitCode).toBe(3)
  expect(stdout).toBe('')
  expect(stderr).toContain('“one”')
  expect(stderr).toContain('“two”')
})

test('a reference that leads nowhere is found before anything is deployed', async () => {
  const { exitCode, stderr } = await check(`
const input = { type: 'object', properties: { at: { $ref: '#/$defs/Nowhere' } } }
const lost = defineCapability({ name: 'lost', version: '1.0.0', input, handler: () => ({}) })
export default defineRuntime({ capabilities: [lost] })
`)
  expect(exitCode).toBe(3)
  expect(stderr).toContain('lost')
  expect(stderr).toContain('#/$defs/Nowhere')
})

test('a name that no model accepts is refused with a repaired one', async () => {
  const { exitCode, stderr } = await check(`
export default defineRuntime({ capabilities: [defineCapability({ name: 'order.status', version: '1.0.0', handler: () => ({}) })] })
`)
  expect(exitCode).toBe(3)
  expect(stderr).toContain('Try “order-status”.')
})

test('types are checked where there is a tsconfig.json and TypeScript: a context without the field is named', async () => {
  const compilerOptions = {
    ...{ module: 'nodenext', target: 'es2023', strict: true, noEmit: true, skipLibCheck: true, types: [] },
    allowImportingTsExtensions: true,
  }
  const runtime = (field: string) => `${IMPORTS}
    const mine = defineCapability({ name: 'mine', version: '1.0.0', handler: (_input, context) => context.${field} })
    export default defineRuntime({ capabilities: [mine] })`
  const checked = (field: string) =>
    runSvc(
      createProject({
        'package.json': '{"type":"module"}',
        'tsconfig.json': JSON.stringify({ compilerOptions, include: ['.svc/runtime.ts'] }),
        'svc.config.ts': 'export default {}',
        '.svc/runtime.ts': runtime(field),
      }),
      ['dev', '--check', '--json'],
      { env: {} },
    )
  const wrong = await checked('enduserToken')
  expect(wrong.exitCode).toBe(3)
  expect(wrong.stderr).toMatch(/types do not fit[\s\S]*runtime\.ts\(\d+,\d+\): error TS\d+: .*enduserToken/)
  expect(JSON.parse((await checked('endUserToken')).stdout)).toMatchObject({ ok: true, isTypeChecked: true })
})
