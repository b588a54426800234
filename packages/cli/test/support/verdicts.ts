import { DeploymentManifest, type JsonObject } from '@svc/contract'
import { namedFaults, placedSchemas } from '../../../server/src/deployments/rules.ts'
import { parseBody } from '../../../server/src/http/json-body.ts'
import { DEFAULT_LIMITS } from '../../../server/src/limits.ts'
import { schemaProblem } from '../../../server/src/schemas/compile.ts'
import { manifestFaults } from '../../src/project/manifest-faults.ts'

/** The verdicts of both on a capability with this schema for its output, and, where it describes an object, for its input. */
export function verdicts(outputSchema: JsonObject) {
  const capability = { name: 'a', version: '1.0.0', actions: [{ name: 'a', outputSchema }] }
  const manifest = DeploymentManifest.parse({ schemaVersion: 2, capabilities: [capability] })
  return { server: serverVerdict(manifest), tool: manifestFaults(manifest, DEFAULT_LIMITS) }
}

function serverVerdict(manifest: DeploymentManifest): unknown {
  try {
    parseBody(JSON.stringify({ manifest }), DEFAULT_LIMITS)
  } catch (error) {
    return error
  }
  const placed = placedSchemas(manifest.capabilities, DEFAULT_LIMITS)
  return namedFaults(
    placed.map((place) => ({ ...place, problem: place.problem ?? schemaProblem(JSON.parse(place.text)) })),
  )
}
