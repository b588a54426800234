import { accessSync, constants, mkdirSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import type { CliDeps } from '../deps.ts'
import { commandFailure, projectFailure } from '../failures.ts'
import { baseUrlProblem, DEFAULT_BASE_URL, normalizeBaseUrl } from '../project/base-url.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { type Answers, accountKeyProblem, checkFlags, defaultAnswers, type InitFlags } from './answers.ts'
import { askAnswers } from './ask-answers.ts'
import { type FileOutcome, isThere, planFiles, writeFiles } from './plan-files.ts'
import { type RegisteredRuntime, registerRuntime } from './register-runtime.ts'
import { reportProject } from './report-project.ts'

type Input = { readonly folder: string; readonly flags: InitFlags }

/** `svc init`: asks, registers, and only then writes; what is there stays as it is. */
export async function initProject(deps: CliDeps, terminal: Terminal, input: Input): Promise<void> {
  const folder = resolve(deps.cwd, input.folder)
  checkFlags(input.flags)
  const baseUrl = baseUrlOf(deps)
  const hasEnvironmentFile = isThere(join(folder, '.env'))
  const { answers, accountKey } = await answersOf(deps, terminal, { ...input, folder, hasEnvironmentFile })

  refuseUnwritable(folder)
  const stop = terminal.progress('Registering the runtime')
  const runtime = await register(deps, { baseUrl, accountKey, answers }).finally(stop)
  const files = writeFiles(folder, planFiles({ folder, answers, baseUrl, credentials: runtime }))
  refuseLostCredentials(runtime, files)
  const shownFolder = relative(deps.cwd, folder) || '.'
  reportProject(terminal, { folder, shownFolder, answers, baseUrl, runtime, files })
}

type Open = Input & { readonly hasEnvironmentFile: boolean }

async function answersOf(
  deps: CliDeps,
  terminal: Terminal,
  { folder, flags, hasEnvironmentFile }: Open,
): Promise<{ answers: Answers; accountKey: string | null }> {
  // Credentials are shown once and have their place in .env: with one there already, a new runtime’s would be lost.
  const accountKey = hasEnvironmentFile ? null : deps.env['SVC_ACCOUNT_KEY']?.trim() || null
  const problem = accountKey === null ? null : accountKeyProblem(accountKey)
  if (problem) throw projectFailure(`SVC_ACCOUNT_KEY ${problem}`)
  const answers = defaultAnswers(flags, folder)
  if (flags.yes || !isInteractive(deps, terminal)) return { answers, accountKey }
  const asksForKey = accountKey === null && !hasEnvironmentFile
  const asked = await askAnswers(deps, { flags, defaults: answers, asksForKey })
  return { answers: asked.answers, accountKey: accountKey ?? asked.accountKey }
}

function isInteractive(deps: CliDeps, terminal: Terminal): boolean {
  return deps.stdin?.isTTY === true && deps.stderr.isTTY === true && !terminal.isJson && !deps.env['CI']
}

type Registration = { readonly baseUrl: string; readonly accountKey: string | null; readonly answers: Answers }

async function register(deps: CliDeps, registration: Registration): Promise<RegisteredRuntime | null> {
  const { baseUrl, accountKey, answers } = registration
  return accountKey === null ? null : registerRuntime(deps, { baseUrl, accountKey }, answers)
}

function baseUrlOf({ env }: Pick<CliDeps, 'env'>): string {
  const baseUrl = env['SVC_BASE_URL'] || DEFAULT_BASE_URL
  const problem = baseUrlProblem(baseUrl)
  if (problem) throw projectFailure(`SVC_BASE_URL ${problem}`)
  return normalizeBaseUrl(baseUrl)
}

// Found out before the runtime is registered, since its credentials could not be kept then.
function refuseUnwritable(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw commandFailure(
      `No project can be made in ${folder} (${code}).`,
      ['Name a folder that you may write to.'],
      error,
    )
  }
}

function refuseLostCredentials(runtime: RegisteredRuntime | null, files: readonly FileOutcome[]): void {
  const wasKept = files.some(({ path, status }) => path === '.env' && status === 'kept')
  if (runtime === null || !wasKept) return
  throw commandFailure(`${runtime.runtimeId} was registered, but something else wrote .env meanwhile.`, [
    'Rotate its secret and its keys, and put them into .env.',
  ])
}
