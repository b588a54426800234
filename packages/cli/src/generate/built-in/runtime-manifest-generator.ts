import { Adp, type Generator, type GeneratorContext, Website } from '@svc/contract'
import { z } from 'zod'
import { toDocument } from './to-document.ts'

/** The content of `runtime.json`. Null stands for unknown or not set. The agent’s instructions stay out: it may be published. */
export const RuntimeDescription = z.strictObject({
  runtimeId: z.string().nullable(),
  name: z.string().nullable(),
  baseUrl: z.url(),
  endpoint: z.string().nullable(),
  website: Website.nullable(),
  adp: Adp.nullable(),
  agent: z.strictObject({ hasInstructions: z.boolean() }),
  capabilityCount: z.int().nonnegative(),
  sdkVersion: z.string().nullable(),
  cliVersion: z.string(),
})
export type RuntimeDescription = z.infer<typeof RuntimeDescription>

/** Writes what there is to know about the runtime beside its capabilities. */
export const runtimeManifestGenerator: Generator = {
  name: 'runtime-manifest',
  inputs: describe,
  generate: (context) => [{ path: 'runtime.json', contents: toDocument(describe(context)) }],
}

function describe({ manifest, ...context }: GeneratorContext): RuntimeDescription {
  return {
    runtimeId: context.runtimeId,
    name: context.runtimeName,
    baseUrl: context.baseUrl,
    endpoint: manifest.endpoint ?? null,
    website: manifest.website ?? null,
    adp: manifest.adp ?? null,
    agent: { hasInstructions: Boolean(manifest.agent?.instructions) },
    capabilityCount: manifest.capabilities.length,
    sdkVersion: context.sdkVersion,
    cliVersion: context.cliVersion,
  }
}
