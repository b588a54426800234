import { join } from 'node:path'
import { type ProgramEnd, type StartedProgram, startProgram } from '@svc/testkit'
import type { Store } from './store.ts'
import { OverdueError, PROGRAM_MS, within } from './within.ts'

/** One process of the built server. */
export interface ServerProcess {
  url: string
  port: number
  /** Of its operations port; null where it was started without `SVC_OPS_PORT`. */
  opsUrl: string | null
  pid: number
  /** Sends a signal; SIGKILL where none is named. */
  kill(signal?: NodeJS.Signals): void
  /** Resolves when it has ended and its output was read. */
  ended: Promise<ProgramEnd>
}

export interface ServerOptions {
  store: Store
  /** Folder of the built server. */
  serverFolder: string
  env: NodeJS.ProcessEnv
  /** More variables for this server, such as its model. */
  variables?: Readonly<Record<string, string>>
  /** Arguments of Node's own, before the program. */
  nodeArguments?: readonly string[]
  /** A program that starts the server, such as `strace -f`; the server's own command is added to it. */
  wrapper?: readonly [string, ...string[]]
}

/** For bursts that must be admitted: a slow machine would refuse them for a late event loop. */
export const NO_LOOP_DELAY_LIMIT = { SVC_LIMIT_LOOP_DELAY_MS: '60000' } as const

const LISTENING = /listening on (http:\S+)[\s\S]*model /
const LISTENING_WITH_OPS = /listening on (http:\S+)[\s\S]*ops +(http:[^,\s]+)/

/** Starts the server and resolves when it listens. Endpoints on loopback may be called, the test checkout is open; the model is the demo's unless told. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const started = run(options, 'main.js', [])
  const hasOps = options.variables?.['SVC_OPS_PORT'] !== undefined
  const listening = started.printed(hasOps ? LISTENING_WITH_OPS : LISTENING)
  const [, url = '', opsUrl = null] = await within(listening, PROGRAM_MS, 'a server to listen').catch(
    (error: unknown) => {
      started.child.kill('SIGKILL')
      throw error
    },
  )
  const { pid } = started.child
  if (pid === undefined) throw new Error('the server has no process id')
  return {
    url,
    port: Number(new URL(url).port),
    opsUrl,
    pid,
    kill: (signal = 'SIGKILL') => void started.child.kill(signal),
    ended: started.ended,
  }
}

/** Runs an operator's command to its end and returns what it printed, parsed. Throws what it complained of. */
export async function runAdmin(options: ServerOptions, args: readonly string[]): Promise<unknown> {
  const started = run(options, 'admin.js', args)
  const end = await within(started.ended, PROGRAM_MS, `admin ${args[0]}`).finally(() => started.child.kill('SIGKILL'))
  if (end.code !== 0) throw new Error(`admin ${args.join(' ')} ended with ${end.code}: ${end.stderr}${end.stdout}`)
  return JSON.parse(end.stdout)
}

function run(options: ServerOptions, program: string, args: readonly string[]): StartedProgram {
  const { store, serverFolder, env, variables, nodeArguments = [], wrapper = [] } = options
  const command = [...wrapper, process.execPath, ...nodeArguments, join(serverFolder, program), ...args]
  const [first = process.execPath, ...rest] = command
  return startProgram(first, rest, {
    env: {
      PATH: env['PATH'],
      PORT: '0',
      SVC_LOG_LEVEL: 'warn',
      SVC_ALLOW_LOCAL_ENDPOINTS: '1',
      SVC_TEST_PAYMENTS: '1',
      SVC_MODEL: 'demo:rules',
      // Scenarios deploy one runtime over and over.
      SVC_LIMIT_DEPLOYMENTS_PER_HOUR: '100000',
      ...store.serverEnv,
      ...variables,
    },
  })
}

/**
 * How a server ended that was told to, and after how long (milliseconds). One that has not within `maxMs` is killed, and
 * says so by its signal.
 */
export async function endedWithin(
  { ended, kill }: Pick<ServerProcess, 'ended' | 'kill'>,
  maxMs = PROGRAM_MS,
): Promise<{ end: ProgramEnd; tookMs: number }> {
  const startedAt = performance.now()
  const end = await within(ended, maxMs, 'a server to end').catch((error: unknown) => {
    if (!(error instanceof OverdueError)) throw error
    kill('SIGKILL')
    return within(ended, PROGRAM_MS, 'a killed server to end')
  })
  return { end, tookMs: performance.now() - startedAt }
}
