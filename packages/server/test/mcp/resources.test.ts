import { describe, expect, test } from 'vitest'
import { NO_WEB_FILES } from '../../src/web/web-files.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { callTool, connectClient, SHOWS_PAGES, sendLegacy, sendModern } from '../support/mcp.ts'
import { setScene } from '../support/scene.ts'
import { capability } from '../support/service.ts'

const URI = 'ui://svc/card'
const TYPE = 'text/html;profile=mcp-app'
const HTML = '<!doctype html><title>Cards</title>'
const CARDS = { web: { ...NO_WEB_FILES, cards: HTML } }
const UI = { prefersBorder: false, csp: { resourceDomains: ['https://shop.example.com'] } }
const LISTED = { uri: URI, name: 'cards', title: 'Cards', mimeType: TYPE, _meta: { ui: UI } }
const CONTENT = { uri: URI, mimeType: TYPE, text: HTML, _meta: { ui: UI } }
const SHOWN = { cards: [{ type: 'product', title: 'Lantern' }] }
const searching = { ...CARDS, handle: { echo: () => ({ output: { found: 1, svc: SHOWN } }) } }
const legacyCall = { params: { name: 'echo' } }
const inHeader = { 'mcp-protocol-version': '2025-11-25', 'x-svc-cards': 'show' }

// These answers come from memory: one store is enough.
describeEngine('sqlite', 'the page that MCP hosts show cards in', (engine) => {
  const database = useDatabase(engine)

  // holds MCP-40
  describe.each(['modern', 'legacy'] as const)('for a client of the %s generation', (generation) => {
    test('is a resource, which may load pictures of the website', async () => {
      const scene = await setScene(database(), CARDS)
      const client = await connectClient(scene, generation)
      expect((await client.listResources()).resources).toMatchObject([LISTED])
      expect((await client.listResourceTemplates()).resourceTemplates).toEqual([])
      expect((await client.readResource({ uri: URI })).contents).toEqual([CONTENT])
      for (const uri of ['ui://svc/other', 'ui://svc/card?x', 'file:///etc/passwd', `ui://svc/${'x'.repeat(5_000)}`]) {
        // The client of this library gives one name to the codes of both generations.
        const refusal = { code: -32602, data: { uri: uri.slice(0, 2_048) } }
        await expect(client.readResource({ uri })).rejects.toMatchObject(refusal)
      }
    })

    test('is in no list where it is not built', async () => {
      const scene = await setScene(database())
      const client = await connectClient(scene, generation, { capabilities: SHOWS_PAGES })
      expect((await client.listResources()).resources).toEqual([])
      expect((await client.listTools()).tools[0]).not.toHaveProperty('_meta')
    })
  })

  // holds MCP-40
  test('may be kept as the list of tools may', async () => {
    const scene = await setScene(database(), CARDS)
    for (const [method, params] of [
      ['resources/list'],
      ['resources/templates/list'],
      ['resources/read', { uri: URI }],
    ] as const) {
      const answer = await sendModern(scene, method, { ...(params && { params }) })
      const kept = { resultType: 'complete', ttlMs: 300_000, cacheScope: 'public' }
      expect([method, answer.statusCode, answer.json().result]).toEqual([method, 200, expect.objectContaining(kept)])
    }
  })

  test.each([
    ['empty', ''],
    ['of another resource', 'ui://svc/other'],
  ])('is refused by a name in the headers that is %s', async (_, name) => {
    const scene = await setScene(database(), CARDS)
    const answer = await sendModern(scene, 'resources/read', { params: { uri: URI }, headers: { 'mcp-name': name } })
    expect([answer.statusCode, answer.json().error.code]).toEqual([400, -32020])
  })

  test('is not found at another address, by the code of the revision', async () => {
    const scene = await setScene(database(), CARDS)
    const params = { uri: 'ui://svc/other' }
    const answers = [
      await sendModern(scene, 'resources/read', { params }),
      await sendLegacy(scene, 'resources/read', { params }),
    ]
    const codes = answers.map((answer) => [answer.statusCode, answer.json().error.code])
    expect(codes).toEqual([
      [200, -32602],
      [200, -32002],
    ])
  })

  test.each([[7], [null], [{ uri: URI }], [undefined]])(
    'is not read by an address that is no text: %j',
    async (uri) => {
      const scene = await setScene(database(), CARDS)
      const answer = await sendLegacy(scene, 'resources/read', { params: { uri } })
      expect([answer.statusCode, answer.json().error.code]).toEqual([200, -32602])
    },
  )

  test.each([
    ['http://shop.example.com', undefined],
    ['https://bücher.example:8443/de?x', { resourceDomains: ['https://xn--bcher-kva.example:8443'] }],
  ])('loads from the website %s what a policy may name', async (url, csp) => {
    const scene = await setScene(database(), { ...CARDS, manifest: { website: { name: 'Shop', url } } })
    const { resources } = (await sendModern(scene, 'resources/list')).json().result
    expect(resources[0]._meta.ui).toEqual({ prefersBorder: false, ...(csp && { csp }) })
  })

  // holds MCP-41
  test('is named by tools, and gets what their outputs show, where the client says that it shows pages', async () => {
    const scene = await setScene(database(), { ...searching, manifest: { capabilities: [capability('echo')] } })
    const capabilities = SHOWS_PAGES
    const page = { _meta: { ui: { resourceUri: URI } } }
    const [tool] = (await sendModern(scene, 'tools/list', { capabilities })).json().result.tools
    expect(tool).toMatchObject({ name: 'echo', ...page })
    const { result } = (await callTool(scene, 'echo', {}, { capabilities })).json()
    expect(result).toMatchObject({ structuredContent: { found: 1 }, content: [{ text: '{"found":1}' }] })
    expect(result._meta).toEqual({ svc: SHOWN, 'io.modelcontextprotocol/serverInfo': expect.any(Object) })
    const [told] = (await sendLegacy(scene, 'tools/list', { headers: inHeader })).json().result.tools
    expect(told).toMatchObject(page)
    const legacy = (await sendLegacy(scene, 'tools/call', { ...legacyCall, headers: inHeader })).json().result
    expect(legacy).toMatchObject({ structuredContent: { found: 1 }, _meta: { svc: SHOWN } })
  })

  // holds MCP-41
  test.each([
    ['nothing', {}],
    ['another extension', { extensions: { 'io.modelcontextprotocol/oauth': { mimeTypes: [TYPE] } } }],
    ['other pages', { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html'] } } }],
    ['no kind of pages', { extensions: { 'io.modelcontextprotocol/ui': {} } }],
    ['a list', { extensions: ['io.modelcontextprotocol/ui'] }],
  ])('is unknown to a client that says %s, which gets text', async (_, capabilities) => {
    const scene = await setScene(database(), searching)
    const [listed] = (await sendModern(scene, 'tools/list', { capabilities })).json().result.tools
    expect(listed).not.toHaveProperty('_meta')
    const answers = [
      await callTool(scene, 'echo', {}, { capabilities }),
      await sendLegacy(scene, 'tools/call', legacyCall),
    ]
    for (const answer of answers) {
      expect(answer.body).not.toContain('Lantern')
      expect(answer.json().result).toMatchObject({ isError: false, content: [{ text: '{"found":1}' }] })
    }
  })
})
