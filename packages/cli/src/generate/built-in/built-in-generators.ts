import {
  BUILT_IN_GENERATORS,
  type BuiltInGenerator,
  DiscoveryManifest,
  type Generator,
  type GeneratorContext,
} from '@svc/contract'
import type { z } from 'zod'
import { adpAwaitsRuntime, adpGenerator, adpProblem } from './adp-generator.ts'
import { CapabilityList, capabilityManifestGenerator } from './capability-manifest-generator.ts'
import { OpenApiDocument } from './openapi-document.ts'
import { openapiAwaitsRuntime, openapiGenerator, openapiProblem } from './openapi-generator.ts'
import { RuntimeDescription, runtimeManifestGenerator } from './runtime-manifest-generator.ts'
import { testTypesGenerator } from './test-types-generator.ts'

export type BuiltIn = {
  readonly generator: Generator
  /** What its JSON files must satisfy before they are written; null where it writes none. */
  readonly document: z.ZodType | null
  /** Why it makes no file, where that may be; null where it makes one. */
  readonly problem: (context: GeneratorContext) => string | null
  /** Whether it makes no file because the runtime is not known yet: then what it made before stays as it is. */
  readonly awaitsRuntime: (context: GeneratorContext) => boolean
}

const ALWAYS = { problem: () => null, awaitsRuntime: () => false }

const BUILT_INS: Record<BuiltInGenerator, BuiltIn> = {
  'capability-manifest': { generator: capabilityManifestGenerator, document: CapabilityList, ...ALWAYS },
  'runtime-manifest': { generator: runtimeManifestGenerator, document: RuntimeDescription, ...ALWAYS },
  openapi: {
    generator: openapiGenerator,
    document: OpenApiDocument,
    problem: openapiProblem,
    awaitsRuntime: openapiAwaitsRuntime,
  },
  adp: {
    generator: adpGenerator,
    document: DiscoveryManifest,
    problem: adpProblem,
    awaitsRuntime: adpAwaitsRuntime,
  },
  'test-types': { generator: testTypesGenerator, document: null, ...ALWAYS },
}

/** The generators that every project has, in the order in which they run. */
export const BUILT_IN_LIST: readonly BuiltIn[] = BUILT_IN_GENERATORS.map((name) => BUILT_INS[name])
