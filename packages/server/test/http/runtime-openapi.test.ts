import type { DeploymentManifestInput } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { refusalOf, steadyHeaders } from '../support/answers.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { findings } from '../support/openapi-findings.ts'
import { deployed, type Scene, setScene } from '../support/scene.ts'
import { capability } from '../support/service.ts'

const ADDRESS = { type: 'object', properties: { street: { type: 'string' } } }
const inputSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: ADDRESS },
  properties: { to: { $ref: '#/$defs/address' }, parts: { type: 'array', items: { $ref: '#' } } },
  required: ['to'],
}
const outputSchema = { type: 'object', properties: { cost: { type: 'number' } } }

// Written from the deployment that is stored, which deployments.test.ts holds on both engines.
describeEngine('sqlite', 'the broker calls of a runtime as OpenAPI', (engine) => {
  const database = useDatabase(engine)
  const start = (manifest: Partial<DeploymentManifestInput> | null) => setScene(database(), { tier: 'pro', manifest })
  const read = ({ service, runtime }: Pick<Scene, 'service' | 'runtime'>, headers: Record<string, string> = {}) =>
    service.send('GET', `/v1/runtime/${runtime.runtimeId}/openapi.json`, { headers })

  // holds MCP-22
  test('are one operation for each capability that a stranger may call, and the linter finds nothing', async () => {
    const scene = await start({
      website: { name: 'Shop', description: 'Shoes.', url: 'https://shop.example.com' },
      capabilities: [
        capability('shipping', { effect: 'read', actions: [{ name: 'x', inputSchema, outputSchema }] }),
        capability('orders', { requiresEndUser: true, deprecated: true, deprecatedSince: '1.0.0', actions: [] }),
        capability('refund', { confirm: true }),
      ],
    })
    const answer = await read(scene)
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    const document = answer.json()
    expect(await findings(document, { 'info-license': 'off' })).toEqual([])
    const { runtimeId } = scene.runtime
    expect(document).toMatchObject({
      openapi: '3.1.1',
      info: { title: 'Shop', version: '1.0.0', description: 'Shoes.' },
      servers: [{ url: 'https://svc.test' }],
    })
    expect(Object.keys(document.paths)).toEqual([
      `/v1/capabilities/${runtimeId}/shipping`,
      `/v1/capabilities/${runtimeId}/orders`,
    ])
    const { schemas } = document.components
    expect(schemas['shipping.input']).toEqual({
      type: 'object',
      $defs: { address: ADDRESS },
      properties: {
        to: { $ref: '#/components/schemas/shipping.input/$defs/address' },
        parts: { type: 'array', items: { $ref: '#/components/schemas/shipping.input' } },
      },
      required: ['to'],
    })
    expect(schemas['shipping.output']).toEqual(outputSchema)
    expect(schemas['shipping.call'].required).toEqual(['input'])
    const { requestBody } = document.paths[`/v1/capabilities/${runtimeId}/shipping`].post
    expect(requestBody.required).toBe(true)
    expect(schemas['shipping.done']).not.toHaveProperty('additionalProperties')
    expect(schemas['orders.call']).toMatchObject({
      required: ['endUserToken'],
      properties: { input: { type: 'object' } },
    })
  })

  test('keep a schema with names of its own as a document of its own', async () => {
    const named = { type: 'object', $defs: { a: { $anchor: 'a', type: 'string' } }, properties: { b: { $ref: '#a' } } }
    const earlier = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' }
    const scene = await start({
      capabilities: [
        capability('named', { actions: [{ name: 'x', inputSchema: named, outputSchema: earlier }] }),
        capability('addressed', { actions: [{ name: 'x', inputSchema: { $id: 'https://a.example/b', ...named } }] }),
      ],
    })
    const { schemas } = (await read(scene)).json().components
    const address = `https://svc.test/v1/runtime/${scene.runtime.runtimeId}/schemas/1`
    expect(schemas['named.input']).toEqual({ $id: `${address}/named.input`, ...named })
    expect(schemas['named.output']).toEqual({ $id: `${address}/named.output`, ...earlier })
    expect(schemas['addressed.input'].$id).toBe('https://a.example/b')
  })

  describe('as a document', () => {
    test('show the deployment that serves now, and may be cached as the manifest is', async () => {
      const scene = await start({ capabilities: [capability('old')] })
      const { headers } = await read(scene)
      expect(headers).toMatchObject({
        'cache-control': 'public, max-age=0, s-maxage=300',
        'access-control-allow-origin': '*',
      })
      const known = { 'if-none-match': String(headers['etag']) }
      expect((await read(scene, known)).statusCode).toBe(304)
      await deployed(scene.service, scene.runtime, { capabilities: [capability('new')], website: undefined })
      const later = await read(scene, known)
      expect(Object.keys(later.json().paths)).toEqual([`/v1/capabilities/${scene.runtime.runtimeId}/new`])
      expect(later.json().info.version).toBe('2.0.0')
    })

    test('are the same uncached 404 for an unknown runtime and for one without a deployment', async () => {
      const scene = await start(null)
      const without = await read(scene)
      const unknown = await read({ service: scene.service, runtime: { ...scene.runtime, runtimeId: 'rt_nobody' } })
      refusalOf(without, 'not_found')
      expect([unknown.body, steadyHeaders(unknown)]).toEqual([without.body, steadyHeaders(without)])
      expect(without.headers['cache-control']).toBe('no-store')
    })

    test('never show the endpoint, keys or instructions', async () => {
      const scene = await start({ agent: { instructions: 'Be secretive.' }, metadata: { cliVersion: '9.9.9' } })
      const { body } = await read(scene)
      const { runtime, endpoint } = scene
      const secrets = ['secretive', '9.9.9', endpoint.url, runtime.secret, runtime.deployKey, runtime.publicKey]
      for (const secret of secrets) expect(body).not.toContain(secret)
    })
  })
})
