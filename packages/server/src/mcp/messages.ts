import { JsonObject } from '@svc/contract'
import { z } from 'zod'

/** The revision whose requests carry their own version and capabilities. */
export const MODERN = '2026-07-28'
/** Revisions that begin with `initialize`. Their wire is the same where tools are concerned. */
const LEGACY = ['2025-11-25', '2025-06-18'] as const
export const LATEST_LEGACY = LEGACY[0]
export const SUPPORTED_VERSIONS: readonly string[] = [MODERN, ...LEGACY]

export type Era = 'modern' | 'legacy'

export function isLegacy(version: unknown): version is (typeof LEGACY)[number] {
  return LEGACY.some((known) => known === version)
}

/** The keys of `_meta` that the protocol reserves, or hosts have agreed on. */
export const META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  server: 'io.modelcontextprotocol/serverInfo',
  /** Of a result that asks for a sign-in. */
  challenges: 'mcp/www_authenticate',
  /** Of a result for a host that shows cards: the reserved key of the output. */
  cards: 'svc',
} as const

/** Error codes of JSON-RPC and of the protocol. */
export const CODES = {
  parse: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** Revisions before 2026-07-28 only. */
  resourceNotFound: -32002,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const

const MAX_TEXT = 256
const MessageId = z.union([z.string().max(MAX_TEXT), z.int()])
export type MessageId = z.infer<typeof MessageId>

/** A request, or a notification where it has no `id`. Batches and responses are refused. */
export const Message = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: MessageId.optional().describe('Absent from notifications, which are answered 202 without a body.'),
  method: z
    .string()
    .min(1)
    .max(MAX_TEXT)
    .describe(
      '`server/discover`, `tools/list`, `tools/call`, `resources/list`, `resources/read`, `resources/templates/list`, `initialize`, `ping`.',
    ),
  params: JsonObject.optional(),
})
export type Message = z.infer<typeof Message>

/** The answer to a request that the server has dealt with, also where the protocol calls it an error. */
export const Answer = z.object({
  jsonrpc: z.literal('2.0'),
  id: MessageId.optional(),
  result: z.looseObject({}).optional(),
  error: z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() }).optional(),
})

/** An answer that refuses. Its code is JSON-RPC's, the protocol's, or else the HTTP status. */
export const Refusal = z.object({
  jsonrpc: z.literal('2.0'),
  id: MessageId.optional().describe('Absent where the message has none that could be read.'),
  error: z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() }),
})

/** A fault of a message, answered as a JSON-RPC error. */
export class MessageFault extends Error {
  readonly status: 200 | 400 | 404
  readonly code: number
  readonly data: JsonObject | undefined

  constructor(status: 200 | 400 | 404, code: number, message: string, data?: JsonObject) {
    super(message)
    this.status = status
    this.code = code
    this.data = data
  }
}

export function invalidParams(what: string): MessageFault {
  return new MessageFault(200, CODES.invalidParams, `Invalid params: ${what}`)
}

export function unknownTool(): MessageFault {
  return invalidParams('Unknown tool')
}

export function idOf(body: unknown): MessageId | undefined {
  return MessageId.safeParse(Object(body).id).data
}

export function refusalBody(id: MessageId | undefined, error: { code: number; message: string; data?: unknown }) {
  return { jsonrpc: '2.0' as const, ...(id !== undefined && { id }), error }
}
