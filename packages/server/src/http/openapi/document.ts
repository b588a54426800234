import { ErrorBody } from '@svc/contract'
import type { Plane } from '../planes.ts'
import { cookieName } from '../session-cookie.ts'
import { examplesOf } from './examples/examples.ts'
import { type Operation, zodPart } from './operations.ts'
import { parametersOf } from './parameters.ts'
import { HEADERS, refusalComponents, responsesOf } from './responses.ts'
import { createSchemaBook, type SchemaBook, type SchemaUse } from './schema-book.ts'
import type { OpenApiDocument, OperationObject } from './types.ts'

/** The chapters of the reference, in their order. */
export const TAGS = [
  { name: 'Service', description: 'Who answers here, and how to talk to it.' },
  { name: 'Discovery', description: 'What runtimes publish, for anybody.' },
  { name: 'Broker', description: 'Calls of single capabilities by strangers.' },
  { name: 'Chat', description: 'What a web page does with a runtime’s public key.' },
  { name: 'Deployments', description: 'Publishing capabilities and checking in, with a runtime’s deploy key.' },
  { name: 'Runtimes', description: 'Registering runtimes and looking at them.' },
  { name: 'Keys', description: 'The keys and the signing secret of runtimes, and the account’s own keys.' },
  { name: 'Executions', description: 'Running the agent in one’s own name, and what became of all executions.' },
  { name: 'Traces', description: 'What is kept of each execution.' },
  { name: 'Projects', description: 'Groups of runtimes.' },
  { name: 'Analytics', description: 'Figures over time.' },
  { name: 'Billing', description: 'Plans, usage and payment.' },
  { name: 'Account', description: 'Signing up, in and out.' },
] as const

const SECURITY: Readonly<Record<Plane, OperationObject['security']>> = {
  public: [],
  'public-key': [{ publicKey: [] }],
  deploy: [{ deployKey: [] }],
  owner: [{ accountKey: [] }, { session: [] }, { sessionCookie: [] }],
}

const BEARERS = {
  publicKey: bearer('svc_pk_…', 'A runtime’s public key. It may stand in page source; the runtime is the key’s.'),
  deployKey: bearer('svc_sk_…', 'A runtime’s deploy key. It stays on your machine and in your CI.'),
  accountKey: bearer('svc_ak_…', 'An API key of the account.'),
  session: bearer('session token', 'The token of a session, as signing in answers it.'),
}

const COOKIE =
  'A browser’s session. A request that changes something must come from a page of the service’s own origin.'

const DESCRIPTION = `The control plane for agent capabilities: it holds the model, the agent loop, the quota and the traces; your
code, your data and your users stay on your side.

Bodies are JSON. A credential goes into \`Authorization: Bearer …\` and opens its own plane alone. Every answer carries
\`x-request-id\`. Lists are paged by cursor: pass \`nextCursor\` on as \`cursor\`; it is null on the last page.`

/** The OpenAPI document of an API, from the very schemas that judge its requests. Throws where a route says too little of itself. */
export function describeApi(
  operations: readonly Operation[],
  { baseUrl, version }: { baseUrl: string; version: string },
): OpenApiDocument {
  const book = createSchemaBook([
    { schema: ErrorBody, direction: 'output' },
    ...operations.flatMap((operation) => usesOf(operation)),
  ])
  const paths: OpenApiDocument['paths'] = {}
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [operation.method]: describeOperation(operation, book) }
  }
  return {
    openapi: '3.1.1',
    info: { title: 'svc', version, description: DESCRIPTION, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: baseUrl, description: 'This service' }],
    tags: TAGS,
    paths,
    components: {
      schemas: book.components(),
      responses: refusalComponents(book),
      headers: HEADERS,
      securitySchemes: {
        ...BEARERS,
        sessionCookie: { type: 'apiKey', in: 'cookie', name: cookieName(baseUrl), description: COOKIE },
      },
    },
  }
}

function usesOf({ schema, answers }: Operation): SchemaUse[] {
  const sent = [schema.params, schema.querystring, schema.body].map((part) => ({ part, direction: 'input' as const }))
  const answered = [schema.events, ...answers.map(({ body }) => body)]
  const received = answered.map((part) => ({ part, direction: 'output' as const }))
  return [...sent, ...received].flatMap(({ part, direction }) => {
    const zod = zodPart(part)
    return zod ? [{ schema: zod, direction }] : []
  })
}

function describeOperation(operation: Operation, book: SchemaBook): OperationObject {
  const { operationId, summary, description, tags } = operation.schema
  if (!operationId || !summary || !tags || tags.length === 0) {
    throw new Error(`${operation.method} ${operation.path} needs an operationId, a summary and tags`)
  }
  const parameters = parametersOf(operation, book)
  return {
    operationId,
    summary,
    ...(description && { description }),
    tags,
    security: SECURITY[operation.plane],
    ...(parameters.length > 0 && { parameters }),
    ...requestBodyOf(operation, book),
    responses: responsesOf(operation, book),
  }
}

// An absent body is judged as an empty object, so it may be absent where that is accepted.
function requestBodyOf({ schema }: Operation, book: SchemaBook): Pick<OperationObject, 'requestBody'> {
  const body = zodPart(schema.body)
  if (!body) return {}
  const media = { schema: book.describe({ schema: body, direction: 'input' }), examples: examplesOf(body) }
  return { requestBody: { required: !body.safeParse({}).success, content: { 'application/json': media } } }
}

function bearer(bearerFormat: string, description: string) {
  return { type: 'http', scheme: 'bearer', bearerFormat, description }
}
