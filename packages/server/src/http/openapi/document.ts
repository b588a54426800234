import { SECURITY, securitySchemes } from '../planes.ts'
import { isZod, TAGS } from '../typed.ts'
import type { Operation } from './operations.ts'
import { responsesOf, sharedComponents } from './responses.ts'
import { createSchemaBook, type JsonSchema, type SchemaBook } from './schemas.ts'

export type OpenApiDocument = ReturnType<typeof describeApi>

const DESCRIPTION = `The control plane for agent capabilities. Bodies are JSON. A credential goes into \`Authorization: Bearer …\`
and opens its own plane alone. Every answer carries \`x-request-id\`. Lists are paged by cursor: pass \`nextCursor\` on as
\`cursor\`; it is null on the last page.`

/** The OpenAPI document of these operations. Throws where a route lacks an operationId, a summary or tags. */
export function describeApi(
  operations: readonly Operation[],
  { baseUrl, version }: { baseUrl: string; version: string },
) {
  const book = createSchemaBook(operations)
  // Answers first: where a schema's input and output differ, the output gets the plain name of the component.
  const shared = sharedComponents(book)
  const answered = operations.map((operation) => ({ operation, responses: responsesOf(operation, book) }))
  const paths: Record<string, Record<string, ReturnType<typeof describeOperation>>> = {}
  for (const { operation, responses } of answered) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [operation.method]: describeOperation(operation, responses, book) }
  }
  return {
    openapi: '3.1.1',
    info: { title: 'svc', version, description: DESCRIPTION, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: baseUrl, description: 'This service' }],
    tags: TAGS,
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(book.components).sort(([a], [b]) => (a < b ? -1 : 1))),
      ...shared,
      securitySchemes: securitySchemes(baseUrl),
    },
  }
}

function describeOperation(
  { method, path, plane, config, schema }: Operation,
  responses: ReturnType<typeof responsesOf>,
  book: SchemaBook,
) {
  const { operationId, summary, tags, params, querystring, headers, body } = schema
  if (!operationId || !summary || !tags?.length) {
    throw new Error(`${method} ${path} needs an operationId, a summary and tags`)
  }
  const { leastRole } = config
  const role = leastRole && leastRole !== 'viewer' && `Needs the role \`${leastRole}\`.`
  const description = [schema.description, role].filter(Boolean).join(' ') || undefined
  const given = [
    ...parametersIn('path', params, book),
    ...parametersIn('query', querystring, book),
    ...parametersIn('header', headers, book),
  ]
  const parameters = given.length > 0 ? given : undefined
  const content = isZod(body) && { 'application/json': { schema: book.describe(body, 'input') } }
  // An absent body is validated as an empty object.
  const requestBody = content ? { required: !body.safeParse({}).success, content } : undefined
  return { operationId, summary, description, tags, security: SECURITY[plane], parameters, requestBody, responses }
}

function parametersIn(place: 'path' | 'query' | 'header', schema: unknown, book: SchemaBook) {
  const { properties, required }: JsonSchema = isZod(schema) ? book.describe(schema, 'input') : {}
  return Object.entries(Object(properties)).map(([name, property]) => {
    const { description, ...rest }: JsonSchema = Object(property)
    const isRequired = place === 'path' || (Array.isArray(required) && required.includes(name))
    return { name, in: place, required: isRequired, description, schema: rest }
  })
}
