import type { ZodType } from 'zod'
import type { TAGS } from './typed.ts'

interface RouteParts {
  description?: string
  params?: ZodType
  querystring?: ZodType
  body?: ZodType
  events?: ZodType
  response: Readonly<Record<number, ZodType>>
}

/** Makes the schemas of routes that stand in one chapter of the API reference. A summary has no full stop. */
export function chapter(tag: (typeof TAGS)[number]['name']) {
  return <const Parts extends RouteParts>(operationId: string, summary: string, parts: Parts) => ({
    operationId,
    summary,
    tags: [tag],
    ...parts,
  })
}
