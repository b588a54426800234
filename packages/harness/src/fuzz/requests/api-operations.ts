import { composeExample } from '@svc/testkit'
import { z } from 'zod'

/** Which credential an operation asks for. */
export type Plane = 'public' | 'publicKey' | 'deployKey' | 'accountKey'

/** One operation of the live description, with what a request to it is made of. */
export interface ApiOperation {
  operationId: string
  /** In capitals. */
  method: string
  /** With its parameters in braces. */
  path: string
  plane: Plane
  pathParameters: readonly string[]
  queryParameters: readonly string[]
  /** A body as it is documented; undefined where it takes none. */
  example: unknown
}

const Operation = z.object({
  operationId: z.string(),
  security: z.array(z.record(z.string(), z.unknown())).default([]),
  parameters: z.array(z.object({ in: z.string(), name: z.string() })).default([]),
  requestBody: z
    .object({
      content: z.object({ 'application/json': z.object({ schema: z.unknown() }) }),
    })
    .optional(),
})

const Document = z.object({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
})

const PLANES = z.enum(['publicKey', 'deployKey', 'accountKey'])

/** Every operation of an OpenAPI document. */
export function readOperations(document: unknown): ApiOperation[] {
  const { paths, components } = Document.parse(document)
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const named = (place: string) => operation.parameters.filter((one) => one.in === place).map(({ name }) => name)
      const [scheme] = Object.keys(operation.security[0] ?? {})
      return {
        operationId: operation.operationId,
        method: method.toUpperCase(),
        path,
        plane: scheme === undefined ? 'public' : PLANES.parse(scheme),
        pathParameters: named('path'),
        queryParameters: named('query'),
        example:
          operation.requestBody &&
          composeExample(operation.requestBody.content['application/json'].schema, components.schemas),
      } as const
    }),
  )
}
