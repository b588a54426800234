import * as z from 'zod'
import type { Capability, DeploymentManifest } from './deployments.ts'

/** The generators that every project has. Each writes into `.svc/generated/<name>/`. */
export const BUILT_IN_GENERATORS = ['capability-manifest', 'runtime-manifest', 'openapi', 'adp', 'test-types'] as const
export type BuiltInGenerator = (typeof BUILT_IN_GENERATORS)[number]

/** What a generator is given: the project as it would be deployed. It holds no key. */
export interface GeneratorContext {
  readonly capabilities: readonly Capability[]
  /** What `svc deploy` would publish. */
  readonly manifest: DeploymentManifest
  /** Null as long as neither `SVC_RUNTIME_ID` nor the control plane has told it. */
  readonly runtimeId: string | null
  /** The name that the runtime was registered under, once the control plane has told it. */
  readonly runtimeName: string | null
  /** The control plane’s address without a slash at its end: the published one, once it has told it. */
  readonly baseUrl: string
  readonly cliVersion: string
  readonly sdkVersion: string | null
}

/** One file to write. `path` is relative to `.svc/generated/<generator>/` and stays inside it. */
export interface GeneratedFile {
  readonly path: string
  readonly contents: string
}

/** Writes files from what a project deploys, whenever its inputs have changed. */
export interface Generator {
  /** A letter, then up to 63 letters, digits or hyphens: it is the name of the folder, too. */
  readonly name: string
  /** Everything that the files depend on, as JSON. While it stays the same, so do the files, and `generate` is not called. */
  inputs(context: GeneratorContext): unknown
  generate(context: GeneratorContext): readonly GeneratedFile[] | Promise<readonly GeneratedFile[]>
}

const GENERATOR_NAME = /^[A-Za-z][A-Za-z0-9-]{0,63}$/

const CustomGenerator = z.custom<Generator>().superRefine((value, context) => {
  const problem = generatorProblem(value)
  if (problem) context.addIssue({ code: 'custom', message: problem })
})

/** The configuration’s `generators` block. Names are compared without regard to case: they are folders. */
export const Generators = z.strictObject({
  disabled: z
    .array(
      z.enum(BUILT_IN_GENERATORS, {
        error: ({ input }) =>
          `${JSON.stringify(input)} is no built-in generator: there are ${BUILT_IN_GENERATORS.join(', ')}.`,
      }),
    )
    .optional(),
  custom: z.array(CustomGenerator).superRefine(refuseCollisions).optional(),
})
export type Generators = z.infer<typeof Generators>

/** The fault of a generator’s shape, or null. */
export function generatorProblem(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) {
    return 'is not a generator: it must be an object with name, inputs() and generate().'
  }
  const missing = [
    ...('name' in value && typeof value.name === 'string' ? [] : ['name']),
    ...('inputs' in value && typeof value.inputs === 'function' ? [] : ['inputs()']),
    ...('generate' in value && typeof value.generate === 'function' ? [] : ['generate()']),
  ]
  if (missing.length > 0) {
    const all = missing.join(', ').replace(/, ([^,]*)$/, ' and $1')
    return `is not a generator: ${all} ${missing.length > 1 ? 'are' : 'is'} missing.`
  }
  const name = 'name' in value ? String(value.name) : ''
  if (GENERATOR_NAME.test(name)) return null
  return `has the name “${name}”: a name is a letter, then up to 63 letters, digits or hyphens.`
}

function refuseCollisions(custom: readonly Generator[], context: z.RefinementCtx): void {
  const taken = new Map<string, string>(BUILT_IN_GENERATORS.map((name) => [name, 'a built-in generator']))
  for (const [index, generator] of custom.entries()) {
    if (generatorProblem(generator)) continue
    const owner = taken.get(generator.name.toLowerCase())
    taken.set(generator.name.toLowerCase(), owner ?? `custom[${index}]`)
    if (owner === undefined) continue
    context.addIssue({
      code: 'custom',
      path: [index, 'name'],
      message: `“${generator.name}” is the name of ${owner} already: names must be unique, disabled generators included.`,
    })
  }
}
