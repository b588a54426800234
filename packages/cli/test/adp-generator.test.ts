import type { DeploymentManifestInput, GeneratorContext } from '@svc/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { manifestFaults } from '../../server/test/support/ads-manifest.ts'
import { describeEngine, useDatabase } from '../../server/test/support/engines.ts'
import { startForTest } from '../../server/test/support/service.ts'
import { adpGenerator, adpProblem } from '../src/generate/built-in/adp-generator.ts'
import { generatorContext } from './support/generator-context.ts'

const WEBSITE = { name: 'Shop', url: 'https://shop.example.com' }

async function written(context: GeneratorContext): Promise<string | null> {
  const [file, ...others] = await adpGenerator.generate(context)
  expect(others).toEqual([])
  if (file) expect(file.path).toBe('agent-discovery.json')
  return file?.contents ?? null
}

const segment = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,12}$/)
const version = fc.constantFrom('0.0.1', '1.2.3', '1.0.0-rc.1+5')
const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
const namespace = fc.array(segment, { minLength: 2, maxLength: 3 }).map((segments) => segments.join('.'))
const property = fc.oneof(
  fc.record({ type: fc.constantFrom('string', 'integer', 'null'), description: words }),
  fc.record({ enum: fc.uniqueArray(fc.jsonValue(), { minLength: 1, maxLength: 3, selector: JSON.stringify }) }),
  fc.record({ const: fc.jsonValue(), default: fc.jsonValue() }),
)
const inputSchema = fc.record(
  {
    type: fc.constant('object'),
    title: words,
    properties: fc.dictionary(fc.string({ unit: 'grapheme', maxLength: 8 }), property, { maxKeys: 4 }),
    required: fc.uniqueArray(fc.string({ unit: 'grapheme', maxLength: 8 }), { maxLength: 2 }),
    additionalProperties: fc.boolean(),
  },
  { requiredKeys: ['type'] },
)
const action = fc.record({ name: segment, inputSchema, outputSchema: property }, { requiredKeys: ['name'] })
const deprecation = fc.oneof(
  fc.constant({}),
  fc.record({ deprecated: fc.constant(true), deprecatedSince: version, removalNotBefore: version }),
  fc.record({ deprecated: fc.boolean(), deprecatedSince: version }),
)
const capability = fc
  .tuple(
    fc.record(
      {
        name: segment,
        version,
        description: words,
        requiresEndUser: fc.boolean(),
        actions: fc.array(action, { maxLength: 1 }),
      },
      { requiredKeys: ['name', 'version'] },
    ),
    deprecation,
  )
  .map(([fields, announced]) => ({ ...fields, ...announced }))
const website = fc.record(
  {
    name: words,
    description: words,
    contact: words,
    url: fc.webUrl({ validSchemes: ['http', 'https'], withQueryParameters: true, withFragments: true }),
  },
  { requiredKeys: ['name'] },
)
const manifests = fc.record(
  {
    adp: fc.record({ namespace, id: words }, { requiredKeys: ['namespace'] }),
    website,
    capabilities: fc.uniqueArray(capability, { maxLength: 5, selector: ({ name }) => name.toLowerCase() }),
  },
  { requiredKeys: ['capabilities'] },
)

describeEngine('sqlite', 'the adp generator', (engine) => {
  const database = useDatabase(engine)

  // holds GEN-08
  test('writes byte for byte what the control plane publishes, or tells the reason that it gives', async () => {
    const baseUrl = 'https://svc.test'
    const service = await startForTest(database(), { baseUrl, limits: { deploymentsPerHour: 1_000 } })
    const runtimeName = 'Läden & “more”'
    const runtime = await service.runtime(await service.owner(), { name: runtimeName })
    const { runtimeId } = runtime
    const seen = { published: 0, refused: 0 }
    const check = async (manifest: Partial<DeploymentManifestInput>) => {
      const deployed = await service.deploy(runtime, { website: undefined, ...manifest })
      expect(deployed.statusCode).toBe(201)
      const context = generatorContext(manifest, { runtimeId, runtimeName, baseUrl })
      const contents = await written(context)
      const answer = await service.send('GET', `/v1/runtime/${runtimeId}/manifest`)
      if (answer.statusCode !== 200) {
        seen.refused += 1
        expect([answer.statusCode, contents]).toEqual([400, null])
        expect(adpProblem(context)).toBe(answer.json().error.message)
        return
      }
      seen.published += 1
      expect(adpProblem(context)).toBeNull()
      const { lastUpdated, ...published } = answer.json()
      expect(lastUpdated).toEqual(expect.any(String))
      expect(contents).toBe(`${JSON.stringify(published, null, 2)}\n`)
      expect(manifestFaults(JSON.parse(contents ?? ''))).toEqual([])
    }
    await fc.assert(fc.asyncProperty(manifests, check), { seed: 20_260_401, numRuns: 60 })
    expect(seen.published).toBeGreaterThan(30)
    expect(seen.refused).toBeGreaterThan(1)
  }, 60_000)
})

// holds GEN-12
test('names no address of a runtime that nobody has told yet, and says when it will', async () => {
  const context = generatorContext({ website: WEBSITE }, { runtimeId: null })
  expect(await written(context)).toBeNull()
  expect(adpProblem(context)).toContain('SVC_RUNTIME_ID')
  expect(adpProblem(generatorContext({ website: WEBSITE }))).toBeNull()
})

test('invents no name for a runtime that has a namespace alone', async () => {
  const manifest = { adp: { namespace: 'com.example.shop' } }
  const unnamed = generatorContext(manifest)
  expect(await written(unnamed)).toBeNull()
  expect(adpProblem(unnamed)).toContain('agent-discovery.json')
  const named = generatorContext(manifest, { runtimeName: 'The shop' })
  expect(JSON.parse((await written(named)) ?? '')).toMatchObject({ name: 'The shop', id: 'com.example.shop' })
})

test('tells what is missing in the project before what the control plane has not told yet', () => {
  expect(adpProblem(generatorContext({}, { runtimeId: null }))).toContain('adp.namespace')
})

test('its inputs change with all that the file depends on, and with nothing else', () => {
  const inputsOf = (manifest: Partial<DeploymentManifestInput>, fields: Partial<GeneratorContext> = {}) =>
    JSON.stringify(adpGenerator.inputs(generatorContext(manifest, fields)))
  const before = inputsOf({ website: WEBSITE })
  const others = [
    inputsOf({ website: { ...WEBSITE, contact: 'x' } }),
    inputsOf({ website: WEBSITE, adp: { namespace: 'a.b' } }),
    inputsOf({ website: WEBSITE, capabilities: [{ name: 'search', version: '1.0.0' }] }),
    inputsOf({ website: WEBSITE }, { runtimeId: null }),
    inputsOf({ website: WEBSITE }, { runtimeId: 'rt_other' }),
    inputsOf({ website: WEBSITE }, { baseUrl: 'https://other.test' }),
    inputsOf({ website: WEBSITE }, { cliVersion: '9.9.9' }),
    inputsOf({ adp: { namespace: 'a.b' } }),
    inputsOf({ adp: { namespace: 'a.b' } }, { runtimeName: 'Shop' }),
  ]
  expect(new Set([before, ...others]).size).toBe(others.length + 1)
  expect(inputsOf({ website: WEBSITE, agent: { instructions: 'Be brief.' } })).toBe(before)
  expect(inputsOf({ website: WEBSITE, metadata: { cliVersion: '9.9.9' } }, { sdkVersion: '1.0.0' })).toBe(before)
  expect(inputsOf({ website: WEBSITE, endpoint: 'https://shop.example.com/svc' })).toBe(before)
  expect(inputsOf({ website: WEBSITE }, { runtimeName: 'Renamed' })).toBe(before)
})
