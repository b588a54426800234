import type { Capability, FieldErrors, JsonObject } from '@svc/contract'
import type { Limits } from '../limits.ts'

type SchemaLimits = Pick<Limits, 'schemaBytes'>

/** A schema of a manifest, with its place in the request. */
interface PlacedSchema {
  /** Dotted path in the body. */
  path: string
  capability: string
  /** The schema as JSON. */
  text: string
  /** A fault that is found without compiling it, or null. */
  problem: string | null
}

export function placedSchemas(capabilities: readonly Capability[], limits: SchemaLimits): PlacedSchema[] {
  return capabilities.flatMap(({ name: capability, actions: [action] }, index) =>
    (['inputSchema', 'outputSchema'] as const).flatMap((field) => {
      const schema = action?.[field]
      if (!schema) return []
      const path = `manifest.capabilities.${index}.actions.0.${field}`
      const text = JSON.stringify(schema)
      const rootProblem = field === 'inputSchema' ? inputRootProblem(schema) : null
      return [{ path, capability, text, problem: sizeProblem(text, limits) ?? rootProblem }]
    }),
  )
}

/** The problems of schemas by path, each with the name of its capability; null where there is none. */
export function namedFaults(placed: readonly Omit<PlacedSchema, 'text'>[]): FieldErrors | null {
  const faults: FieldErrors = {}
  for (const { path, capability, problem } of placed) {
    if (problem !== null) faults[path] = [`of “${capability}” ${problem}`]
  }
  return Object.keys(faults).length > 0 ? faults : null
}

function sizeProblem(text: string, { schemaBytes }: SchemaLimits): string | null {
  const bytes = Buffer.byteLength(text)
  return bytes > schemaBytes ? `has ${bytes} bytes, at most ${schemaBytes} are accepted.` : null
}

/** The fault of a schema that cannot describe a capability's input, which is always an object; null for others. */
export function inputRootProblem(schema: JsonObject): string | null {
  const type = schema['type']
  if (type === undefined || type === 'object') return null
  return 'must describe an object at its root (type: object): capability input is a JSON object.'
}
