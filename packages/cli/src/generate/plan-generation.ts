import type { GeneratedFile, GeneratorContext } from '@svc/contract'
import type { Place } from '../describe-thrown.ts'
import { generatedFiles, inputsDigest } from './call-generator.ts'
import { digest } from './digest.ts'
import type { EnabledGenerator } from './enabled-generators.ts'
import { comparablePath } from './file-path-problem.ts'
import { digestOnDisk } from './generated-file.ts'
import type { GenerationCache } from './generation-cache.ts'

export type PlannedFile =
  | {
      readonly status: 'created' | 'updated'
      readonly path: string
      readonly digest: string
      readonly contents: string
    }
  | { readonly status: 'unchanged' | 'kept'; readonly path: string; readonly digest: string }
  | { readonly status: 'removed'; readonly path: string }

export type PlannedGenerator = {
  readonly name: string
  /** `removed` is a generator that the project no longer has, `kept` one that cannot make its files anew just now. */
  readonly status: 'generated' | 'skipped (cached)' | 'kept' | 'removed'
  /** The digest of its inputs. */
  readonly inputs: string
  readonly files: readonly PlannedFile[]
  /** Why it makes no file, where it does not. */
  readonly note: string | null
}

type Recorded = GenerationCache['generators'][string]

type Input = {
  readonly place: Place
  readonly enabled: readonly EnabledGenerator[]
  readonly context: GeneratorContext
  readonly cache: GenerationCache
  readonly isForced: boolean
  /** A plan made a moment ago from another context. A generator whose inputs are still the same keeps its part of it. */
  readonly earlier: readonly PlannedGenerator[]
}

/** The files to write, by generator. Nothing is written yet; the first fault ends the plan. */
export async function planGeneration(input: Input): Promise<PlannedGenerator[]> {
  const planned: PlannedGenerator[] = []
  for (const enabled of input.enabled) planned.push(await planGenerator(input, enabled))
  return [...planned, ...abandoned(input, planned)]
}

async function planGenerator(input: Input, enabled: EnabledGenerator): Promise<PlannedGenerator> {
  const { context, place, cache } = input
  const { name } = enabled.generator
  const inputs = await inputsDigest({ enabled, context, place })
  const note = enabled.problem(context)
  const recorded = cache.generators[name]
  // Its record is carried on, so that these are still its files once the runtime is known again.
  if (recorded && enabled.awaitsRuntime(context)) {
    return { name, status: 'kept', inputs: recorded.inputs, files: recordedFiles(recorded, 'kept'), note }
  }
  const earlier = input.earlier.find((one) => one.name === name && one.inputs === inputs && one.status !== 'kept')
  if (earlier) return { ...earlier, note }

  if (!input.isForced && recorded?.inputs === inputs && isAsRecorded(place.folder, name, recorded.files)) {
    return { name, status: 'skipped (cached)', inputs, files: recordedFiles(recorded, 'unchanged'), note }
  }
  const made = await generatedFiles({ enabled, context, place })
  const files = made.map((file) => planFile(place.folder, name, file))
  const isMade = new Set(files.map(({ path }) => comparableName(name, path)))
  return { name, status: 'generated', inputs, files: [...files, ...leftOver(input, name, isMade)], note }
}

function recordedFiles({ files }: Recorded, status: 'unchanged' | 'kept'): PlannedFile[] {
  return Object.entries(files).map(([path, known]) => ({ status, path, digest: known }))
}

function planFile(projectFolder: string, generator: string, { path, contents }: GeneratedFile): PlannedFile {
  const made = digest(contents)
  const present = digestOnDisk({ projectFolder, generator, path })
  if (present === made) return { status: 'unchanged', path, digest: made }
  return { status: present === null ? 'created' : 'updated', path, digest: made, contents }
}

function isAsRecorded(projectFolder: string, generator: string, files: Readonly<Record<string, string>>): boolean {
  return Object.entries(files).every(([path, known]) => digestOnDisk({ projectFolder, generator, path }) === known)
}

/**
 * Files that the generator made before and nothing makes any more. One that somebody changed is theirs and stays, and so
 * does one whose name differs in upper and lower case alone: for some file systems it is the one just made.
 */
function leftOver({ place, cache }: Input, generator: string, isMade: ReadonlySet<string>): PlannedFile[] {
  return Object.entries(cache.generators[generator]?.files ?? {})
    .filter(([path]) => !isMade.has(comparableName(generator, path)))
    .filter(([path, known]) => isAsRecorded(place.folder, generator, { [path]: known }))
    .map(([path]) => ({ status: 'removed', path }))
}

function abandoned(input: Input, planned: readonly PlannedGenerator[]): PlannedGenerator[] {
  const names = new Set(planned.map(({ name }) => name))
  const isMade = new Set(
    planned.flatMap(({ name, files }) =>
      files.filter(({ status }) => status !== 'removed').map(({ path }) => comparableName(name, path)),
    ),
  )
  return Object.entries(input.cache.generators)
    .filter(([name]) => !names.has(name))
    .map(([name, { inputs }]) => ({
      name,
      status: 'removed',
      inputs,
      files: leftOver(input, name, isMade),
      note: null,
    }))
}

function comparableName(generator: string, path: string): string {
  return comparablePath(`${generator}/${path}`)
}
