import type { Generator, GeneratorContext, SvcSettings } from '@svc/contract'
import type { z } from 'zod'
import { BUILT_IN_LIST } from './built-in/built-in-generators.ts'

/** A generator of the project, in the place in which it runs. */
export type EnabledGenerator = {
  readonly generator: Generator
  /** What its JSON files must satisfy; null for a generator of the project’s own, whose files are its own affair. */
  readonly document: z.ZodType | null
  readonly problem: (context: GeneratorContext) => string | null
  readonly awaitsRuntime: (context: GeneratorContext) => boolean
}

/** The built-in generators that are not disabled, then the project’s own. Their shapes and names were checked at load. */
export function enabledGenerators({ generators }: SvcSettings): EnabledGenerator[] {
  const disabled = new Set<string>(generators?.disabled)
  const custom = generators?.custom ?? []
  return [
    ...BUILT_IN_LIST.filter(({ generator }) => !disabled.has(generator.name)),
    ...custom.map((generator) => ({ generator, document: null, problem: () => null, awaitsRuntime: () => false })),
  ]
}
