import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished, vi } from 'vitest'

// A process takes a second to start where the machine is free, and many where it is not.
vi.setConfig({ testTimeout: 60_000 })

type Environment = Readonly<Record<string, string>>

export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

/** A program of the built server in a process of its own, killed when the running test has finished. */
export interface ServerProcess {
  readonly child: ChildProcess
  /** Resolves once it has printed this on its standard output, with all of it; rejects when it ends before. */
  printed(text: string): Promise<string>
  readonly ended: Promise<Ended>
}

export interface ListeningServer extends ServerProcess {
  readonly url: string
  /** What it printed at its start. */
  readonly summary: string
}

/** A folder that is removed when the running test has finished. */
export function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-process-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Starts the server on a free port. Nothing of this process's environment reaches it. */
export async function startServerProcess(environment: Environment): Promise<ListeningServer> {
  const server = run('main.js', [], { PORT: '0', ...environment })
  const summary = await server.printed('model ')
  const [, url] = /listening on (http:\S+)/.exec(summary) ?? []
  if (url === undefined) throw new Error(`the server did not say where it listens: ${summary}`)
  return { ...server, url, summary }
}

/** Starts the server where it is expected to give up, and waits for that. */
export function failToStart(environment: Environment): Promise<Ended> {
  return run('main.js', [], { PORT: '0', ...environment }).ended
}

/** Runs an operator's command to its end, with this on its standard input. */
export function runAdmin(args: readonly string[], environment: Environment, input = ''): Promise<Ended> {
  const { child, ended } = run('admin.js', args, environment)
  // A command that reads nothing may have ended before all is written.
  child.stdin?.on('error', () => {}).end(input)
  return ended
}

function run(program: 'main.js' | 'admin.js', args: readonly string[], environment: Environment): ServerProcess {
  const child = spawn(process.execPath, [builtFile(program), ...args], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let [stdout, stderr] = ['', '']
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    stderr += piece
  })
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }))
  })
  const onOutput = new Set<() => void>()
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    stdout += piece
    for (const look of onOutput) look()
  })
  return {
    child,
    ended,
    printed(text) {
      return new Promise((resolve, reject) => {
        const look = () => {
          if (stdout.includes(text) && stdout.endsWith('\n')) resolve(stdout)
        }
        onOutput.add(look)
        look()
        void ended.then((end) => reject(new Error(`it ended (${end.code ?? end.signal}) before: ${end.stderr}`)))
      })
    },
  }
}

function builtFile(name: string): string {
  const file = fileURLToPath(new URL(`../../dist/${name}`, import.meta.url))
  if (!existsSync(file)) throw new Error(`${file} is not there: run “npm run build” first`)
  return file
}
