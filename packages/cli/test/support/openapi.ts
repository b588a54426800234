import { createConfig, lintFromString } from '@redocly/openapi-core'
import { type GeneratorContext, isJsonObject, JsonObject } from '@svc/contract'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { z } from 'zod'
import { openapiGenerator } from '../../src/generate/built-in/openapi-generator.ts'

/** What tests read of the document. */
export const OpenApi = z.looseObject({
  openapi: z.string(),
  info: JsonObject,
  servers: z.array(z.looseObject({ url: z.string() })),
  paths: z.record(
    z.string(),
    z.strictObject({
      post: z.looseObject({
        operationId: z.string(),
        summary: z.string(),
        description: z.string(),
        tags: z.array(z.string()),
        deprecated: z.boolean().optional(),
        requestBody: z.object({ required: z.boolean(), content: JsonObject }),
        responses: z.record(z.string(), JsonObject),
      }),
    }),
  ),
  components: z.object({
    schemas: z.record(z.string(), JsonObject),
    responses: z.record(z.string(), z.looseObject({ headers: JsonObject })),
    headers: z.record(z.string(), JsonObject),
  }),
})
export type OpenApi = z.infer<typeof OpenApi>

/** The document that the generator writes. */
export async function writtenOpenApi(context: GeneratorContext): Promise<OpenApi> {
  const [file] = await openapiGenerator.generate(context)
  if (file?.path !== 'openapi.json') throw new Error('no openapi.json was written')
  return OpenApi.parse(JSON.parse(file.contents))
}

/** What a linter finds. `spec` are the rules of OpenAPI itself, `recommended` those of good manners, too. */
export async function findings(document: object, rules: 'spec' | 'recommended'): Promise<string[]> {
  const config = await createConfig({ extends: [rules], telemetry: 'off' })
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: '/openapi.json', config })
  return problems.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`)
}

/** A check of values by the schema at a place of the document, as the control plane runs such checks. */
export function validators(document: OpenApi): (pointer: string) => ValidateFunction {
  const ajv = new Ajv2020({
    strict: false,
    ownProperties: true,
    strictNumbers: true,
    allErrors: true,
    addUsedSchema: false,
  })
  addFormats.default(ajv)
  // Below $defs, so that nothing but what is referred to is read as a schema.
  ajv.addSchema({ $id: 'openapi', $defs: {}, ...document })
  const compiled = new Map<string, ValidateFunction>()
  return (pointer) => {
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi#${pointer}` })
    compiled.set(pointer, validate)
    return validate
  }
}

/** A copy in which no described object takes a field that is not described. */
export function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (!isJsonObject(value)) return value
  const copy = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, closed(member)]))
  const isOpen = value['type'] === 'object' && isJsonObject(value['properties']) && !('additionalProperties' in value)
  return isOpen ? { ...copy, additionalProperties: false } : copy
}

export function escapePart(pointerPart: string): string {
  return encodeURIComponent(pointerPart.replace(/~/g, '~0').replace(/\//g, '~1'))
}
