import { DEPLOYMENT_LIMITS } from '@svc/contract'
import type { Environment } from '../deps.ts'
import { projectFailure } from '../failures.ts'

export type DeploymentLimits = { readonly [Name in keyof typeof DEPLOYMENT_LIMITS]: number }

/**
 * What the control plane accepts of a deployment. An operator who set another limit there sets the same variable here,
 * such as `SVC_LIMIT_CAPABILITIES`.
 */
export function deploymentLimits(env: Environment): DeploymentLimits {
  const { bodyBytes, jsonDepth, jsonValues, capabilities, schemaBytes } = DEPLOYMENT_LIMITS
  return {
    bodyBytes: limit(env, 'SVC_LIMIT_BODY_BYTES', bodyBytes),
    jsonDepth: limit(env, 'SVC_LIMIT_JSON_DEPTH', jsonDepth),
    jsonValues: limit(env, 'SVC_LIMIT_JSON_VALUES', jsonValues),
    capabilities: limit(env, 'SVC_LIMIT_CAPABILITIES', capabilities),
    schemaBytes: limit(env, 'SVC_LIMIT_SCHEMA_BYTES', schemaBytes),
  }
}

function limit(env: Environment, name: string, usual: number): number {
  const text = env[name]
  if (text === undefined || text === '') return usual
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw projectFailure(`${name} must be a whole number above 0.`, [
    `Set it as the control plane has it, or leave it out for the usual ${usual}.`,
  ])
}
