import { JsonObject } from '@svc/contract'
import { z } from 'zod'

/** As much of an OpenAPI document as tells one from anything else. */
export const OpenApiDocument = z.looseObject({
  openapi: z.string().regex(/^3\.1\.\d+$/, 'must be a version 3.1.'),
  info: z.looseObject({ title: z.string().min(1), version: z.string().min(1) }),
  paths: z.record(z.string().startsWith('/'), JsonObject),
})
