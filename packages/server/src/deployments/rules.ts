import type { Capability, FieldErrors, JsonObject } from '@svc/contract'
import { jsonBytes } from '../json-bytes.ts'
import type { Limits } from '../limits.ts'
import { compileSchema, inputRootProblem } from './json-schema.ts'

/** How long the schemas of one manifest may take to compile, all together. */
const MANIFEST_MS = 2_000

type ManifestLimits = Pick<Limits, 'capabilities' | 'schemaBytes'>

/** What is wrong with a manifest's capabilities beyond their shape: their number, and each schema. Null when nothing is. */
export function manifestFaults(capabilities: readonly Capability[], limits: ManifestLimits): FieldErrors | null {
  if (capabilities.length > limits.capabilities) {
    const message = `holds ${capabilities.length} capabilities, at most ${limits.capabilities} are accepted.`
    return { 'manifest.capabilities': [message] }
  }
  const faults: FieldErrors = {}
  const endsAt = performance.now() + MANIFEST_MS
  for (const [index, capability] of capabilities.entries()) {
    const action = capability.actions[0]
    for (const field of ['inputSchema', 'outputSchema'] as const) {
      const schema = action?.[field]
      const problem = schema && schemaProblem(schema, { isInput: field === 'inputSchema', limits, endsAt })
      if (!problem) continue
      faults[`manifest.capabilities.${index}.actions.0.${field}`] = [`of “${capability.name}” ${problem}`]
    }
  }
  return Object.keys(faults).length > 0 ? faults : null
}

/** What an owner should hear of a deployment that was accepted: capabilities that went without notice. */
export function removalWarnings(before: readonly Capability[], after: readonly Capability[]): string[] {
  const kept = new Set(after.map(({ name }) => name))
  return before
    .filter(({ name, deprecated }) => !kept.has(name) && !deprecated)
    .map(
      ({ name }) =>
        `“${name}” was removed without having been deprecated: whoever stored its address now gets 404. ` +
        'Deploy it with deprecated: true first, and remove it later.',
    )
}

interface Judgement {
  isInput: boolean
  limits: ManifestLimits
  /** On the clock of `performance.now()`. */
  endsAt: number
}

function schemaProblem(schema: JsonObject, { isInput, limits, endsAt }: Judgement): string | null {
  const bytes = jsonBytes(schema)
  if (bytes > limits.schemaBytes) return `has ${bytes} bytes, at most ${limits.schemaBytes} are accepted.`
  const rootProblem = isInput ? inputRootProblem(schema) : null
  if (rootProblem) return rootProblem
  const leftMs = endsAt - performance.now()
  if (leftMs <= 0) return 'was not reached: the schemas of this manifest take too long to check. Make them smaller.'
  const compiled = compileSchema(schema, leftMs)
  return compiled.ok ? null : compiled.problem
}
