import { isJsonObject } from '@svc/contract'
import { composeExample } from '@svc/testkit'
import { z } from 'zod'
import type { Random } from '../../support/random.ts'
import type { AnswerFormat } from './judge-answer.ts'
import { jsonRequest, type RawRequest } from './raw.ts'

const PLANES = z.enum(['publicKey', 'deployKey', 'accountKey'])
export type Plane = z.infer<typeof PLANES> | 'public'

const MCP = 'callMcp'
const NO_WEBHOOK = 'wh_none'

/** One operation of the live description. */
export interface ApiOperation {
  operationId: string
  method: string
  /** With its parameters in braces. */
  path: string
  plane: Plane
  queryParameters: readonly string[]
  /** A body as it is documented; undefined where it takes none. */
  example: unknown
}

const Operation = z.object({
  operationId: z.string(),
  security: z.array(z.record(z.string(), z.unknown())).default([]),
  parameters: z.array(z.object({ in: z.string(), name: z.string() })).default([]),
  requestBody: z.object({ content: z.object({ 'application/json': z.object({ schema: z.unknown() }) }) }).optional(),
})

const Document = z.object({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
})

export function readOperations(document: unknown): ApiOperation[] {
  const { paths, components } = Document.parse(document)
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, security, parameters, requestBody }]) => {
      const [scheme] = Object.keys(security[0] ?? {})
      return {
        operationId,
        method: method.toUpperCase(),
        path,
        plane: scheme === undefined ? 'public' : PLANES.parse(scheme),
        queryParameters: parameters.filter((one) => one.in === 'query').map(({ name }) => name),
        example: requestBody && composeExample(requestBody.content['application/json'].schema, components.schemas),
      } as const
    }),
  )
}

/** The ids that good requests of one caller name, and the credentials that open what they ask for. */
export interface Fixtures {
  keys: Readonly<Record<Plane, string | undefined>>
  /** By the name of a path parameter or a field. */
  values: ReadonlyMap<string, string>
}

/** One route behind one kind of credential, and a good request to it. */
export interface Target {
  name: string
  port: number
  queryParameters: readonly string[]
  format: AnswerFormat
  mayFailAsCapability: boolean
  request(fixtures: Fixtures, random: Random): RawRequest
}

/** The operations of the description, each with the credential that it names. */
export function apiTargets(operations: readonly ApiOperation[], port: number): Target[] {
  return operations.map((operation) => ({
    name: operation.operationId,
    port,
    queryParameters: operation.queryParameters,
    format: operation.operationId === MCP ? 'json-rpc' : 'envelope',
    mayFailAsCapability: operation.operationId === 'callCapability',
    request(fixtures, random) {
      const key = random.chance(0.85) ? fixtures.keys[operation.plane] : drawKey(fixtures, random)
      return goodRequest(operation, fixtures, key)
    },
  }))
}

/** A request as the description has it, with the caller's own ids, but that it deletes no webhook that others name. */
function goodRequest(operation: ApiOperation, fixtures: Fixtures, key: string | undefined): RawRequest {
  const { operationId, method, example } = operation
  const template = operationId === 'deleteWebhook' ? operation.path.replace('{webhookId}', NO_WEBHOOK) : operation.path
  const path = fillPath(template, fixtures)
  const headers = keyHeaders(template, fixtures)
  if (operationId === MCP) {
    // A call of a tool, as clients of the revision 2025-11-25 make it: the description does not name the methods.
    const params = { name: fixtures.values.get('capability'), arguments: {} }
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    return jsonRequest('POST', path, { key, headers: [...headers, ['mcp-protocol-version', '2025-11-25']], body })
  }
  // The stable deployment takes no share.
  if (operationId.startsWith('promote')) return jsonRequest(method, path, { key, headers, body: {} })
  return jsonRequest(method, path, { key, headers, ...(example !== undefined && { body: ownBody(example, fixtures) }) })
}

/** The keys of an approval and of a streamed execution, which travel in headers of their own. */
function keyHeaders(path: string, { values }: Fixtures): [string, string][] {
  const keys = { 'x-svc-approval-key': 'approvalKey', 'x-svc-resume-key': 'resumeKey' }
  return Object.entries(keys).flatMap(([header, name]) => {
    const value = /\{(approval|execution)Id\}/.test(path) ? values.get(name) : undefined
    return value === undefined ? [] : [[header, value] as [string, string]]
  })
}

/** A credential of another plane, none, or one that never was. */
function drawKey({ keys: { accountKey, deployKey, publicKey } }: Fixtures, random: Random): string | undefined {
  const cut = accountKey?.slice(0, -1)
  return random.pick([undefined, accountKey, deployKey, publicKey, cut, `${deployKey}x`, 'x', 'svc_ak_', 'a b'])
}

function ownBody(example: unknown, fixtures: Fixtures): unknown {
  if (Array.isArray(example)) return example.map((item) => ownBody(item, fixtures))
  if (!isJsonObject(example)) return example
  const own = (name: string, value: unknown) =>
    typeof value === 'string' ? (fixtures.values.get(name) ?? value) : ownBody(value, fixtures)
  return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, own(name, value)]))
}

/** Throws where nothing is known that could stand for a parameter. */
function fillPath(path: string, { values }: Fixtures): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    // In a body the name means something else.
    const value = name === 'version' ? '1' : values.get(name)
    if (value === undefined) throw new Error(`nothing to put for {${name}} of ${path}: extend the fixtures`)
    return value
  })
}

/** Routes beside the description: for browsers and for operators. */
const HIDDEN_ROUTES: readonly (readonly [name: string, format: AnswerFormat, path: string])[] = [
  ['dashboard page', 'files', '/dashboard'],
  ['dashboard address', 'files', '/dashboard/runtimes/{runtimeId}'],
  ['dashboard file', 'files', '/dashboard/{dashboardFile}'],
  ['widget', 'files', '/widget.js'],
  ['reference page', 'files', '/docs'],
  ['reference file', 'files', '/docs/reference.css'],
  ['live', 'plain', '/live'],
  ['ready', 'plain', '/ready'],
  ['metrics', 'plain', '/metrics'],
]

export function hiddenTargets(port: number, opsPort: number): Target[] {
  return HIDDEN_ROUTES.map(([name, format, path]) => ({
    name,
    port: format === 'plain' ? opsPort : port,
    queryParameters: [],
    format,
    mayFailAsCapability: false,
    request: (fixtures) => jsonRequest('GET', fillPath(path, fixtures)),
  }))
}
