import { join, relative, resolve } from 'node:path'
import { findAccountKey } from '../control-plane/account-key.ts'
import type { CliDeps } from '../deps.ts'
import { commandFailure, projectFailure } from '../failures.ts'
import { baseUrlOf, isPlainText } from '../project/base-url.ts'
import { isAttended } from '../terminal/attended.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { reasonOf } from '../thrown.ts'
import { type Answers, accountKeyProblem, checkFlags, defaultAnswers, type InitFlags } from './answers.ts'
import { askAnswers } from './ask-answers.ts'
import { planFiles } from './plan-files.ts'
import { type RegisteredRuntime, registerRuntime } from './register-runtime.ts'
import { reportProject } from './report-project.ts'
import { hasContents, type Place, takePlace } from './take-place.ts'
import { environmentFile } from './templates/environment-file.ts'
import { type FileOutcome, writeFiles } from './write-files.ts'

type Input = { readonly folder: string; readonly flags: InitFlags }

/** `svc init`: asks, registers, and only then writes; what is there stays as it is. */
export async function initProject(deps: CliDeps, terminal: Terminal, input: Input): Promise<void> {
  const folder = resolve(deps.cwd, input.folder)
  checkFlags(input.flags)
  const baseUrl = baseUrlOf(deps.env)
  const hasEnvironmentFile = hasContents(join(folder, '.env'))
  const { answers, accountKey } = await answersOf(deps, terminal, { ...input, folder, baseUrl, hasEnvironmentFile })

  const place = takePlace(folder, { withEnvironment: accountKey !== null })
  const runtime = accountKey === null ? null : await register(deps, terminal, { place, baseUrl, accountKey, answers })
  const written = writeFiles(folder, planFiles({ folder, answers, baseUrl, credentials: runtime }))
  const files = runtime === null ? written : written.map(asCreated)
  const shownFolder = relative(deps.cwd, folder) || '.'
  reportProject(terminal, { folder, shownFolder, answers, baseUrl, runtime, files })
}

// Its credentials were put into it before the other files.
function asCreated(file: FileOutcome): FileOutcome {
  return file.path === '.env' ? { path: file.path, status: 'created' } : file
}

type Open = Input & { readonly baseUrl: string; readonly hasEnvironmentFile: boolean }

async function answersOf(
  deps: CliDeps,
  terminal: Terminal,
  { folder, flags, baseUrl, hasEnvironmentFile }: Open,
): Promise<{ answers: Answers; accountKey: string | null }> {
  // Credentials are shown once and have their place in .env: with one there already, a new runtime’s would be lost.
  const accountKey = hasEnvironmentFile ? null : (findAccountKey(deps, deps.env, baseUrl)?.accountKey ?? null)
  const problem = accountKey === null ? null : accountKeyProblem(accountKey)
  if (problem) throw projectFailure(`SVC_ACCOUNT_KEY ${problem}`)
  const answers = defaultAnswers(flags, folder)
  if (flags.yes || !isInteractive(deps, terminal)) return { answers, accountKey }
  const asksForKey = accountKey === null && !hasEnvironmentFile
  const asked = await askAnswers(deps, { flags, defaults: answers, asksForKey })
  return { answers: asked.answers, accountKey: accountKey ?? asked.accountKey }
}

function isInteractive(deps: CliDeps, terminal: Terminal): boolean {
  return isAttended(deps) && !terminal.isJson
}

type Registration = {
  readonly place: Place
  readonly baseUrl: string
  readonly accountKey: string
  readonly answers: Answers
}

async function register(
  deps: CliDeps,
  terminal: Terminal,
  { place, baseUrl, accountKey, answers }: Registration,
): Promise<RegisteredRuntime> {
  if (isPlainText(baseUrl)) terminal.warn(`${baseUrl} is not https: the account key travels unencrypted.`)
  const done = terminal.progress('Registering the runtime')
  const runtime = await registerRuntime(deps, { baseUrl, accountKey }, answers)
    .catch((error: unknown) => {
      place.leave()
      throw error
    })
    .finally(done)
  try {
    place.fill(environmentFile({ baseUrl, port: answers.port, credentials: runtime }))
    return runtime
  } catch (error) {
    throw commandFailure(
      `${runtime.runtimeId} was registered, but its credentials could not be put into .env (${reasonOf(error)}).`,
      ['They are shown once: rotate its secret and its keys, and put the new ones into .env.'],
      error,
    )
  }
}
