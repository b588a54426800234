import { expect, test } from 'vitest'
import { faultsIn, refusalOf } from '../support/answers.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { deployed, setScene } from '../support/scene.ts'

// Written from the deployment that is stored, which deployments.test.ts holds on both engines.
describeEngine('sqlite', 'server.json', (engine) => {
  const database = useDatabase(engine)

  // holds MCP-11
  test('describes the deployment that serves now, as a registry takes it', async () => {
    const website = { name: 'Shop', description: 'Shoes. '.repeat(30), url: 'https://shop.example.com' }
    const { service, runtime } = await setScene(database(), { manifest: { website } })
    const read = () => service.send('GET', `/v1/runtime/${runtime.runtimeId}/server.json`)
    const answer = await read()
    expect(answer.headers).toMatchObject({ 'access-control-allow-origin': '*' })
    expect(answer.headers['cache-control']).toBe('public, max-age=0, s-maxage=300')
    expect(answer.json()).toEqual({
      $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
      name: `com.example.shop/${runtime.runtimeId}`,
      title: 'Shop',
      description: expect.stringMatching(/^Shoes\. .{92}…$/),
      version: '1.0.0',
      websiteUrl: 'https://shop.example.com',
      remotes: [{ type: 'streamable-http', url: `https://svc.test/v1/mcp/${runtime.runtimeId}` }],
    })
    await deployed(service, runtime, { website: undefined, adp: { namespace: 'com.example.shoes' } })
    expect((await read()).json()).toMatchObject({
      name: `com.example.shoes/${runtime.runtimeId}`,
      description: `The tools of ${runtime.runtimeId}.`,
      version: '2.0.0',
    })
  })

  test('is a 404 before the first deployment, and a 400 where no namespace follows', async () => {
    const { service, runtime } = await setScene(database(), { manifest: null })
    const read = (id: string) => service.send('GET', `/v1/runtime/${id}/server.json`)
    const [none, unknown] = [await read(runtime.runtimeId), await read('rt_none')]
    expect([refusalOf(none, 'not_found'), none.body]).toEqual([refusalOf(unknown, 'not_found'), unknown.body])
    await deployed(service, runtime, { website: { name: 'Shop', url: 'https://192.0.2.1' } })
    expect(faultsIn(await read(runtime.runtimeId))).toHaveProperty(['adp.namespace'])
  })
})
