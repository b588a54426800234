import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { APPROVING, dispatched } from '../support/approvals.ts'
import { createGate } from '../support/deferred.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { connectClient, listen, mcpPath } from '../support/mcp.ts'
import { setScene } from '../support/scene.ts'
import { capability } from '../support/service.ts'

const OUTPUT = { type: 'object', properties: { text: { type: 'string' } } }

// The protocol's own client is the judge of what it is sent: the store makes no difference to it.
describeEngine('sqlite', 'a client of the protocol', (engine) => {
  const database = useDatabase(engine)

  describe.each(['modern', 'legacy'] as const)('of the %s generation', (generation) => {
    // holds MCP-01, MCP-02
    test('connects, lists the tools and calls one', async () => {
      const echo = capability('echo', { effect: 'read' })
      Object.assign(echo.actions[0] ?? {}, { outputSchema: OUTPUT })
      const scene = await setScene(database(), { manifest: { capabilities: [echo, capability('cancel-order')] } })
      const client = await connectClient(scene, generation)
      expect(client.getServerVersion()).toMatchObject({ name: scene.runtime.runtimeId, title: 'Test shop' })
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual(['cancel-order', 'echo'])
      expect(tools[1]).toMatchObject({ outputSchema: OUTPUT, annotations: { readOnlyHint: true } })
      const result = await client.callTool({ name: 'echo', arguments: { text: 'a' } })
      expect(result).toMatchObject({
        content: [{ type: 'text', text: '{"text":"a"}' }],
        structuredContent: { text: 'a' },
        isError: false,
      })
    })

    test('learns of an unknown tool and of a failed call', async () => {
      const scene = await setScene(database(), { handle: { echo: () => ({ error: 'Out of stock.' }) } })
      const client = await connectClient(scene, generation)
      await expect(client.callTool({ name: 'nothing', arguments: {} })).rejects.toMatchObject({ code: -32602 })
      expect(await client.callTool({ name: 'echo', arguments: {} })).toMatchObject({
        content: [{ type: 'text', text: 'Out of stock.' }],
        isError: true,
      })
    })
  })

  // holds MCP-02
  test('of the library’s first version connects, lists the tools and calls one', async () => {
    const scene = await setScene(database())
    const transport = new FirstTransport(new URL(mcpPath(scene), await listen(scene)))
    const client = new FirstClient({ name: 'test', version: '1.0.0' })
    await client.connect(transport)
    onTestFinished(() => client.close())
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['echo'])
    const result = await client.callTool({ name: 'echo', arguments: { text: 'a' } })
    expect(result).toMatchObject({ structuredContent: { text: 'a' }, isError: false })
    await expect(client.callTool({ name: 'nothing' })).rejects.toMatchObject({ code: -32602 })
  })

  // holds MCP-10
  test('that can show forms has a person approve a call, which then runs once', async () => {
    const scene = await setScene(database(), APPROVING)
    const client = await connectClient(scene, 'modern', { capabilities: { elicitation: { form: {} } } })
    const shown: unknown[] = []
    const answers = [{ action: 'decline' as const }, { action: 'accept' as const, content: { approve: true } }]
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      shown.push(params.message)
      return answers.shift() ?? { action: 'cancel' }
    })
    const pay = () => client.callTool({ name: 'pay', arguments: { value: 120 } })
    expect(await pay()).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('declined') }] })
    expect(await pay()).toMatchObject({ isError: false, structuredContent: { paid: 120 } })
    expect(shown).toEqual(['Pay 120\n120 EUR', 'Pay 120\n120 EUR'])
    expect(dispatched(scene.endpoint)).toHaveLength(1)
  })

  // holds MCP-08
  test('that cancels a call cancels it at the endpoint within a second', async () => {
    const gate = createGate()
    const scene = await setScene(database(), {
      handle: {
        echo: async () => {
          await gate.enter()
          return { output: null }
        },
      },
    })
    const client = await connectClient(scene, 'modern')
    const leaving = new AbortController()
    const call = client.callTool({ name: 'echo', arguments: {} }, { signal: leaving.signal })
    call.catch(() => undefined)
    await gate.arrived(1)
    const left = performance.now()
    leaving.abort()
    await expect(call).rejects.toThrow()
    await scene.endpoint.whenLeft()
    expect(performance.now() - left).toBeLessThan(1_000)
    await eventually(async () => {
      const list = await scene.service.send('GET', '/v1/executions', { key: scene.owner.apiKey })
      const cancelled = { status: 'failed', finishReason: 'cancelled', unknownCalls: 1, surface: 'mcp' }
      expect(list.json().executions).toMatchObject([cancelled])
    })
    gate.open()
  })
})
