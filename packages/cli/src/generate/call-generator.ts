import type { GeneratedFile, GeneratorContext } from '@svc/contract'
import { describeThrown, type Place } from '../describe-thrown.ts'
import { projectFailure } from '../failures.ts'
import { columns } from '../terminal/columns.ts'
import { checkOutput } from './check-output.ts'
import { digest } from './digest.ts'
import type { EnabledGenerator } from './enabled-generators.ts'
import { jsonProblem } from './json-problem.ts'

type Call = { readonly enabled: EnabledGenerator; readonly context: GeneratorContext; readonly place: Place }

/** The digest of everything that the generator’s files depend on: its inputs, and how it makes files from them. */
export async function inputsDigest({ enabled: { generator }, context, place }: Call): Promise<string> {
  const inputs = await attempt(`inputs() of the generator “${generator.name}” failed.`, place, () =>
    generator.inputs(context),
  )
  const problem = jsonProblem(inputs)
  if (problem === null) return digest(JSON.stringify([inputs, String(generator.generate)]))
  throw projectFailure(`inputs() of the generator “${generator.name}” returned something that JSON cannot hold.`, [
    `${problem}. Return texts, numbers, true or false, null, lists and plain objects of these.`,
  ])
}

/** The generator’s files, checked. */
export async function generatedFiles({ enabled, context, place }: Call): Promise<readonly GeneratedFile[]> {
  const { generator, document } = enabled
  const output: unknown = await attempt(`generate() of the generator “${generator.name}” failed.`, place, () =>
    generator.generate(context),
  )
  const checked = checkOutput(output, document)
  if (checked.ok) return checked.files
  throw projectFailure(`The generator “${generator.name}” made what cannot be written.`, columns(checked.faults))
}

async function attempt<T>(failure: string, place: Place, call: () => T | Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw projectFailure(failure, describeThrown(error, place), error)
  }
}
