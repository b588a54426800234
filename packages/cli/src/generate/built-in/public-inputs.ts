import type { GeneratorContext, JsonObject } from '@svc/contract'

/** What a document of the runtime’s public face depends on. The registered name stands in where there is no website. */
export function publicInputs({ manifest, runtimeId, runtimeName, baseUrl, cliVersion }: GeneratorContext): JsonObject {
  return {
    capabilities: manifest.capabilities,
    website: manifest.website ?? null,
    adp: manifest.adp ?? null,
    runtimeId,
    runtimeName: manifest.website ? null : runtimeName,
    baseUrl,
    cliVersion,
  }
}
