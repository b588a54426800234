import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram, listenOnFreePort, startProgram } from '@svc/testkit'
import type { ScenarioContext } from './scenario.ts'
import { until } from './within.ts'

/** Programs that come with no npm package, by the Debian package that brings each. */
const PACKAGES = {
  haproxy: 'haproxy',
  wrk: 'wrk',
  nginx: 'nginx-light',
  taskset: 'util-linux',
  openssl: 'openssl',
  strace: 'strace',
} as const

/** Throws a sentence that says what to install. */
export function requireTools(tools: readonly (keyof typeof PACKAGES)[], env: NodeJS.ProcessEnv): void {
  const missing = tools.filter((tool) => findProgram(tool, env) === null)
  if (missing.length === 0) return
  const packages = missing.map((tool) => PACKAGES[tool]).join(' ')
  throw new Error(`this scenario needs ${missing.join(' and ')}: apt-get install ${packages}`)
}

/** A port for a program that cannot tell which one it was given. */
export async function freePort(): Promise<number> {
  const listening = await listenOnFreePort(createServer())
  await listening.close()
  return listening.port
}

/** A program that listens, started for a scenario. */
export interface Listener {
  url: string
  pid: number
}

/** Starts a program that listens on the port that it is given, or prints where; it is killed with the scenario. */
export async function startListener(
  { env, onEnd }: Pick<ScenarioContext, 'env' | 'onEnd'>,
  [program, ...args]: readonly [string, ...string[]],
  { port, variables }: { port?: number; variables?: NodeJS.ProcessEnv } = {},
): Promise<Listener> {
  const { child, ended, printed } = startProgram(program, args, { env: { ...env, ...variables } })
  onEnd(() => {
    child.kill('SIGKILL')
    return ended
  })
  const [, printedUrl = ''] = port === undefined ? await printed(/listening on (http:\S+)/) : []
  const url = port === undefined ? printedUrl : `http://127.0.0.1:${port}`
  const listens = () =>
    fetch(url).then(
      () => true,
      () => false,
    )
  if (port !== undefined && !(await until(listens, 30_000, 25))) throw new Error(`${program} does not listen on ${url}`)
  if (child.pid === undefined) throw new Error(`${program} has no process id`)
  return { url, pid: child.pid }
}

/** A new folder, removed with the scenario. */
export function temporaryFolder({ onEnd }: Pick<ScenarioContext, 'onEnd'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-lab-'))
  onEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The measured server has one processor for itself; the load, the upstream and the database have the other. */
export const PROCESSORS = { servers: '0', rest: '1' } as const

/** Moves all threads of these processes, and what they start from now on. */
export async function pin(pids: readonly number[], processors: string): Promise<void> {
  if (availableParallelism() < 2) throw new Error('this scenario pins processes to two processors; there is one here')
  for (const pid of pids) await promisify(execFile)('taskset', ['-a', '-p', '-c', processors, String(pid)])
}
