import { type DeploymentManifestInput, isJsonObject } from '@svc/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeEngine, useDatabase } from '../../server/test/support/engines.ts'
import { deployed, type Scene, setScene } from '../../server/test/support/scene.ts'
import { generatorContext } from './support/generator-context.ts'
import { closed, escapePart, OpenApi, validators, writtenOpenApi } from './support/openapi.ts'

const ORDER = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: { id: { $ref: '#/definitions/id' }, tags: { type: 'array', items: [{ type: 'string' }] } },
  required: ['id'],
  additionalProperties: false,
  definitions: { id: { type: 'string', minLength: 1 } },
}
const STATE = { type: 'object', properties: { state: { enum: ['sent', 'lost'] } }, required: ['state'] }

const CAPABILITIES = [
  { name: 'echo', version: '1.0.0' },
  { name: 'order', version: '1.0.0', actions: [{ name: 'order', inputSchema: ORDER, outputSchema: STATE }] },
  {
    name: 'my-order',
    version: '1.0.0',
    requiresEndUser: true,
    actions: [{ name: 'my-order', inputSchema: ORDER, outputSchema: STATE }],
  },
  { name: 'broken', version: '1.0.0' },
] satisfies DeploymentManifestInput['capabilities']

const HEADERS = ['x-request-id', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after']

describeEngine('sqlite', 'the OpenAPI document', (engine) => {
  const database = useDatabase(engine)

  async function start(tier: 'free' | 'enterprise' = 'free') {
    const state = () => ({ output: { state: 'sent' } })
    const scene = await setScene(database(), {
      tier,
      manifest: { capabilities: CAPABILITIES },
      handle: { order: state, 'my-order': state, broken: () => ({ error: { message: 'Out of stock.' } }) },
    })
    const { runtimeId } = scene.runtime
    const context = generatorContext({ capabilities: CAPABILITIES }, { runtimeId })
    const document = await writtenOpenApi(context)
    return { scene, document, path: (name: string) => `/v1/capabilities/${runtimeId}/${name}` }
  }

  // holds GEN-10
  test('describes every answer of the control plane, to the last field and header', async () => {
    const { scene, path, ...written } = await start()
    const described = describedBy(written.document)
    const seen = new Set<number>()
    const call = async (name: string, body: object) => {
      const answer = await scene.broker(name, body)
      seen.add(answer.statusCode)
      expectDescribed(described, path(name), answer)
      return answer.statusCode
    }
    expect(await call('echo', { input: { a: [1, null] } })).toBe(200)
    expect(await call('order', { input: { id: 'A-1' }, metadata: { from: 'test' } })).toBe(200)
    expect(await call('my-order', { input: { id: 'A-1' }, endUserToken: 'ada' })).toBe(200)
    expect(await call('order', { input: { id: 7, other: 1 } })).toBe(400)
    expect(await call('order', { input: 'A-1' })).toBe(400)
    expect(await call('my-order', { input: { id: 'A-1' } })).toBe(401)
    expect(await call('broken', {})).toBe(502)
    await withoutTable(scene, 'allowances', async () => expect(await call('echo', {})).toBe(500))
    await deployed(scene.service, scene.runtime, { capabilities: [{ name: 'other', version: '1.0.0' }] })
    expect(await call('echo', {})).toBe(404)
    await deployed(scene.service, scene.runtime, { capabilities: CAPABILITIES })
    let status = 200
    for (let calls = 0; calls < 100 && status === 200; calls += 1) status = await call('echo', {})
    expect(status).toBe(429)
    expect([...seen].sort()).toEqual([200, 400, 401, 404, 429, 500, 502])
  }, 60_000)

  // holds GEN-10
  test('describes what the control plane takes, and nothing that it refuses', async () => {
    const { scene, document, path } = await start('enterprise')
    const validator = validators(document)
    const input = fc.oneof(
      fc.record(
        { id: fc.constantFrom('A-1', 'A-2', ''), tags: fc.constantFrom([], ['x'], [1], ['x', 1]) },
        { requiredKeys: [] },
      ),
      fc.constantFrom({}, null, [], 'A-1', { id: 'A-1', other: 1 }),
    )
    const body = fc.record(
      {
        input,
        metadata: fc.constantFrom({}, { a: 1 }, { b: 2 }, []),
        endUserToken: fc.constantFrom('ada', 'bob', '', 7),
      },
      { requiredKeys: [] },
    )
    const seen = { taken: 0, refused: 0 }
    const check = async (name: string, sent: object) => {
      const schema = `/paths/${escapePart(path(name))}/post/requestBody/content/application~1json/schema`
      const isDescribed = validator(schema)(sent)
      const { statusCode } = await scene.broker(name, sent)
      seen[isDescribed ? 'taken' : 'refused'] += 1
      expect([sent, [400, 401].includes(statusCode)]).toEqual([sent, !isDescribed])
    }
    const names = fc.constantFrom('echo', 'order', 'my-order')
    await fc.assert(fc.asyncProperty(names, body, check), { numRuns: 200, seed: 20_260_404 })
    expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(30)
  }, 60_000)

  test('is at fault for an answer that it does not describe', async () => {
    const { scene, path, ...written } = await start()
    const described = describedBy(written.document)
    const answer = await scene.broker('order', { input: { id: 'A-1' } })
    const { executionId: _, ...rest } = answer.json()
    const bodies = [rest, { ...answer.json(), more: 1 }, { ...answer.json(), output: { state: 'eaten' } }]
    for (const body of bodies) {
      const other = { statusCode: 200, headers: answer.headers, json: () => body }
      expect(() => expectDescribed(described, path('order'), other)).toThrow()
    }
    const without = { statusCode: 200, headers: {}, json: () => answer.json() }
    expect(() => expectDescribed(described, path('order'), without)).toThrow()
    expect(() => expectDescribed(described, path('order'), { ...without, statusCode: 418 })).toThrow()
  })
})

interface Answer {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, unknown>>
  json(): unknown
}

interface Described {
  readonly document: OpenApi
  readonly validator: ReturnType<typeof validators>
}

/** A document by which a field that it does not describe is a fault. */
function describedBy(written: OpenApi): Described {
  const document = OpenApi.parse(closed(written))
  return { document, validator: validators(document) }
}

function expectDescribed(
  { document, validator }: Described,
  path: string,
  { statusCode, headers, json }: Answer,
): void {
  const own = document.paths[path]?.post.responses[String(statusCode)]
  if (!own) throw new Error(`${statusCode} is not described`)
  const { $ref } = own
  const at = typeof $ref === 'string' ? $ref.slice(1) : `/paths/${escapePart(path)}/post/responses/${statusCode}`
  const response = typeof $ref === 'string' ? document.components.responses[$ref.split('/').at(-1) ?? ''] : own
  const validate = validator(`${at}/content/application~1json/schema`)
  validate(json())
  expect([statusCode, validate.errors ?? []]).toEqual([statusCode, []])
  expectHeaders(validator, isJsonObject(response?.['headers']) ? response['headers'] : {}, headers)
}

// A header is text: numbers are read before they are judged.
function expectHeaders(validator: ReturnType<typeof validators>, described: object, sent: Answer['headers']): void {
  const names = Object.keys(described).map((name) => name.toLowerCase())
  expect(HEADERS.filter((name) => name in sent).sort()).toEqual(names.sort())
  for (const [name, header] of Object.entries(described)) {
    const value = sent[name.toLowerCase()]
    const read = /^\d+$/.test(String(value)) ? Number(value) : value
    expect([name, validator(`${String(Object(header).$ref).slice(1)}/schema`)(read)]).toEqual([name, true])
  }
}

async function withoutTable({ database: { db } }: Scene, table: string, run: () => Promise<void>): Promise<void> {
  const away = `${table}_away`
  await db.schema.alterTable(table).renameTo(away).execute()
  await run()
  await db.schema.alterTable(away).renameTo(table).execute()
}
