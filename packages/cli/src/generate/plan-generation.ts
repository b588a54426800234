import type { GeneratedFile, GeneratorContext } from '@svc/contract'
import type { Place } from '../project/describe-thrown.ts'
import { generatedFiles, inputsDigest } from './call-generator.ts'
import { digest } from './digest.ts'
import type { EnabledGenerator } from './enabled-generators.ts'
import { digestOnDisk } from './generated-file.ts'
import type { GenerationCache } from './generation-cache.ts'

export type PlannedFile =
  | {
      readonly status: 'created' | 'updated'
      readonly path: string
      readonly digest: string
      readonly contents: string
    }
  | { readonly status: 'unchanged'; readonly path: string; readonly digest: string }
  | { readonly status: 'removed'; readonly path: string }

export type PlannedGenerator = {
  readonly name: string
  /** `removed` is a generator that the project no longer has. */
  readonly status: 'generated' | 'skipped (cached)' | 'removed'
  /** The digest of its inputs. */
  readonly inputs: string
  readonly files: readonly PlannedFile[]
  /** Why it makes no file, where it does not. */
  readonly note: string | null
}

type Input = {
  readonly place: Place
  readonly enabled: readonly EnabledGenerator[]
  readonly context: GeneratorContext
  readonly cache: GenerationCache
  readonly isForced: boolean
  /** A plan made a moment ago from another context. A generator whose inputs are still the same keeps its part of it. */
  readonly earlier: readonly PlannedGenerator[]
}

/** What is to be written, generator by generator. Nothing is written yet; the first fault ends it. */
export async function planGeneration(input: Input): Promise<PlannedGenerator[]> {
  const planned: PlannedGenerator[] = []
  for (const enabled of input.enabled) planned.push(await planGenerator(input, enabled))
  return [...planned, ...abandoned(input)]
}

async function planGenerator(input: Input, enabled: EnabledGenerator): Promise<PlannedGenerator> {
  const { context, place, cache } = input
  const { name } = enabled.generator
  const inputs = await inputsDigest({ enabled, context, place })
  const note = enabled.problem(context)
  const earlier = input.earlier.find((planned) => planned.name === name && planned.inputs === inputs)
  if (earlier) return { ...earlier, note }

  const recorded = cache.generators[name]
  if (!input.isForced && recorded?.inputs === inputs && isAsRecorded(place.folder, name, recorded.files)) {
    const files = Object.entries(recorded.files).map(
      ([path, known]) => ({ status: 'unchanged', path, digest: known }) as const,
    )
    return { name, status: 'skipped (cached)', inputs, files, note }
  }
  const made = await generatedFiles({ enabled, context, place })
  const files = made.map((file) => planFile(place.folder, name, file))
  return { name, status: 'generated', inputs, files: [...files, ...leftOver(input, name, made)], note }
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

/** Files that the generator made before and makes no more. One that somebody changed is theirs and stays. */
function leftOver({ place, cache }: Input, generator: string, made: readonly GeneratedFile[]): PlannedFile[] {
  const kept = new Set(made.map(({ path }) => path))
  return Object.entries(cache.generators[generator]?.files ?? {})
    .filter(([path]) => !kept.has(path))
    .filter(([path, known]) => isAsRecorded(place.folder, generator, { [path]: known }))
    .map(([path]) => ({ status: 'removed', path }))
}

function abandoned(input: Input): PlannedGenerator[] {
  const names = new Set(input.enabled.map(({ generator }) => generator.name))
  return Object.entries(input.cache.generators)
    .filter(([name]) => !names.has(name))
    .map(([name, { inputs }]) => ({ name, status: 'removed', inputs, files: leftOver(input, name, []), note: null }))
}
