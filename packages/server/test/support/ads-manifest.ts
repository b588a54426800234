import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { z } from 'zod'

const SPECIFICATION = new URL('../../../contract/test/ads-manifest-0.3.0.schema.json', import.meta.url)

/** What tests read of a manifest; its whole shape is the specification's business. */
export const Published = z.looseObject({
  id: z.string(),
  capabilities: z.array(
    z.looseObject({
      name: z.string(),
      invocationName: z.string(),
      endpoint: z.object({ transport: z.string(), address: z.string(), auth: z.string() }),
    }),
  ),
})

const ajv = new Ajv2020({ allErrors: true, strict: false })
addFormats.default(ajv)
const validate = ajv.compile(z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(SPECIFICATION, 'utf8'))))

/** The faults of a document by the Agent Discovery Specification's own schema. */
export function manifestFaults(document: unknown): string[] {
  if (validate(document)) return []
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}
