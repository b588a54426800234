import { describe, expect, test } from 'vitest'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { LEGACY, MODERN, mcpPath, sendLegacy, sendModern } from '../support/mcp.ts'
import { useScene } from '../support/scene.ts'

// Judged before any store is asked: one engine tells as much as two.
describeEngine('sqlite', 'a message of the Model Context Protocol', (engine) => {
  const database = useDatabase(engine)
  const scene = useScene(database, { tier: 'enterprise' })
  const post = (payload: string, headers: Record<string, string> = {}) =>
    scene().service.inject({
      method: 'POST',
      url: mcpPath(scene()),
      headers: { 'content-type': 'application/json', 'mcp-protocol-version': LEGACY, ...headers },
      payload,
    })
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

  // holds MCP-03
  test.each(['GET', 'DELETE'] as const)('is a POST: %s is not allowed', async (method) => {
    const answer = await scene().service.inject({ method, url: mcpPath(scene()) })
    expect([answer.statusCode, answer.headers['allow']]).toEqual([405, 'POST, OPTIONS'])
    expect(answer.json()).toMatchObject({ jsonrpc: '2.0', error: { code: 405 } })
  })

  // holds MCP-01
  test('discovers the server, with how long the answer may be kept', async () => {
    const answer = await sendModern(scene(), 'server/discover', { id: 'd1' })
    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toEqual({
      jsonrpc: '2.0',
      id: 'd1',
      result: {
        resultType: 'complete',
        supportedVersions: [MODERN, LEGACY, '2025-06-18'],
        capabilities: { tools: {}, resources: {} },
        _meta: {
          'io.modelcontextprotocol/serverInfo': {
            name: scene().runtime.runtimeId,
            version: '1.0.0',
            title: 'Test shop',
            websiteUrl: 'https://shop.example.com',
          },
        },
        ttlMs: 300_000,
        cacheScope: 'public',
      },
    })
  })

  // holds MCP-02
  test.each([
    [LEGACY, LEGACY],
    ['2025-06-18', '2025-06-18'],
    ['2024-11-05', LEGACY],
    [7, LEGACY],
  ])('shakes hands without a session: asked for %s it speaks %s', async (protocolVersion, spoken) => {
    const answer = await sendLegacy(scene(), 'initialize', { params: { protocolVersion }, headers: {} })
    expect(answer.headers).not.toHaveProperty('mcp-session-id')
    expect(answer.json()).toMatchObject({
      result: { protocolVersion: spoken, capabilities: { tools: {}, resources: {} } },
    })
  })

  test('is pinged in the earlier revisions alone', async () => {
    expect((await sendLegacy(scene(), 'ping')).json()).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
    const answer = await sendModern(scene(), 'ping')
    expect([answer.statusCode, answer.json().error.code]).toEqual([404, -32601])
  })

  test('without an id is a notification: 202 and no body', async () => {
    const answer = await post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }))
    expect([answer.statusCode, answer.body]).toEqual([202, ''])
  })

  // holds MCP-04
  test.each([
    ['no version', { 'mcp-protocol-version': undefined }, -32020],
    ['another version', { 'mcp-protocol-version': LEGACY }, -32020],
    ['no method', { 'mcp-method': undefined }, -32020],
    ['another method', { 'mcp-method': 'tools/list' }, -32020],
    ['no name', { 'mcp-name': undefined }, -32020],
    ['another name', { 'mcp-name': 'other' }, -32020],
    ['two methods', { 'mcp-method': 'tools/call, tools/list' }, -32020],
    ['a name in other letters', { 'mcp-name': 'Echo' }, -32020],
    ['a name that is no base64', { 'mcp-name': '=?base64?ZWNob!?=' }, -32020],
    ['a name of loose base64', { 'mcp-name': '=?base64?ZWNobx?=' }, -32020],
  ])('whose headers say %s is refused', async (_, headers, code) => {
    const all = { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': 'echo', ...headers }
    const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
    const params = { name: 'echo', arguments: {}, _meta: envelope() }
    const message = { jsonrpc: '2.0', id: 3, method: 'tools/call', params }
    const answer = await scene().service.inject({
      method: 'POST',
      url: mcpPath(scene()),
      headers: { 'content-type': 'application/json', ...sent },
      payload: JSON.stringify(message),
    })
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toMatchObject({ jsonrpc: '2.0', id: 3, error: { code } })
  })

  test('whose headers carry its name in base64 is served', async () => {
    const headers = { 'mcp-name': `=?base64?${Buffer.from('echo').toString('base64')}?=` }
    const answer = await sendModern(scene(), 'tools/call', { params: { name: 'echo' }, headers })
    expect([answer.statusCode, answer.json().result?.isError]).toEqual([200, false])
  })

  test.each(['1900-01-01', '2025-03-26', 'latest'])(
    'of the unknown version %s is told the known ones',
    async (version) => {
      const _meta = { ...envelope(), 'io.modelcontextprotocol/protocolVersion': version }
      const headers = { 'mcp-protocol-version': version }
      const answer = await sendModern(scene(), 'tools/list', { params: { _meta }, headers })
      expect(answer.statusCode).toBe(400)
      const data = { supported: [MODERN, LEGACY, '2025-06-18'], requested: version }
      expect(answer.json().error).toEqual({ code: -32022, message: 'Unsupported protocol version', data })
    },
  )

  test.each([
    [undefined],
    [{}],
    [{ 'io.modelcontextprotocol/protocolVersion': MODERN }],
    [{ ...envelope(), 'io.modelcontextprotocol/clientCapabilities': 'all' }],
  ])('that does not describe its client is refused: %j', async (_meta) => {
    const answer = await sendModern(scene(), 'tools/list', { params: { _meta } })
    expect([answer.statusCode, answer.json().error.code]).toEqual([400, -32602])
  })

  test.each(['resources/subscribe', 'prompts/list', 'subscriptions/listen', 'constructor', '__proto__', 'initialize'])(
    'of the method %s is unknown',
    async (method) => {
      const answer = await sendModern(scene(), method)
      expect([answer.statusCode, answer.json()]).toMatchObject([404, { id: 1, error: { code: -32601 } }])
    },
  )

  test('of an unknown method is an answer in the earlier revisions', async () => {
    const answer = await sendLegacy(scene(), 'prompts/list')
    expect([answer.statusCode, answer.json().error.code]).toEqual([200, -32601])
  })

  describe('that is malformed', () => {
    test.each([
      ['no JSON', '{', -32700],
      ['no UTF-8', '\ud800', -32700],
      ['a batch', JSON.stringify([list, list]), -32600],
      ['an empty batch', '[]', -32600],
      ['null', 'null', -32600],
      ['text', '"tools/list"', -32600],
      ['another version of JSON-RPC', JSON.stringify({ ...list, jsonrpc: '1.0' }), -32600],
      ['an id of null', JSON.stringify({ ...list, id: null }), -32600],
      ['an id that is a list', JSON.stringify({ ...list, id: [1] }), -32600],
      ['an id with a fraction', JSON.stringify({ ...list, id: 1.5 }), -32600],
      ['an id that no double holds', '{"jsonrpc":"2.0","id":1e400,"method":"tools/list"}', -32600],
      ['an id that a double rounds', '{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/list"}', -32600],
      ['an id of 300 digits', `{"jsonrpc":"2.0","id":${'9'.repeat(300)},"method":"tools/list"}`, -32600],
      ['an id of 300 characters', JSON.stringify({ ...list, id: 'i'.repeat(300) }), -32600],
      ['a response', JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} }), -32600],
      ['params that are a list', JSON.stringify({ ...list, params: [] }), -32602],
      [
        'a prototype key in arguments',
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"__proto__":{}}}}',
        -32600,
      ],
      ['a prototype key', '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"__proto__":{}}}', -32600],
    ])('as %s is a refusal of the protocol', async (_, payload, code) => {
      const answer = await post(payload)
      expect([answer.statusCode, answer.json().error?.code]).toEqual([400, code])
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    })

    test('as text of another type is a refusal of the protocol', async () => {
      for (const type of ['text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'json', '']) {
        const answer = await post(JSON.stringify(list), { 'content-type': type })
        expect([type, answer.statusCode, answer.json().error.code]).toEqual([type, 400, -32600])
      }
    })
  })
})

function envelope() {
  return {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
}
