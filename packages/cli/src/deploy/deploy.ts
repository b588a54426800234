import { buildDiscoveryManifest, type DeploymentManifest, type DeploymentSource, type DoctorRow } from '@svc/contract'
import { dashboardUrl } from '../control-plane/dashboard-url.ts'
import { examineEndpoint, failedChecks } from '../control-plane/examine-endpoint.ts'
import type { CliDeps } from '../deps.ts'
import { CommandFailure, projectFailure } from '../failures.ts'
import { readCache } from '../generate/generation-cache.ts'
import { runtimeOfKey, withRuntime } from '../generate/known-runtime.ts'
import type { PlannedGenerator } from '../generate/plan-generation.ts'
import { prepareGeneration } from '../generate/prepare-generation.ts'
import { generationResult, notesOf, reportGeneration } from '../generate/report-generation.ts'
import { writeGeneration } from '../generate/write-generation.ts'
import { type CompiledProject, compileProject } from '../project/compile-project.ts'
import { type KeyedProject, loadKeyedProject } from '../project/load-project.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { type Live, lookUpEndpoint, lookUpLive } from './look-up-live.ts'
import { type Pushed, pushManifest } from './push-manifest.ts'
import { readSource } from './read-source.ts'
import { type Outcome, reportDeployment, reportDryRun, reportUnchanged } from './report-deployment.ts'
import { type Difference, expectedWarnings, refuseBreaking, showDifference } from './show-difference.ts'

type DeployOptions = {
  readonly isDryRun: boolean
  readonly isOnlyIfChanged: boolean
  /** Whether changes that may break callers are published too. */
  readonly mayBreak: boolean
  readonly withDoctor: boolean
  /** Percent that a candidate serves; null where the deployment is promoted. */
  readonly traffic: number | null
}

/** `svc deploy`: everything is checked before the first request and the first file, and the first fault ends it. */
export async function deploy(deps: CliDeps, terminal: Terminal, options: DeployOptions): Promise<void> {
  const startedAt = deps.timers.now()
  const project = await loadKeyedProject(deps, terminal)
  // Begun before the generated files are written, which may be under version control.
  const reading = options.isDryRun ? Promise.resolve(null) : readSource(deps, project.folder)
  const compiled = await compileProject(deps, project)
  const source = await reading
  const { live, plan } = await generateFor(deps, terminal, { project, compiled })
  reportGeneration(plan, terminal.detail)
  for (const note of notes(compiled.manifest, plan, live)) terminal.note(note)

  const difference = showDifference(terminal, live, compiled.manifest)
  if (!options.mayBreak) refuseBreaking(difference)
  const doctor = options.withDoctor
    ? await requireHealth(deps, terminal, { project, manifest: compiled.manifest })
    : null
  const { manifest } = compiled
  const outcome = await publish(deps, terminal, { project, manifest, source, live, difference, ...options })
  const durationMs = Math.round(deps.timers.now() - startedAt)
  const { baseUrl = project.baseUrl, runtimeId = project.runtimeId } = live.ok ? live.status : {}
  const dashboard = dashboardUrl(baseUrl, runtimeId)
  terminal.detail(`${dashboard}  ${(durationMs / 1000).toFixed(1)} s`)
  const generators = generationResult(plan)
  terminal.result({ dryRun: options.isDryRun, dashboard, durationMs, ...outcome, difference, generators, doctor })
}

/** Examines the endpoint that the deployment will have. */
async function requireHealth(
  deps: CliDeps,
  terminal: Terminal,
  { project, manifest }: Pick<Publication, 'project' | 'manifest'>,
): Promise<{ rows: DoctorRow[] }> {
  const report = await examineEndpoint(deps, terminal, { who: project, endpoint: manifest.endpoint })
  if (report.ok) return { rows: report.rows }
  const found = { doctor: { rows: report.rows } }
  throw new CommandFailure('failure', failedChecks(report), ['Nothing was published.'], { found })
}

type Publication = DeployOptions & {
  readonly project: KeyedProject
  readonly manifest: DeploymentManifest
  readonly source: DeploymentSource | null
  readonly live: Live
  readonly difference: Difference | null
}

async function publish(
  deps: CliDeps,
  terminal: Terminal,
  { project, manifest, source, live, difference, isDryRun, isOnlyIfChanged, withDoctor, traffic }: Publication,
): Promise<Outcome> {
  // Names that were just compared are not told a second time.
  const isListed = difference === null
  // After a real deployment the control plane warns itself.
  const expected = () => expectedWarnings(live, manifest)
  if (isDryRun) return reportDryRun(terminal, { manifest, isListed, expected: expected() })
  const serving = difference && difference.changes.length === 0 ? difference.comparedWith : null
  if (isOnlyIfChanged && serving !== null) {
    return reportUnchanged(terminal, { manifest, version: serving, expected: expected() })
  }
  const deployment = await push(deps, terminal, { project, manifest, traffic, source })
  // The doctor has just called it: a status would tell of calls before that.
  const ofEndpoint = withDoctor ? [] : await warningsOfEndpoint(deps, terminal, project)
  return reportDeployment(terminal, { deployment, traffic, ofEndpoint, isListed })
}

// A look at the status has a silent endpoint probed: one that nobody serves is told of now, not by the first user.
async function warningsOfEndpoint(deps: CliDeps, terminal: Terminal, project: KeyedProject): Promise<string[]> {
  const done = terminal.progress('Looking whether the endpoint answers')
  return await lookUpEndpoint(deps, project).finally(done)
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

// A manifest that cannot be published keeps nothing from being deployed and called. It is said once, not at every deploy.
function notes(manifest: DeploymentManifest, plan: readonly PlannedGenerator[], live: Live): string[] {
  const problem = publishProblem(manifest)
  const others = notesOf(plan).filter((note) => note !== problem)
  const serving = live.ok && live.serving.ok ? live.serving.view : null
  const isKnown = problem === null || (serving !== null && publishProblem(serving) === problem)
  return isKnown ? others : [`No public manifest is published. ${problem}`, ...others]
}

function publishProblem(manifest: DeploymentManifest): string | null {
  const published = buildDiscoveryManifest({ manifest, runtimeId: '', runtimeName: '', baseUrl: '' })
  return published.ok ? null : published.problem
}

async function push(
  deps: CliDeps,
  terminal: Terminal,
  { project, ...pushed }: { project: KeyedProject } & Pushed,
): Promise<Awaited<ReturnType<typeof pushManifest>>> {
  const done = terminal.progress(`Publishing to ${project.baseUrl}`)
  return await pushManifest(deps, project, pushed).finally(done)
}
