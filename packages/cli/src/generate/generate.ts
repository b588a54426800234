import type { CliDeps } from '../deps.ts'
import { commandFailure } from '../failures.ts'
import { compileProject } from '../project/compile-project.ts'
import { loadProject } from '../project/load-project.ts'
import { columns } from '../terminal/columns.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { readCache } from './generation-cache.ts'
import { runtimeOfProject } from './known-runtime.ts'
import { prepareGeneration } from './prepare-generation.ts'
import { generationResult, notesOf, outdatedFiles, reportGeneration } from './report-generation.ts'
import { writeGeneration } from './write-generation.ts'

type Input = { readonly isForced: boolean; readonly isCheck: boolean }

/** `svc generate`: the generators alone, without a key and without the network. */
export async function generate(deps: CliDeps, terminal: Terminal, { isForced, isCheck }: Input): Promise<void> {
  const project = await loadProject(deps, terminal)
  const compiled = await compileProject(deps, project)
  const cache = readCache(project.folder)
  const runtime = runtimeOfProject(cache, project)
  // A cache says what was made, and not whether it would be made again.
  const plan = await prepareGeneration(deps, terminal, {
    project,
    compiled,
    runtime,
    cache,
    isForced: isForced || isCheck,
  })

  const outdated = outdatedFiles(plan)
  if (isCheck && outdated.length > 0) {
    throw commandFailure('The generated files are not what the project makes now.', [
      ...columns(outdated),
      'Run `svc generate` and commit what it writes.',
    ])
  }
  if (!isCheck) writeGeneration({ projectFolder: project.folder, plan, cache, runtimes: cache.runtimes })
  reportGeneration(plan, terminal.line)
  for (const note of notesOf(plan)) terminal.note(note)
  terminal.result({ generators: generationResult(plan) })
}
