import type { Schemas } from '../../api/client.ts'
import { isRecord } from '../../api/is-record.ts'

type Manifest = Schemas['DeploymentDetail']['manifest']

/** A difference between two manifests: a capability, or another part such as `website`. */
export interface ManifestChange {
  of: 'capability' | 'setting'
  name: string
  kind: 'added' | 'removed' | 'changed'
  /** As JSON text on either side; empty where it is not there. */
  before: string
  after: string
}

/** What leads from one manifest to another: settings, then capabilities, each in the order of their names. */
export function compareManifests(before: Manifest, after: Manifest): ManifestChange[] {
  return [
    ...changes('setting', settingsOf(before), settingsOf(after)),
    ...changes('capability', capabilitiesOf(before), capabilitiesOf(after)),
  ]
}

function changes(of: ManifestChange['of'], old: Texts, fresh: Texts): ManifestChange[] {
  const names = [...new Set([...old.keys(), ...fresh.keys()])].sort()
  return names.flatMap((name): ManifestChange[] => {
    const change = { of, name, before: old.get(name) ?? '', after: fresh.get(name) ?? '' }
    if (change.before === change.after) return []
    return [{ ...change, kind: change.before === '' ? 'added' : change.after === '' ? 'removed' : 'changed' }]
  })
}

type Texts = ReadonlyMap<string, string>

function capabilitiesOf({ capabilities }: Manifest): Texts {
  return new Map(capabilities.map((capability) => [capability.name, textOf(capability)]))
}

function settingsOf({ capabilities: _, ...settings }: Manifest): Texts {
  return new Map(Object.entries(settings).map(([name, setting]) => [name, textOf(setting)]))
}

function textOf(value: unknown): string {
  return JSON.stringify(sorted(value), null, 2)
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
