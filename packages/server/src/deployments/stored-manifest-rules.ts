import { DeploymentManifest } from '@svc/contract'
import { z } from 'zod'

/**
 * Reads a stored manifest. A later release may have stored it, before an upgrade of this replica or beside it: fields that are
 * not known here are left out.
 */
export function readStoredManifest(text: string): DeploymentManifest {
  const stored: unknown = JSON.parse(text)
  const parsed = DeploymentManifest.safeParse(stored)
  if (parsed.success) return parsed.data
  for (const issue of parsed.error.issues) {
    if (issue.code === 'unrecognized_keys') removeFields(stored, issue.path, issue.keys)
  }
  return DeploymentManifest.parse(stored)
}

const WithEndpoint = z.object({ endpoint: DeploymentManifest.shape.endpoint })

/** The endpoint alone of a stored manifest, of up to a megabyte. */
export function readStoredEndpoint(text: string): DeploymentManifest['endpoint'] {
  return WithEndpoint.parse(JSON.parse(text)).endpoint
}

function removeFields(manifest: unknown, path: readonly PropertyKey[], fields: readonly string[]): void {
  const holder = path.reduce((value, step) => Object(value)[step], manifest)
  for (const field of fields) Reflect.deleteProperty(Object(holder), field)
}
