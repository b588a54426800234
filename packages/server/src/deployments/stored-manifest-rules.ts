import { DeploymentManifest } from '@svc/contract'
import { z } from 'zod'

/**
 * Reads a stored manifest. A replica of a later release may have stored it: fields that are not known here are left out.
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

const Part = z.object({
  endpoint: DeploymentManifest.shape.endpoint,
  reconcile: DeploymentManifest.shape.reconcile,
})

/** Reads the fields that calls need. Validating all of a manifest, of up to a megabyte, takes long. */
export function readStoredManifestPart(text: string): z.infer<typeof Part> {
  return Part.parse(JSON.parse(text))
}

function removeFields(manifest: unknown, path: readonly PropertyKey[], fields: readonly string[]): void {
  const holder = path.reduce((value, step) => Object(value)[step], manifest)
  for (const field of fields) Reflect.deleteProperty(Object(holder), field)
}
