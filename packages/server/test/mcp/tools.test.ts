import { startOwnerEndpoint } from '@svc/testkit'
import { describe, expect, onTestFinished, test } from 'vitest'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { callTool, LEGACY, mcpPath, sendLegacy, sendModern } from '../support/mcp.ts'
import { deployed, setScene } from '../support/scene.ts'
import { capability } from '../support/service.ts'

const ANY_OBJECT = { type: 'object' }
const LIST_OUTPUT = { type: 'array', items: { type: 'string' } }
const withSchemas = (name: string, schemas: object, fields: object = {}) => ({
  ...capability(name),
  actions: [{ name, ...schemas }],
  ...fields,
})

// Calls take the broker’s way; broker.test.ts and idempotency.test.ts hold what is stored on both engines.
describeEngine('sqlite', 'tools', (engine) => {
  const database = useDatabase(engine)

  // holds MCP-05
  test('are the capabilities of the deployment that serves now, by name, with what their effects mean', async () => {
    const mark = { type: 'string', 'x-mcp-header': 'Region' }
    const scene = await setScene(database(), {
      manifest: {
        capabilities: [
          withSchemas('refund', { inputSchema: { anyOf: [ANY_OBJECT] } }, { effect: 'destructive', confirm: true }),
          withSchemas('list', {
            inputSchema: { type: 'object', properties: { region: mark } },
            outputSchema: LIST_OUTPUT,
          }),
          withSchemas('get', { outputSchema: ANY_OBJECT }, { effect: 'read', requiresEndUser: true }),
        ],
      },
    })
    const [modern, legacy] = [await sendModern(scene, 'tools/list'), await sendLegacy(scene, 'tools/list')]
    expect(modern.json().result).toEqual({
      resultType: 'complete',
      ttlMs: 300_000,
      cacheScope: 'private',
      _meta: expect.any(Object),
      tools: [
        {
          name: 'get',
          description: 'Does get.',
          inputSchema: { type: 'object', additionalProperties: false },
          outputSchema: ANY_OBJECT,
          annotations: { readOnlyHint: true },
        },
        {
          name: 'list',
          description: 'Does list.',
          inputSchema: { type: 'object', properties: { region: { type: 'string' } } },
          outputSchema: LIST_OUTPUT,
          annotations: { readOnlyHint: false, destructiveHint: false },
        },
        {
          name: 'refund',
          description: 'Does refund.',
          inputSchema: { type: 'object', anyOf: [ANY_OBJECT] },
          annotations: { readOnlyHint: false, destructiveHint: true },
        },
      ],
    })
    // An earlier revision knows outputs that are objects alone.
    const { tools } = legacy.json().result
    expect(tools.map((tool: object) => Object.keys(tool).includes('outputSchema'))).toEqual([true, false, false])
    await deployed(scene.service, scene.runtime, { capabilities: [capability('other')] })
    const later = (await sendModern(scene, 'tools/list')).json().result
    expect(later.tools.map(({ name }: { name: string }) => name)).toEqual(['other'])
  })

  test('have one page: any cursor is none of its', async () => {
    const scene = await setScene(database())
    for (const cursor of ['x', '', 7, null, { at: 1 }]) {
      const answer = await sendLegacy(scene, 'tools/list', { params: { cursor } })
      expect([cursor, answer.statusCode, answer.json().error?.code]).toEqual([cursor, 200, -32602])
    }
  })

  // holds MCP-35
  test('of two runtimes that have one name never mix', async () => {
    const scene = await setScene(database(), { handle: { echo: () => ({ output: 'first' }) } })
    const owner = await scene.service.owner()
    const endpoint = await startOwnerEndpoint({
      now: () => scene.service.clock.now(),
      handle: { echo: () => ({ output: 'second' }) },
    })
    onTestFinished(() => endpoint.close())
    const runtime = await scene.service.runtime(owner, { endpoint: endpoint.url })
    endpoint.trust({ runtimeId: runtime.runtimeId, secrets: [runtime.secret] })
    await deployed(scene.service, runtime)
    const calls = [scene, { ...scene, runtime }, scene, { ...scene, runtime }].map((each) => callTool(each, 'echo'))
    const said = (await Promise.all(calls)).map((answer) => answer.json().result.structuredContent)
    expect(said).toEqual(['first', 'second', 'first', 'second'])
    expect([scene.endpoint.effects.length, endpoint.effects.length]).toEqual([2, 2])
    expect([scene.endpoint.refusals, endpoint.refusals]).toEqual([[], []])
  })

  // holds MCP-06
  test('are called as the broker calls, and traced with the protocol', async () => {
    const scene = await setScene(database())
    const answer = await callTool(scene, 'echo', { text: 'a' })
    expect(answer.headers).toHaveProperty('ratelimit-remaining')
    expect(answer.json()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        resultType: 'complete',
        content: [{ type: 'text', text: '{"text":"a"}' }],
        structuredContent: { text: 'a' },
        isError: false,
        _meta: { 'io.modelcontextprotocol/serverInfo': expect.objectContaining({ version: '1.0.0' }) },
      },
    })
    expect(scene.endpoint.effects).toMatchObject([{ capability: 'echo', input: { text: 'a' }, metadata: {} }])
    const [{ executionId }] = (await scene.service.send('GET', '/v1/executions', { key: scene.owner.apiKey })).json()
      .executions
    expect(await scene.trace(executionId)).toMatchObject({ kind: 'broker', surface: 'mcp', status: 'completed' })
    await scene.broker('echo')
    const { executions } = (await scene.service.send('GET', '/v1/executions', { key: scene.owner.apiKey })).json()
    expect(executions.map(({ surface }: { surface: string | null }) => surface).sort()).toEqual(['mcp', null])
    expect(await scene.usage()).toMatchObject({ executions: 2, anonymous: 2 })
  })

  test.each([
    ['a list', ['a'], '["a"]', false],
    ['null', null, 'null', false],
    ['text', 'svc', '"svc"', false],
    ['what the widget is told', { a: 1, svc: { settled: true } }, '{"a":1}', true],
  ])('give %s back as JSON and as text', async (_, output, text, isObject) => {
    const scene = await setScene(database(), { handle: { echo: () => ({ output }) } })
    const modern = (await callTool(scene, 'echo')).json().result
    expect([modern.content[0].text, modern.structuredContent]).toEqual([text, JSON.parse(text)])
    const legacy = (await sendLegacy(scene, 'tools/call', { params: { name: 'echo' } })).json().result
    expect(legacy.content[0].text).toBe(text)
    expect('structuredContent' in legacy).toBe(isObject)
  })

  // holds MCP-07
  test('that fail or get an unfit input say so in a result that a model can read', async () => {
    const scene = await setScene(database(), {
      handle: { fail: () => ({ error: 'Out of stock.' }) },
      manifest: {
        capabilities: [
          capability('echo'),
          capability('fail'),
          capability('mine', { requiresEndUser: true }),
          capability('refund', { confirm: true }),
        ],
      },
    })
    const told = async (name: string, input: object = {}) => {
      const { isError, content } = (await callTool(scene, name, input)).json().result
      expect(isError).toBe(true)
      return content[0].text
    }
    expect(await told('fail')).toBe('Out of stock.')
    const charged = await scene.charged()
    expect(await told('echo', { text: 7 })).toContain('input.text')
    expect(await told('mine')).toBe('This tool works for a signed-in user only, and this server signs nobody in.')
    expect(await told('refund')).toContain('A person has to approve')
    expect(await scene.charged()).toEqual(charged)
    expect(scene.endpoint.effects).toHaveLength(1)
  })

  test.each([
    ['an unknown tool', { name: 'nothing' }],
    ['the key of a prototype', { name: 'constructor' }],
    ['no name', {}],
    ['arguments that are a list', { name: 'echo', arguments: [] }],
    ['a name that is a list', { name: ['echo'] }],
    ['a number that a double rounds', '{"name":"echo","arguments":{"text":9007199254740993}}'],
  ])('are not called with %s, at no cost', async (_, given) => {
    const scene = await setScene(database())
    const charged = await scene.charged()
    const params = typeof given === 'string' ? given : JSON.stringify(given)
    const answer = await scene.service.inject({
      method: 'POST',
      url: mcpPath(scene),
      headers: { 'content-type': 'application/json', 'mcp-protocol-version': LEGACY },
      payload: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`,
    })
    expect(answer.json().error.code).toBe(-32602)
    expect(await scene.charged()).toEqual(charged)
  })

  test('take an idempotency key: a repeat gets the recorded result', async () => {
    const scene = await setScene(database())
    const headers = { 'idempotency-key': 'order-2026-03-01' }
    const [first, again] = [
      await callTool(scene, 'echo', { text: 'a' }, { headers }),
      await callTool(scene, 'echo', { text: 'a' }, { headers }),
    ]
    expect(again.json()).toEqual(first.json())
    expect(scene.endpoint.effects).toHaveLength(1)
    const other = await callTool(scene, 'echo', { text: 'b' }, { headers })
    expect([other.statusCode, other.json().error.code]).toEqual([400, -32600])
  })

  describe('of a server that cannot be called', () => {
    test('are the same 404 without a runtime, a deployment or an endpoint', async () => {
      const scene = await setScene(database(), { tier: 'pro' })
      const { service, owner } = scene
      const bare = await service.runtime(owner)
      const closed = await service.runtime(owner, { endpoint: undefined })
      await deployed(service, closed)
      const answers = []
      for (const runtimeId of ['rt_none', bare.runtimeId, closed.runtimeId]) {
        answers.push(await callTool({ ...scene, runtime: { ...scene.runtime, runtimeId } }, 'echo'))
      }
      expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404])
      expect(new Set(answers.map(({ body }) => body)).size).toBe(1)
      expect(answers[0]?.json()).toEqual({ jsonrpc: '2.0', error: { code: 404, message: expect.any(String) } })
      expect(answers[0]?.headers).not.toHaveProperty('ratelimit-remaining')
    })

    test('answer 429 with Retry-After once the anonymous share is spent', async () => {
      const scene = await setScene(database())
      for (let call = 0; call < 50; call += 1) {
        expect((await callTool(scene, 'echo')).statusCode).toBe(200)
      }
      const answer = await callTool(scene, 'echo')
      expect([answer.statusCode, answer.json().error.code]).toEqual([429, 429])
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    })

    // holds MCP-09
    test('are hidden from pages of a foreign origin', async () => {
      const scene = await setScene(database())
      const origins = ['https://shop.example.com']
      const path = `/v1/runtimes/${scene.runtime.runtimeId}/allowed-origins`
      await scene.service.send('PUT', path, { key: scene.owner.apiKey, body: { origins } })
      const from = (origin: string) => sendModern(scene, 'tools/list', { headers: { origin } })
      const [own, foreign] = [await from('https://shop.example.com'), await from('https://evil.example')]
      expect([own.statusCode, own.headers['access-control-allow-origin']]).toEqual([200, 'https://shop.example.com'])
      for (const answer of [foreign, await from('null'), await from('https://shop.example.com.evil.example')]) {
        expect([answer.statusCode, answer.json().error.code]).toEqual([403, 403])
        expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
      }
    })

    test('are refused to a call of this service that came back to it', async () => {
      const scene = await setScene(database())
      const answer = await sendModern(scene, 'tools/list', { headers: { 'x-svc-execution-id': 'exec_1' } })
      expect([answer.statusCode, answer.json().error.code]).toEqual([403, 403])
    })
  })
})
