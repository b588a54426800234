import type { Schemas } from '../../api/client.ts'

/** As much of a manifest as two are compared by. */
export interface ComparedManifest {
  capabilities: readonly (Readonly<Record<string, unknown>> & { name: string })[]
}

export interface CapabilityChange {
  name: string
  kind: 'added' | 'removed' | 'changed'
  /** The capability as JSON text on either side; empty where it is not there. */
  before: string
  after: string
}

/** What leads from one manifest to another, by capability, in the order of their names. Equal ones are left out. */
export function compareManifests(before: ComparedManifest, after: ComparedManifest): CapabilityChange[] {
  const [old, fresh] = [textsByName(before), textsByName(after)]
  const names = [...new Set([...old.keys(), ...fresh.keys()])].sort()
  return names.flatMap((name): CapabilityChange[] => {
    const change = { name, before: old.get(name) ?? '', after: fresh.get(name) ?? '' }
    if (change.before === change.after) return []
    return [{ ...change, kind: change.before === '' ? 'added' : change.after === '' ? 'removed' : 'changed' }]
  })
}

/** Reads a manifest from a file: the published one, or the list that `svc deploy` generates. Null where it is neither. */
export function parseManifest(text: string): ComparedManifest | null {
  try {
    const value: unknown = JSON.parse(text)
    const list = Array.isArray(value) ? value : isRecord(value) ? value['capabilities'] : null
    if (!Array.isArray(list)) return null
    const capabilities = list.filter(isNamed)
    return capabilities.length === list.length ? { capabilities } : null
  } catch {
    return null
  }
}

export function comparedOf(manifest: Schemas['DiscoveryManifest']): ComparedManifest {
  return { capabilities: manifest.capabilities }
}

function textsByName({ capabilities }: ComparedManifest): Map<string, string> {
  return new Map(
    capabilities.map((capability) => {
      // The address is the same for all that a runtime ever published.
      const { endpoint: _, ...described } = capability
      // A published one carries the namespace in its name; by this one it is called.
      const { invocationName } = capability
      const name = typeof invocationName === 'string' ? invocationName : capability.name
      return [name, JSON.stringify(sorted(described), null, 2)]
    }),
  )
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  )
}

function isNamed(value: unknown): value is ComparedManifest['capabilities'][number] {
  return isRecord(value) && typeof value['name'] === 'string'
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
