import type { Capability, DeploymentManifest, FieldErrors, JsonObject } from '@svc/contract'
import type { DeploymentLimits } from './deployment-limits.ts'
import { jsonBytes, jsonExtent } from './schemas/json-extent.ts'
import { schemaFaults } from './schemas/schema-faults.ts'
import { textFault } from './schemas/text-fault.ts'

type Fault = readonly [field: string, problem: string]

/** Levels of the request that a schema stands in: body, manifest, capabilities, capability, actions, action. */
const LEVELS_AROUND_SCHEMA = 6

const SPLIT = 'split the project into two runtimes.'

/** What a control plane refuses of a manifest beyond its shape, by field: its extent, and what its schemas ask for. */
export function manifestFaults(manifest: DeploymentManifest, limits: DeploymentLimits): FieldErrors {
  const whole = countFault(manifest.capabilities.length, limits) ?? textFault(manifest, [])
  if (whole) return { [whole[0]]: [whole[1]] }
  const each = manifest.capabilities.flatMap((capability, index) => capabilityFaults(capability, index, limits))
  const extent = each.length === 0 ? extentFault(manifest, limits) : null
  return byField(extent === null ? each : [extent])
}

function capabilityFaults(capability: Capability, index: number, limits: DeploymentLimits): Fault[] {
  const place = `capabilities.${index}`
  const action = capability.actions[0]
  return (['inputSchema', 'outputSchema'] as const).flatMap((field): Fault[] => {
    const schema = action?.[field]
    if (schema === undefined) return []
    const root = `${place}.actions.0.${field}`
    const problem = sizeProblem(schema, limits) ?? (field === 'inputSchema' ? inputRootProblem(schema) : null)
    if (problem !== null) return [[root, problem]]
    return schemaFaults(schema).map(([at, fault]) => [at === '' ? root : `${root}.${at}`, fault])
  })
}

function sizeProblem(schema: JsonObject, { jsonDepth, schemaBytes }: DeploymentLimits): string | null {
  const levels = jsonDepth - LEVELS_AROUND_SCHEMA
  const { depth } = jsonExtent(schema)
  if (depth > levels) return `is nested ${depth} levels deep, at most ${levels} are accepted: flatten it.`
  const bytes = jsonBytes(schema)
  if (bytes <= schemaBytes) return null
  return `has ${bytes} bytes as JSON Schema, at most ${schemaBytes} are accepted: shorten texts and lists of values.`
}

function inputRootProblem({ type }: JsonObject): string | null {
  if (type === undefined || type === 'object') return null
  return 'must describe an object at its root (type: object): the input of a capability is a JSON object.'
}

function countFault(count: number, { capabilities }: DeploymentLimits): Fault | null {
  if (count <= capabilities) return null
  return ['capabilities', `are ${count}, at most ${capabilities} are accepted: ${SPLIT}`]
}

function extentFault(manifest: DeploymentManifest, limits: DeploymentLimits): Fault | null {
  const bytes = jsonBytes({ manifest })
  if (bytes > limits.bodyBytes)
    return ['manifest', `has ${bytes} bytes, at most ${limits.bodyBytes} are accepted: ${SPLIT}`]
  const { values } = jsonExtent({ manifest })
  if (values <= limits.jsonValues) return null
  return ['manifest', `holds ${values} values, at most ${limits.jsonValues} are accepted: ${SPLIT}`]
}

function byField(faults: readonly Fault[]): FieldErrors {
  const grouped = new Map<string, string[]>()
  for (const [field, problem] of faults) grouped.set(field, [...(grouped.get(field) ?? []), problem])
  return Object.fromEntries(grouped)
}
