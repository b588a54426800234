import { DeploymentManifest, type DeploymentManifestInput, type GeneratorContext } from '@svc/contract'

export const RUNTIME_ID = 'rt_exampleShop'

/** What a generator is given for a project that deploys this. */
export function generatorContext(
  manifest: Partial<DeploymentManifestInput>,
  fields: Partial<GeneratorContext> = {},
): GeneratorContext {
  const parsed = DeploymentManifest.parse({ schemaVersion: 2, capabilities: [], ...manifest })
  return {
    capabilities: parsed.capabilities,
    manifest: parsed,
    runtimeId: RUNTIME_ID,
    runtimeName: null,
    baseUrl: 'https://svc.test',
    cliVersion: '0.0.0-test',
    sdkVersion: null,
    ...fields,
  }
}
