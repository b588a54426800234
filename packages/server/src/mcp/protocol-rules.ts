import { isJsonObject, type JsonObject } from '@svc/contract'
import {
  CODES,
  type Era,
  isLegacy,
  LATEST_LEGACY,
  META,
  type Message,
  MessageFault,
  MODERN,
  SUPPORTED_VERSIONS,
} from './messages.ts'

export type Headers = Readonly<Record<string, string | string[] | undefined>>

/** A request that is of a known revision, with what its client says of itself. */
export interface Request {
  era: Era
  method: string
  params: JsonObject
  /** Empty for revisions that tell them once, at `initialize`: nothing is kept between requests. */
  clientCapabilities: JsonObject
  /** Whether the client shows pages of the extension for MCP Apps. */
  showsPages: boolean
}

const SHARED_METHODS = ['tools/list', 'tools/call', 'resources/list', 'resources/templates/list', 'resources/read']

const METHODS: Readonly<Record<Era, readonly string[]>> = {
  modern: ['server/discover', ...SHARED_METHODS],
  legacy: ['initialize', 'ping', ...SHARED_METHODS],
}

/** Judges a request by its headers and its `_meta`. Throws the fault of one that no revision allows. */
export function judgeRequest({ method, params = {} }: Message, headers: Headers): Request {
  const meta = isJsonObject(params['_meta']) ? params['_meta'] : {}
  const claimed = meta[META.version]
  const version = headerOf(headers, 'mcp-protocol-version')
  const isHandshake = method === 'initialize' && claimed === undefined
  if (isHandshake && version !== MODERN)
    return { era: 'legacy', method, params, clientCapabilities: {}, showsPages: false }
  if (version === undefined) throw mismatch('the header MCP-Protocol-Version is missing')
  if (claimed !== undefined && claimed !== version) {
    throw mismatch(`the header MCP-Protocol-Version does not say what _meta["${META.version}"] says`)
  }
  const era = version === MODERN ? 'modern' : 'legacy'
  if (era === 'legacy' && !isLegacy(version)) throw unsupported(version)
  if (era === 'modern') requireMirrored(method, params, headers)
  if (!METHODS[era].includes(method)) {
    const status = era === 'modern' ? 404 : 200
    throw new MessageFault(status, CODES.unknownMethod, `Method not found: ${shown(method)}`)
  }
  const clientCapabilities = era === 'modern' ? requireEnvelope(meta) : {}
  return { era, method, params, clientCapabilities, showsPages: canShowPages(clientCapabilities, headers) }
}

const SIGN_IN_EXTENSION = /^io\.modelcontextprotocol\/(oauth|enterprise-managed-authorization)/

/** Whether a client says that it signs its user in where the transport answers 401. */
export function canSignIn({ clientCapabilities: { extensions } }: Request, headers: Headers): boolean {
  if (headerOf(headers, 'x-svc-sign-in') === 'transport') return true
  return isJsonObject(extensions) && Object.keys(extensions).some((name) => SIGN_IN_EXTENSION.test(name))
}

export function negotiated({ protocolVersion }: { protocolVersion?: unknown }): string {
  return isLegacy(protocolVersion) ? protocolVersion : LATEST_LEGACY
}

// Earlier revisions tell capabilities once, at a handshake that nothing remembers: their hosts say it in a header.
function canShowPages({ extensions }: JsonObject, headers: Headers): boolean {
  if (headerOf(headers, 'x-svc-cards') === 'show') return true
  const settings = isJsonObject(extensions) ? extensions[UI_EXTENSION] : undefined
  const types = isJsonObject(settings) ? settings['mimeTypes'] : undefined
  return Array.isArray(types) && types.includes(PAGE_TYPE)
}

const UI_EXTENSION = 'io.modelcontextprotocol/ui'
export const PAGE_TYPE = 'text/html;profile=mcp-app'

/** What the header `Mcp-Name` repeats, by method. */
const NAMED_BY: Readonly<Partial<Record<string, string>>> = { 'tools/call': 'name', 'resources/read': 'uri' }

/** The headers that gateways route by must say what the body says. */
function requireMirrored(method: string, params: JsonObject, headers: Headers): void {
  if (headerOf(headers, 'mcp-method') !== method) throw mismatch('the header Mcp-Method is not the method of the body')
  const source = NAMED_BY[method]
  const name = source && params[source]
  if (typeof name !== 'string') return
  const given = headerOf(headers, 'mcp-name')
  if (given === undefined || decoded(given) !== name) throw mismatch('the header Mcp-Name is not the name in the body')
}

function requireEnvelope(meta: JsonObject): JsonObject {
  const capabilities = meta[META.capabilities]
  if (meta[META.version] === undefined) throw missing(META.version)
  if (!isJsonObject(capabilities)) throw missing(META.capabilities)
  return capabilities
}

const missing = (key: string) =>
  new MessageFault(400, CODES.invalidParams, `Invalid params: _meta["${key}"] is required in each request`)

const mismatch = (what: string) => new MessageFault(400, CODES.headerMismatch, `Header mismatch: ${what}`)

function unsupported(requested: string): MessageFault {
  const data = { supported: [...SUPPORTED_VERSIONS], requested: shown(requested) }
  return new MessageFault(400, CODES.unsupportedVersion, 'Unsupported protocol version', data)
}

function headerOf(headers: Headers, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value.trim() : undefined
}

const ENCODED = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/

/** A header value that may be written in base64, for text that is not ASCII; null where it is not well written. */
function decoded(value: string): string | null {
  if (!value.startsWith('=?base64?') || !value.endsWith('?=')) return value
  const [, base64] = ENCODED.exec(value) ?? []
  if (base64 === undefined) return null
  const bytes = Buffer.from(base64, 'base64')
  return bytes.toString('base64') === base64 ? bytes.toString() : null
}

function shown(text: string): string {
  return text.slice(0, 64)
}
