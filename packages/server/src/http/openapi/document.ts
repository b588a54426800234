import { ErrorBody } from '@svc/contract'
import type { Plane } from '../planes.ts'
import { cookieName } from '../session-cookie.ts'
import { isZod, type Operation } from './operations.ts'
import { responsesOf, sharedAnswers } from './responses.ts'
import { createSchemaBook, type JsonSchema, type SchemaBook } from './schemas.ts'

export type OpenApiDocument = ReturnType<typeof describeApi>

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

const SECURITY: Readonly<Record<Plane, readonly Record<string, readonly string[]>[]>> = {
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
) {
  const book = createSchemaBook({
    sent: operations.flatMap(({ schema }) => [schema.params, schema.querystring, schema.body]).filter(isZod),
    answered: [
      ErrorBody,
      ...operations.flatMap(({ schema, answers }) => [schema.events, ...Object.values(answers)]),
    ].filter(isZod),
  })
  const paths: Record<string, Record<string, ReturnType<typeof describeOperation>>> = {}
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [operation.method]: describeOperation(operation, book) }
  }
  const cookie = { type: 'apiKey', in: 'cookie', name: cookieName(baseUrl), description: COOKIE }
  return {
    openapi: '3.1.1',
    info: { title: 'svc', version, description: DESCRIPTION, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: baseUrl, description: 'This service' }],
    tags: TAGS,
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(book.components).sort(([a], [b]) => (a < b ? -1 : 1))),
      ...sharedAnswers(book),
      securitySchemes: { ...BEARERS, sessionCookie: cookie },
    },
  }
}

function describeOperation(operation: Operation, book: SchemaBook) {
  const { operationId, summary, description, tags, params, querystring, body } = operation.schema
  if (!operationId || !summary || !tags || tags.length === 0) {
    throw new Error(`${operation.method} ${operation.path} needs an operationId, a summary and tags`)
  }
  const parameters = [...parametersIn('path', params, book), ...parametersIn('query', querystring, book)]
  return {
    operationId,
    summary,
    ...(description && { description }),
    tags,
    security: SECURITY[operation.plane],
    ...(parameters.length > 0 && { parameters }),
    ...(isZod(body) && {
      requestBody: {
        // An absent body is judged as an empty object, so it may be absent where that is accepted.
        required: !body.safeParse({}).success,
        content: { 'application/json': { schema: book.describe(body, 'input') } },
      },
    }),
    responses: responsesOf(operation, book),
  }
}

function parametersIn(place: 'path' | 'query', schema: unknown, book: SchemaBook) {
  const { properties = {}, required }: JsonSchema = isZod(schema) ? book.describe(schema, 'input') : {}
  return Object.entries(Object(properties) as Record<string, JsonSchema>).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: place === 'path' || (Array.isArray(required) && required.includes(name)),
    description,
    schema: rest,
  }))
}

function bearer(bearerFormat: string, description: string) {
  return { type: 'http', scheme: 'bearer', bearerFormat, description }
}
