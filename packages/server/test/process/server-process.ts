import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ProgramEnd, type StartedProgram, startProgram } from '@svc/testkit'
import { onTestFinished } from 'vitest'

type Environment = Readonly<Record<string, string>>

/** Takes what ends a thing that was started: `onTestFinished`, unless several tests share it. */
type WhenOver = (end: () => void) => void

/** A program of the built server in a process of its own. */
export interface ListeningServer extends StartedProgram {
  readonly url: string
  /** What it printed at its start. */
  readonly summary: string
}

/** A folder that is removed when the running test has finished. */
export function createFolder(whenOver: WhenOver = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-process-'))
  whenOver(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

// A machine that runs tests may be as slow as it likes: nothing is refused because of that.
const PATIENT = { SVC_LIMIT_LOOP_DELAY_MS: '60000' }

/** Starts the server on a free port, and kills it when the test is over. It gets no other environment than this. */
export async function startServerProcess(
  environment: Environment,
  whenOver: WhenOver = onTestFinished,
): Promise<ListeningServer> {
  const server = run('main.js', [], { PORT: '0', ...PATIENT, ...environment }, whenOver)
  const { 1: url = '', input: summary } = await server.printed(/listening on (http:\S+)[\s\S]*model /)
  return { ...server, url, summary }
}

/** Starts the server where it is expected to give up, and waits for that. */
export function failToStart(environment: Environment): Promise<ProgramEnd> {
  return run('main.js', [], { PORT: '0', ...environment }).ended
}

/** Runs an operator's command to its end, with this on its standard input. */
export function runAdmin(args: readonly string[], environment: Environment, input = ''): Promise<ProgramEnd> {
  const { child, ended } = run('admin.js', args, environment)
  // A command that reads nothing may have ended before all is written.
  child.stdin?.on('error', () => {}).end(input)
  return ended
}

function run(
  program: 'main.js' | 'admin.js',
  args: readonly string[],
  environment: Environment,
  whenOver: WhenOver = onTestFinished,
): StartedProgram {
  const env = { PATH: process.env['PATH'], ...environment }
  const started = startProgram(process.execPath, [builtFile(`bundle/${program}`), ...args], { env })
  whenOver(() => void started.child.kill('SIGKILL'))
  return started
}

/** A file of the built server. */
export function builtFile(name: string): string {
  const file = fileURLToPath(new URL(`../../dist/${name}`, import.meta.url))
  if (!existsSync(file)) throw new Error(`${file} is not there: run “npm run build” first`)
  return file
}
