import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { LightMyRequestResponse } from 'fastify'
import { onTestFinished } from 'vitest'
import type { Scene } from './scene.ts'

export const MODERN = '2026-07-28'
export const LEGACY = '2025-11-25'

interface Sent {
  id?: unknown
  params?: Record<string, unknown>
  headers?: Record<string, string>
  /** What the client says that it can do. */
  capabilities?: object
}

const NAMED_BY: Readonly<Record<string, string>> = { 'tools/call': 'name', 'resources/read': 'uri' }

/** Sends one request of the newest revision, with the headers that repeat its body. */
export function sendModern(scene: Scene, method: string, sent: Sent = {}): Promise<LightMyRequestResponse> {
  const { id = 1, params = {}, headers = {}, capabilities = {} } = sent
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  }
  const named = params[NAMED_BY[method] ?? '']
  const name = named === undefined ? {} : { 'mcp-name': String(named) }
  return scene.service.send('POST', mcpPath(scene), {
    body: { jsonrpc: '2.0', id, method, params: { _meta, ...params } },
    headers: { 'mcp-protocol-version': MODERN, 'mcp-method': method, ...name, ...headers },
  })
}

/** What a client says that shows pages of the extension for MCP Apps. */
export const SHOWS_PAGES = {
  extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
}

/** Sends one request of a revision that began with a handshake. */
export function sendLegacy(scene: Scene, method: string, sent: Sent = {}): Promise<LightMyRequestResponse> {
  const { id = 1, params, headers = { 'mcp-protocol-version': LEGACY } } = sent
  return scene.service.send('POST', mcpPath(scene), { body: { jsonrpc: '2.0', id, method, params }, headers })
}

export function callTool(scene: Scene, name: string, input?: object, sent: Sent = {}) {
  return sendModern(scene, 'tools/call', { ...sent, params: { name, arguments: input, ...sent.params } })
}

export function mcpPath({ runtime }: Pick<Scene, 'runtime'>): string {
  return `/v1/mcp/${runtime.runtimeId}`
}

export type Generation = 'modern' | 'legacy'

/** The protocol's own client of one generation, connected to the runtime of a scene over HTTP. */
export async function connectClient(scene: Scene, generation: Generation, options: ClientOptions = {}) {
  const url = await listen(scene)
  const mode = generation === 'modern' ? { pin: MODERN } : generation
  const client = new Client({ name: 'test', version: '1.0.0' }, { ...options, versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(new URL(mcpPath(scene), url)))
  onTestFinished(() => client.close())
  return client
}

const listening = new WeakMap<object, Promise<string>>()

export function listen({ service }: Scene): Promise<string> {
  const url = listening.get(service) ?? service.app.listen({ host: '127.0.0.1', port: 0 })
  listening.set(service, url)
  return url
}
