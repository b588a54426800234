import type { CliDeps } from '../deps.ts'
import type { CompiledProject } from '../project/compile-project.ts'
import type { Project } from '../project/load-project.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { enabledGenerators } from './enabled-generators.ts'
import type { GenerationCache } from './generation-cache.ts'
import { generatorContext } from './generator-context.ts'
import type { KnownRuntime } from './known-runtime.ts'
import { type PlannedGenerator, planGeneration } from './plan-generation.ts'

type Input = {
  readonly project: Project
  readonly compiled: CompiledProject
  readonly runtime: KnownRuntime
  readonly cache: GenerationCache
  readonly isForced?: boolean
  readonly earlier?: readonly PlannedGenerator[]
}

/** The project’s generators, run: what they make is checked and nothing of it is written yet. */
export async function prepareGeneration(
  deps: Pick<CliDeps, 'cwd'>,
  terminal: Terminal,
  input: Input,
): Promise<PlannedGenerator[]> {
  const { project, compiled, runtime, cache, isForced = false, earlier = [] } = input
  const done = terminal.progress('Running the generators')
  return await planGeneration({
    place: { folder: project.folder, cwd: deps.cwd },
    enabled: enabledGenerators(project.config),
    context: generatorContext({ ...compiled, baseUrl: project.baseUrl, runtime }),
    cache,
    isForced,
    earlier,
  }).finally(done)
}
