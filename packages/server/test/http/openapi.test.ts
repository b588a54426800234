import { isJsonObject, keyKindOf } from '@svc/contract'
import { composeExample } from '@svc/testkit'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { fastify } from 'fastify'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { describeApi, type OpenApiDocument } from '../../src/http/openapi/document.ts'
import { collectOperations, type Operation } from '../../src/http/openapi/operations.ts'
import { publicPlane } from '../../src/http/planes.ts'
import { isZod, TAGS, typed } from '../../src/http/typed.ts'
import { validateWithZod } from '../../src/http/validate.ts'
import { faultsIn, refusalOf } from '../support/answers.ts'
import { createJudge } from '../support/check-answers.ts'
import { paymentsWithEveryRoute } from '../support/checkouts.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { collectRoutes } from '../support/routes.ts'
import { startForTest } from '../support/service.ts'

/** Routes that the description leaves out: pages, their files, methods of MCP that are refused, and what the payment provider calls. */
const HIDDEN = [
  'get /docs',
  'get /docs/:asset',
  'get /v1/mcp/:runtimeId',
  'delete /v1/mcp/:runtimeId',
  'get /v1/peers/executions/:executionId/events',
  'post /v1/peers/executions/:executionId/cancel',
  'post /v1/billing/webhook',
  'get /v1/billing/test-checkout/:checkoutId',
  'post /v1/billing/test-checkout/:checkoutId/confirm',
  'post /v1/billing/test-checkout/:checkoutId/cancel',
  'get /dashboard',
  'get /dashboard/*',
  'get /widget.js',
]

describeEngine('sqlite', 'the description of the API', (engine) => {
  const database = useDatabase(engine)

  async function read() {
    const service = await startForTest(database(), { payments: paymentsWithEveryRoute() })
    const operations = collectOperations(service.app)
    const routes = (await collectRoutes(service.app)).map(({ method, path }) => `${method.toLowerCase()} ${path}`)
    const answer = await service.send('GET', '/openapi.json')
    const { baseUrl, version } = service.deps
    const document = describeApi(operations(), { baseUrl: baseUrl(), version })
    return { service, answer, document, operations: operations(), routes }
  }

  // holds API-01
  test('is served as the generator writes it, with an ETag, to any origin', async () => {
    const { service, answer, document } = await read()
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(answer.headers['access-control-allow-origin']).toBe('*')
    expect(answer.json()).toEqual(document)
    expect(document.openapi).toBe('3.1.1')
    expect(document.servers).toEqual([{ url: 'https://svc.test', description: 'This service' }])
    const etag = String(answer.headers.etag)
    const again = await service.send('GET', '/openapi.json', { headers: { 'if-none-match': etag } })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  })

  // holds API-02
  test('every served route is described, and every described route is served', async () => {
    const { document, routes } = await read()
    const described = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
    )
    expect(described.sort()).toEqual(routes.filter((route) => !HIDDEN.includes(route)).sort())
    expect(HIDDEN.filter((route) => !routes.includes(route))).toEqual([])
  })

  // holds API-03
  test('every operation has a summary, a known tag, a unique name, and a success answer', async () => {
    const { document } = await read()
    const tags: string[] = TAGS.map(({ name }) => name)
    const names = operationsOf(document).map(([, { operationId }]) => operationId)
    expect(new Set(names).size).toBe(names.length)
    for (const [where, { operationId, summary, tags: own, responses, parameters = [] }] of operationsOf(document)) {
      expect(operationId, where).toMatch(/^[a-z][A-Za-z]+$/)
      expect(summary, where).toMatch(/^[A-Z].*[^.]$/)
      expect(
        own.filter((tag) => !tags.includes(tag)),
        where,
      ).toEqual([])
      expect(
        Object.keys(responses).some((status) => status.startsWith('2')),
        where,
      ).toBe(true)
      for (const { description } of parameters) expect(description, where).toMatch(/\w/)
    }
  })

  // holds API-03
  test('a route without summary, tags or operationId is refused', async () => {
    const { operations } = await read()
    const [first] = operations
    if (!first) throw new Error('there are operations')
    for (const field of ['summary', 'tags', 'operationId'] as const) {
      const schema = { ...first.schema, [field]: undefined }
      expect(() => write([{ ...first, schema }])).toThrow('needs an operationId, a summary and tags')
    }
    const { tags: _tags, ...rest } = first.schema
    expect(() => write([{ ...first, schema: { ...rest, tags: [] } }])).toThrow('needs an operationId')
  })

  test('each plane asks for its own credential, and the public one for none', async () => {
    const { document, operations } = await read()
    const expected = {
      public: [],
      'public-key': ['publicKey'],
      deploy: ['deployKey'],
      owner: ['accountKey', 'session', 'sessionCookie'],
    }
    for (const { method, path, plane } of operations) {
      const { security, responses } = operationAt(document, method, path)
      expect(security.flatMap((scheme) => Object.keys(scheme))).toEqual(expected[plane])
      expect(Object.keys(responses)).toEqual(
        expect.arrayContaining(['400', '500', ...(plane === 'public' ? [] : ['401'])]),
      )
    }
  })

  test('operations describe their rate limit headers, the manifest’s 304, the broker’s 502 and the stream of execute', async () => {
    const { document } = await read()
    const rate = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']
    const execute = operationAt(document, 'post', '/v1/runtime/execute').responses
    const broker = operationAt(document, 'post', '/v1/capabilities/:runtimeId/:capability').responses
    const manifest = operationAt(document, 'get', '/v1/runtime/:runtimeId/manifest').responses
    expect(Object.keys(headersOf(execute['200']))).toEqual(expect.arrayContaining(rate))
    expect(Object.keys(headersOf(broker['502']))).toEqual(expect.arrayContaining(rate))
    expect(Object.keys(headersOf(manifest['304']))).toContain('ETag')
    expect(Object.keys(document.components.responses['TooManyRequests']?.headers ?? {})).toEqual(
      expect.arrayContaining(['Retry-After', ...rate]),
    )
    expect(contentOf(broker['502'])).toMatchObject({
      'application/json': { schema: { $ref: '#/components/schemas/CapabilityFailure' } },
    })
    expect(contentOf(execute['200'])).toMatchObject({
      'application/json': { schema: { $ref: '#/components/schemas/ExecuteResponse' } },
      'text/event-stream': { schema: { contentSchema: { $ref: '#/components/schemas/StreamEvent' } } },
    })
  })

  test('an omittable body is optional, and no other is', async () => {
    const { document } = await read()
    const optional = operationsOf(document).flatMap(([where, { requestBody }]) =>
      requestBody?.required === false ? [where] : [],
    )
    expect(optional).toEqual([
      'post /v1/capabilities/{runtimeId}/{capability}',
      'post /v1/deployments/{version}/promote',
      'post /v1/runtime/doctor',
      'delete /v1/account/members/{memberId}',
      'post /v1/runtimes/{runtimeId}/doctor',
      'post /v1/runtimes/{runtimeId}/deployments/{version}/promote',
      'post /v1/runtimes/{runtimeId}/rotate-secret',
    ])
  })

  test('every reference resolves, and every component is used', async () => {
    const { document } = await read()
    const found = new Set(JSON.stringify(document).match(/#\/components\/[A-Za-z]+\/[A-Za-z0-9]+/g))
    const { securitySchemes: _schemes, ...components } = document.components
    const defined = Object.entries(components).flatMap(([kind, entries]) =>
      Object.keys(entries).map((name) => `#/components/${kind}/${name}`),
    )
    expect([...found].sort()).toEqual(defined.sort())
  })

  test('no text in it looks like a key', async () => {
    const { answer } = await read()
    const candidates = answer.body.match(/svc_[a-z]{2}_[0-9A-Za-z]+/g) ?? []
    expect(candidates).not.toEqual([])
    expect(candidates.filter((candidate) => keyKindOf(candidate) !== null || candidate.length > 20)).toEqual([])
  })

  // holds API-01
  test('the body built from its examples is accepted by the schema that checks requests', async () => {
    const { document, operations } = await read()
    for (const { method, path, schema } of operations) {
      if (!isZod(schema.body)) continue
      const described = operationAt(document, method, path).requestBody?.content['application/json'].schema
      const example = composeExample(described, document.components.schemas)
      expect(schema.body.safeParse(example).error, `${method} ${path}`).toBeUndefined()
    }
  })

  // holds API-03
  test('a component built from its examples fits the component', async () => {
    const { document } = await read()
    const ajv = addFormats.default(new Ajv2020({ strict: false }))
    ajv.addSchema({ $id: 'openapi', components: document.components })
    const { schemas } = document.components
    const faults = Object.keys(schemas).flatMap((name) => {
      const example = composeExample(schemas[name], schemas)
      if (ajv.validate({ $ref: `openapi#/components/schemas/${name}` }, example)) return []
      return `${name}: ${ajv.errorsText()}. Give the field an example in http/openapi/examples.ts.`
    })
    expect(faults).toEqual([])
  })

  // holds API-06
  test('an answer with an undescribed status, body or field is a fault', async () => {
    const { operations } = await read()
    const judge = createJudge(operations)
    const answer = { method: 'GET', route: '/', mediaType: 'application/json', requestId: 'request-1' }
    const body = { service: 'svc', version: '1.0.0' }
    expect(judge({ ...answer, status: 200, payload: JSON.stringify(body) })).toBeNull()
    expect(judge({ ...answer, status: 418, payload: '{}' })).toContain('status is not described')
    expect(judge({ ...answer, status: 200, payload: '{"service":"svc"}' })).toContain('version')
    expect(judge({ ...answer, status: 200, payload: JSON.stringify({ ...body, leak: 1 }) })).toContain('additional')
    expect(judge({ ...answer, status: 200, mediaType: 'text/html', payload: '' })).toContain('content type')
    expect(judge({ ...answer, status: 200, requestId: undefined, payload: '{}' })).toContain('x-request-id')
    expect(judge({ ...answer, route: undefined, status: 404, payload: '{"error":"no"}' })).toContain('error')
  })
})

describeEngine('sqlite', 'answers of the test suite', (engine) => {
  const database = useDatabase(engine)

  // holds API-06
  test('fail their request if they do not fit the description', async () => {
    const service = await startForTest(database())
    service.app.addHook('preSerialization', async (_request, _reply, body) => ({ ...Object(body), leak: 'secret' }))
    await expect(service.send('GET', '/')).rejects.toThrow('leak')
  })
})

describe('answers and their schemas', () => {
  test('an answer is sent unchanged: no field is stripped, added, converted or reordered', async () => {
    const app = fastify()
    validateWithZod(app)
    const sent = { z: 1, a: null, more: { at: '2026-01-01' }, list: [1.5, 'x'] }
    publicPlane(app, (plane) => {
      const schema = { response: { 200: z.object({ a: z.string().nullable().default('filled'), z: z.number() }) } }
      typed(plane).get('/', { schema }, async () => sent)
    })
    const answer = await app.inject('/')
    expect(answer.body).toBe(JSON.stringify(sent))
    await app.close()
  })
})

describeEngine('sqlite', 'the reference page', (engine) => {
  const database = useDatabase(engine)

  // holds API-05
  test('consists of the service’s own files, under a policy that allows no other', async () => {
    const service = await startForTest(database())
    const page = await service.send('GET', '/docs')
    expect(page.statusCode).toBe(200)
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(page.body).toContain('<title>svc API reference</title>')
    expect(page.body).not.toMatch(/https?:|\/\/|<script>|style=|\son[a-z]+=/)
    const policy = String(page.headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    const links = Array.from(page.body.matchAll(/(?:src|href)="([^"]+)"/g), ([, link]) => link ?? '')
    expect(links).toHaveLength(6)
    for (const link of links) {
      const asset = await service.send('GET', new URL(link, 'https://svc.test/docs').pathname)
      expect([link, asset.statusCode]).toEqual([link, 200])
      expect(asset.rawPayload.length).toBeGreaterThan(0)
    }
    const script = await service.send('GET', '/docs/reference.js')
    expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8')
    expect(script.body).toContain("url: 'openapi.json'")
    expect(script.body).toContain('validatorUrl: null')
  })

  // holds API-05
  test('answers 404 for other files, like any other route', async () => {
    const service = await startForTest(database())
    for (const path of ['/docs/nothing.js', '/docs/..%2fpackage.json', '/docs/index.html', '/docs/a/b']) {
      expect(refusalOf(await service.send('GET', path), 'not_found')).toBe('The route was not found.')
    }
    expect(faultsIn(await service.send('GET', '/docs/%00'))).toHaveProperty('url')
  })
})

function write(operations: readonly Operation[]): OpenApiDocument {
  return describeApi(operations, { baseUrl: 'https://svc.test', version: '1.0.0' })
}

function operationsOf(document: OpenApiDocument) {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => [`${method} ${path}`, operation] as const),
  )
}

function operationAt(document: OpenApiDocument, method: string, path: string) {
  const operation = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method]
  if (!operation) throw new Error(`${method} ${path} is not described`)
  return operation
}

function contentOf(response: object | undefined): unknown {
  return response && 'content' in response ? response.content : undefined
}

function headersOf(response: object | undefined): Record<string, unknown> {
  return response && 'headers' in response && isJsonObject(response.headers) ? response.headers : {}
}
