import { arrow, type CompareBudget, canonical, compareSchemas, isJson, ValueIds } from './compare-schemas.ts'

type Json = Readonly<Record<string, unknown>>

/** A deployment as it is compared: its manifest, with the endpoint that is in force. */
export interface DeploymentView {
  readonly capabilities: readonly ComparedCapability[]
  readonly endpoint?: string | null | undefined
}

interface ComparedCapability {
  readonly name: string
  readonly version: string
  readonly deprecated?: boolean | undefined
  readonly removalNotBefore?: string | undefined
  readonly effect?: string | undefined
  readonly confirm?: boolean | undefined
  readonly preview?: boolean | undefined
  readonly actions?: readonly object[] | undefined
}

/** One difference between two deployments; {@link changeSentence} puts it into words. */
export interface DeploymentChange {
  of: 'capability' | 'setting'
  /** The capability’s name, or the setting’s, dotted: `website.url`. */
  name: string
  kind: 'added' | 'removed' | 'changed'
  /** Whether callers of the former deployment may fail with the later one. */
  breaking: boolean
  /** `added`, `removed`, or what changed: `party.size maximum 20 → 12`. */
  text: string
}

const MAX_CHANGES = 500
const MAX_STEPS = 200_000

// They say what made a deployment, not what it serves.
const NOT_SERVED = new Set(['schemaVersion', 'capabilities', 'runtime', 'metadata'])

/**
 * The changes that lead from one deployment to another, at most 500 differences: settings, then capabilities in the order of the
 * later one, then those that are gone. Empty where both serve the same. An endpoint that the later one leaves out stays.
 */
export function compareDeployments(before: DeploymentView, after: DeploymentView): DeploymentChange[] {
  const changes = [...settingChanges(before, after), ...capabilityChanges(before, after)]
  return changes.slice(0, MAX_CHANGES)
}

/** The warning about a deployment whose runtime has no endpoint. */
export const NO_ENDPOINT_WARNING =
  'The runtime has no endpoint: its capabilities cannot be called, and the broker answers 404. ' +
  'Set endpoint in svc.config.ts and deploy again, or give the runtime one.'

/** `book-table: party.size maximum 20 → 12, breaking`. */
export function changeSentence({ of, name, text, breaking }: DeploymentChange): string {
  return `${of === 'setting' && name === 'reconcile' ? 'effect store' : name}: ${text}${breaking ? ', breaking' : ''}`
}

/** The warnings about capabilities that the later deployment leaves out unannounced. */
export function removalWarnings(before: DeploymentView, after: DeploymentView): string[] {
  const kept = new Set(after.capabilities.map(({ name }) => name))
  return before.capabilities
    .filter(({ name }) => !kept.has(name))
    .flatMap((capability) => removalWarning(capability) ?? [])
}

function removalWarning({ name, version, deprecated, removalNotBefore }: ComparedCapability): string | null {
  if (!deprecated) {
    return (
      `“${name}” is removed without having been deprecated: callers that stored its address get 404. ` +
      'Deploy it with deprecated: true first, and remove it later.'
    )
  }
  if (removalNotBefore === undefined || compareVersions(version, removalNotBefore) >= 0) return null
  return (
    `“${name}” is removed at version ${version}, although it was announced to stay until ${removalNotBefore}: ` +
    'callers that rely on that get 404.'
  )
}

function settingChanges(before: object, after: object): DeploymentChange[] {
  const [old, fresh] = [flatten(before), flatten(after)]
  if (!fresh.has('endpoint')) old.delete('endpoint')
  return [...new Set([...fresh.keys(), ...old.keys()])].flatMap((name): DeploymentChange[] => {
    const [was, is] = [old.get(name), fresh.get(name)]
    if (canonical(was) === canonical(is)) return []
    const kind = was === undefined ? 'added' : is === undefined ? 'removed' : 'changed'
    return [{ of: 'setting', name, kind, breaking: false, text: arrow('', was, is).trim() }]
  })
}

function flatten(view: object, within = ''): Map<string, unknown> {
  const entries = Object.entries(view).filter(([name, value]) => (within || !NOT_SERVED.has(name)) && value != null)
  return new Map(
    entries.flatMap(([name, value]: [string, unknown]): [string, unknown][] =>
      isJson(value) ? [...flatten(value, `${within}${name}.`)] : [[`${within}${name}`, value]],
    ),
  )
}

function capabilityChanges(before: DeploymentView, after: DeploymentView): DeploymentChange[] {
  const old = new Map(before.capabilities.map((capability) => [capability.name, capability]))
  const kept = new Set(after.capabilities.map(({ name }) => name))
  const budget = { steps: MAX_STEPS, ids: new ValueIds() }
  let found = 0
  const changed = after.capabilities.flatMap((capability): DeploymentChange[] => {
    const { name } = capability
    if (found >= MAX_CHANGES) return []
    const was = old.get(name)
    if (was === undefined) return [{ of: 'capability', name, kind: 'added', breaking: false, text: 'added' }]
    const changes = compareCapability(was, capability, budget)
    found += changes.length
    return changes.map((change) => ({ of: 'capability', name, kind: 'changed', ...change }))
  })
  const removed = before.capabilities
    .filter(({ name }) => !kept.has(name))
    .map(({ name }) => ({ of: 'capability', name, kind: 'removed', breaking: true, text: 'removed' }) as const)
  return [...changed, ...removed]
}

type TextChange = Pick<DeploymentChange, 'text' | 'breaking'>

/** Callers that do without are refused once these are set. */
const BREAKING_WHEN_SET = ['requiresEndUser', 'confirm']

function compareCapability(before: ComparedCapability, after: ComparedCapability, budget: CompareBudget): TextChange[] {
  const [{ actions: oldActions, ...old }, { actions: freshActions, ...fresh }] = [
    withDefaults(before),
    withDefaults(after),
  ]
  const { inputSchema: oldInput, outputSchema: oldOutput, ...oldAction } = firstOf(oldActions)
  const { inputSchema: freshInput, outputSchema: freshOutput, ...freshAction } = firstOf(freshActions)
  return [
    ...fieldChanges(old, fresh),
    ...fieldChanges(oldAction, freshAction).map(({ text, breaking }) => ({ text: `action ${text}`, breaking })),
    ...schemaChanges(oldInput, freshInput, { direction: 'input', budget }),
    ...schemaChanges(oldOutput, freshOutput, { direction: 'output', budget }),
  ]
}

// A field left out equals its default. Browsers load this file: it imports no schema.
function withDefaults(capability: ComparedCapability) {
  return { effect: 'write', confirm: false, preview: false, ...capability }
}

function firstOf(actions: readonly object[] | undefined): Json {
  return { ...actions?.[0] }
}

function fieldChanges(before: Json, after: Json): TextChange[] {
  return [...new Set([...Object.keys(after), ...Object.keys(before)])].flatMap((name) => {
    const [old, fresh] = [before[name], after[name]]
    if (canonical(old) === canonical(fresh)) return []
    return [{ text: arrow(name, old, fresh), breaking: fresh === true && BREAKING_WHEN_SET.includes(name) }]
  })
}

type SchemaOptions = Parameters<typeof compareSchemas>[2]

function schemaChanges(before: unknown, after: unknown, options: SchemaOptions): TextChange[] {
  const { direction } = options
  if (!isJson(before) && !isJson(after)) return []
  // Input is an object, whether or not its schema says so.
  const root = direction === 'input' ? { type: 'object' } : {}
  const changes = compareSchemas({ ...root, ...toJson(before) }, { ...root, ...toJson(after) }, options)
  if (!isJson(after)) return [{ text: `${direction} schema removed`, breaking: direction === 'output' }]
  if (!isJson(before)) {
    const breaking = direction === 'input' && changes.some((change) => change.breaking)
    return [{ text: `${direction} schema added`, breaking }]
  }
  return direction === 'input' ? changes : changes.map(({ text, breaking }) => ({ text: `output ${text}`, breaking }))
}

function toJson(value: unknown): Json {
  return isJson(value) ? value : {}
}

/** Below, at or above zero, after the order of Semantic Versioning. */
function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((version) => /^([\d.]+)(?:-([^+]*))?/.exec(version))
  const numbers = compareLists((a?.[1] ?? '').split('.'), (b?.[1] ?? '').split('.'))
  if (numbers !== 0) return numbers
  const [before, after] = [a?.[2], b?.[2]]
  if (before === undefined || after === undefined) return Number(before === undefined) - Number(after === undefined)
  return compareLists(before.split('.'), after.split('.'))
}

function compareLists(one: readonly string[], other: readonly string[]): number {
  for (const [index, a] of one.entries()) {
    const b = other[index]
    if (b === undefined) return 1
    if (a !== b) return compareIdentifiers(a, b)
  }
  return one.length - other.length
}

// Numbers come before words.
function compareIdentifiers(a: string, b: string): number {
  const [isNumber, isOther] = [/^\d+$/.test(a), /^\d+$/.test(b)]
  if (isNumber && isOther) return Number(a) - Number(b)
  if (isNumber !== isOther) return isNumber ? -1 : 1
  return a < b ? -1 : 1
}
