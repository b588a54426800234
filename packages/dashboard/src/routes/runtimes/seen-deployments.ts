import type { Schemas } from '../../api/client.ts'
import { type ComparedManifest, comparedOf, parseManifest } from './compare-manifests.ts'

/** A deployment as this browser saw it published. The API tells of the serving one alone. */
export interface SeenDeployment {
  version: number
  deployedAt: string
  manifest: ComparedManifest
}

const MOST = 20
const keyOf = (runtimeId: string) => `svc-deployments:${runtimeId}`

/** Newest first. */
export function readSeen(runtimeId: string): SeenDeployment[] {
  return parseSeen(localStorage.getItem(keyOf(runtimeId)) ?? '[]')
}

/** With what is published now, where it is the manifest of this very deployment. */
export function withPublished(
  seen: readonly SeenDeployment[],
  deployment: NonNullable<Schemas['RuntimeDetail']['deployment']>,
  manifest: Schemas['DiscoveryManifest'],
): readonly SeenDeployment[] {
  // One that was asked for a moment before a new deployment belongs to the one before.
  if (manifest.lastUpdated !== deployment.deployedAt) return seen
  const others = seen.filter(({ version }) => version !== deployment.version)
  return [{ ...deployment, manifest: comparedOf(manifest) }, ...others]
    .sort((one, other) => other.version - one.version)
    .slice(0, MOST)
}

export function keepSeen(runtimeId: string, seen: readonly SeenDeployment[]): void {
  try {
    localStorage.setItem(keyOf(runtimeId), JSON.stringify(seen))
  } catch {
    // Full: what is remembered is a convenience.
  }
}

/** Reads what was kept; what is not in its form, by an older version perhaps, is left out. */
export function parseSeen(text: string): SeenDeployment[] {
  try {
    const stored: unknown = JSON.parse(text)
    return Array.isArray(stored) ? stored.flatMap(toSeen) : []
  } catch {
    return []
  }
}

function toSeen(value: unknown): SeenDeployment[] {
  if (typeof value !== 'object' || value === null) return []
  if (!('version' in value && 'deployedAt' in value && 'manifest' in value)) return []
  const { version, deployedAt } = value
  const manifest = parseManifest(JSON.stringify(value.manifest))
  if (typeof version !== 'number' || typeof deployedAt !== 'string' || !manifest) return []
  return [{ version, deployedAt, manifest }]
}
