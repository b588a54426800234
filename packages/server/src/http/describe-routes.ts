import type { ZodType } from 'zod'
import type { TAGS } from './typed.ts'

interface RouteParts {
  description?: string
  params?: ZodType
  querystring?: ZodType
  headers?: ZodType
  body?: ZodType
  events?: ZodType
  response: Readonly<Record<number, ZodType>>
}

/** Makes the `schema` of routes under one tag of the API reference. A summary has no full stop. */
export function describeRoutes(tag: (typeof TAGS)[number]['name']) {
  return <const Parts extends RouteParts>(operationId: string, summary: string, parts: Parts) => ({
    operationId,
    summary,
    tags: [tag],
    ...parts,
  })
}
