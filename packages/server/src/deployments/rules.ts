import type { Capability, FieldErrors, JsonObject } from '@svc/contract'
import type { Limits } from '../limits.ts'
import { perHour, type Taken, take } from '../usage/token-bucket.js'

type ManifestLimits = Pick<Limits, 'capabilities' | 'schemaBytes'>

/** A schema of a manifest, and where it stands. */
export interface PlacedSchema {
  /** Dotted. */
  path: string
  capability: string
  /** The schema as JSON. */
  text: string
  /** What is wrong with it on its face; null where only judging it can tell. */
  problem: string | null
}

/** What is wrong with the number of a manifest's capabilities, or null. */
export function countFault(capabilities: readonly Capability[], limits: ManifestLimits): FieldErrors | null {
  if (capabilities.length <= limits.capabilities) return null
  const message = `holds ${capabilities.length} capabilities, at most ${limits.capabilities} are accepted.`
  return { 'manifest.capabilities': [message] }
}

/** Every schema of these capabilities. */
export function placedSchemas(capabilities: readonly Capability[], limits: ManifestLimits): PlacedSchema[] {
  return capabilities.flatMap(({ name: capability, actions: [action] }, index) =>
    (['inputSchema', 'outputSchema'] as const).flatMap((field) => {
      const schema = action?.[field]
      if (!schema) return []
      const path = `manifest.capabilities.${index}.actions.0.${field}`
      const text = JSON.stringify(schema)
      return [{ path, capability, text, problem: sizeProblem(text, limits) ?? rootProblem(schema, field) }]
    }),
  )
}

/** The schemas that have a problem, each named with its capability; null where there is none. */
export function namedFaults(placed: readonly Omit<PlacedSchema, 'text'>[]): FieldErrors | null {
  const faults: FieldErrors = {}
  for (const { path, capability, problem } of placed) {
    if (problem !== null) faults[path] = [`of “${capability}” ${problem}`]
  }
  return Object.keys(faults).length > 0 ? faults : null
}

function sizeProblem(text: string, { schemaBytes }: ManifestLimits): string | null {
  const bytes = Buffer.byteLength(text)
  return bytes > schemaBytes ? `has ${bytes} bytes, at most ${schemaBytes} are accepted.` : null
}

function rootProblem(schema: JsonObject, field: 'inputSchema' | 'outputSchema'): string | null {
  return field === 'inputSchema' ? inputRootProblem(schema) : null
}

/** Takes one of the deployments that a runtime may make in an hour; `fullAt` is its bucket. */
export function takeDeployment(fullAt: number, deploymentsPerHour: number, now: number): Taken {
  return take(fullAt, perHour(deploymentsPerHour, deploymentsPerHour), now)
}

/** Why a schema cannot describe a capability's input, which is always an object; null when it can. */
export function inputRootProblem(schema: JsonObject): string | null {
  const type = schema['type']
  if (type === undefined || type === 'object') return null
  return 'must describe an object at its root (type: object): capability input is a JSON object.'
}
