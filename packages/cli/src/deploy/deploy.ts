import { buildDiscoveryManifest, type DeploymentManifest } from '@svc/contract'
import type { CliDeps } from '../deps.ts'
import { projectFailure } from '../failures.ts'
import { readCache } from '../generate/generation-cache.ts'
import { runtimeOfKey, withRuntime } from '../generate/known-runtime.ts'
import type { PlannedGenerator } from '../generate/plan-generation.ts'
import { prepareGeneration } from '../generate/prepare-generation.ts'
import { generationResult, notesOf, reportGeneration } from '../generate/report-generation.ts'
import { writeGeneration } from '../generate/write-generation.ts'
import { type CompiledProject, compileProject } from '../project/compile-project.ts'
import { type KeyedProject, loadKeyedProject } from '../project/load-project.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { type Live, lookUpLive } from './look-up-live.ts'
import { pushManifest } from './push-manifest.ts'
import { reportDeployment, reportDryRun } from './report-deployment.ts'
import { showDifference, unannouncedRemovals } from './show-difference.ts'

/** `svc deploy`: everything is checked before the first request and the first file, and the first fault ends it. */
export async function deploy(deps: CliDeps, terminal: Terminal, { isDryRun }: { isDryRun: boolean }): Promise<void> {
  const project = await loadKeyedProject(deps, terminal)
  const compiled = await compileProject(deps, project)
  const { live, plan } = await generateFor(deps, terminal, { project, compiled })
  reportGeneration(plan, terminal.detail)
  for (const note of notes(compiled.manifest, plan)) terminal.note(note)

  const { manifest } = compiled
  const names = manifest.capabilities.map(({ name }) => name)
  const difference = showDifference(terminal, live, names)
  // After a real deployment the control plane says itself what its removal means.
  const hints = isDryRun ? unannouncedRemovals(live, difference) : []
  for (const hint of hints) terminal.warn(hint)

  // Names that were just compared are not told a second time.
  const isListed = difference === null
  const outcome = isDryRun
    ? reportDryRun(terminal, { manifest, isListed })
    : reportDeployment(terminal, { deployment: await push(deps, terminal, { project, manifest }), isListed })
  const warnings = [...hints, ...outcome.warnings]
  terminal.result({ dryRun: isDryRun, ...outcome, difference, generators: generationResult(plan), warnings })
}

type Subject = { readonly project: KeyedProject; readonly compiled: CompiledProject }

/** Writes the generated files. Generators run before anything is sent, and again where the control plane knows better. */
async function generateFor(
  deps: CliDeps,
  terminal: Terminal,
  { project, compiled }: Subject,
): Promise<{ live: Live; plan: PlannedGenerator[] }> {
  const cache = readCache(project.folder)
  const runtime = runtimeOfKey(cache, project)
  const assumed = await prepareGeneration(deps, terminal, { project, compiled, runtime, cache })

  const done = terminal.progress('Looking up what is live')
  const live = await lookUpLive(deps, project).finally(done)
  const runtimes = live.ok ? withRuntime(cache, project, live.status) : cache.runtimes
  const actual = live.ok ? runtimeOfKey({ ...cache, runtimes }, project) : runtime
  refuseOtherRuntime(project, actual.runtimeId)

  const plan = await prepareGeneration(deps, terminal, { project, compiled, runtime: actual, cache, earlier: assumed })
  writeGeneration({ projectFolder: project.folder, plan, cache, runtimes })
  return { live, plan }
}

// A deployment replaces all that the key's runtime serves: it must be the one that the project means.
function refuseOtherRuntime({ runtimeId }: KeyedProject, actual: string | null): void {
  if (runtimeId === null || actual === null || actual === runtimeId) return
  throw projectFailure(`SVC_RUNTIME_ID is ${runtimeId}, but the deploy key is of ${actual}.`, [
    `Set SVC_API_KEY to the deploy key of ${runtimeId}, or SVC_RUNTIME_ID to ${actual}.`,
    'Nothing was written or published.',
  ])
}

// A manifest that cannot be published keeps nothing from being deployed and called.
function notes(manifest: DeploymentManifest, plan: readonly PlannedGenerator[]): string[] {
  const published = buildDiscoveryManifest({ manifest, runtimeId: '', runtimeName: '', baseUrl: '' })
  const problem = published.ok ? null : published.problem
  const others = notesOf(plan).filter((note) => note !== problem)
  return problem === null ? others : [`No public manifest is published. ${problem}`, ...others]
}

async function push(
  deps: CliDeps,
  terminal: Terminal,
  { project, manifest }: { project: KeyedProject; manifest: DeploymentManifest },
): Promise<Awaited<ReturnType<typeof pushManifest>>> {
  const done = terminal.progress(`Publishing to ${project.baseUrl}`)
  return await pushManifest(deps, project, manifest).finally(done)
}
