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
  /** The documented body; undefined where it takes none. */
  example: unknown
}

const Operation = z.object({
  operationId: z.string(),
  security: z.array(z.record(z.string(), z.unknown())).default([]),
  parameters: z.array(z.object({ in: z.string(), name: z.string() })).default([]),
  requestBody: z
    .object({
      content: z.record(z.string(), z.object({ examples: z.record(z.string(), z.object({ value: z.unknown() })) })),
    })
    .optional(),
})

const Document = z.object({ paths: z.record(z.string(), z.record(z.string(), Operation)) })

const PLANES = z.enum(['publicKey', 'deployKey', 'accountKey'])

/** Every operation of an OpenAPI document. Throws where one takes a body and shows no example of it. */
export function readOperations(document: unknown): ApiOperation[] {
  return Object.entries(Document.parse(document).paths).flatMap(([path, methods]) =>
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
        example: exampleOf(operation),
      } as const
    }),
  )
}

function exampleOf({ operationId, requestBody }: z.infer<typeof Operation>): unknown {
  if (requestBody === undefined) return undefined
  const [content] = Object.values(requestBody.content)
  const [example] = Object.values(content?.examples ?? {})
  if (example === undefined) throw new Error(`${operationId} takes a body and has no example of it: give it one`)
  return example.value
}
