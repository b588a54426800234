import { execFile } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { familyCpuMs, familyOf } from './process-usage.ts'
import { freePort, temporaryFolder } from './programs.ts'
import type { ScenarioContext } from './scenario.ts'

const run = promisify(execFile)

/** Settings of postgresql.conf by name. */
export type PostgresSettings = Readonly<Record<string, string>>

export type PostgresCluster = Awaited<ReturnType<typeof startPostgresCluster>>
type StopMode = 'fast' | 'immediate'

const ROOT = '/usr/lib/postgresql'

/** Creates and starts a PostgreSQL server of the scenario's own, which may be stopped; it is removed with the scenario. Throws where Debian's package `postgresql` is not installed. */
export async function startPostgresCluster(context: Pick<ScenarioContext, 'onEnd'>, settings: PostgresSettings = {}) {
  const version = newestVersion()
  const folder = temporaryFolder(context)
  chmodSync(folder, 0o777)
  const data = join(folder, 'data')
  const port = await freePort()
  const as = (program: string, args: readonly string[]) => runAsPostgres(join(binariesOf(version), program), ...args)
  const start = async (given: PostgresSettings) => {
    const options = { port: String(port), listen_addresses: '127.0.0.1', unix_socket_directories: folder, ...given }
    const words = Object.entries(options).map(([name, value]) => `-c ${name}=${value}`)
    await as('pg_ctl', ['-D', data, '-l', join(folder, 'log'), '-w', '-t', '120', '-o', words.join(' '), 'start'])
  }
  const stop = (mode: StopMode) => as('pg_ctl', ['-D', data, '-w', '-t', '120', '-m', mode, 'stop'])
  const postmaster = () => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
  context.onEnd(async () => {
    // One that was killed leaves its file.
    const isRunning = existsSync(join(data, 'postmaster.pid')) && existsSync(`/proc/${postmaster()}`)
    if (isRunning) await stop('immediate')
  })
  await as('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'])
  await start(settings)
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    port,
    /** The postmaster, which changes with a restart, and its children. */
    pids: () => familyOf(postmaster()),
    /** Processor time in milliseconds of all processes since the start. */
    cpuMs: () => familyCpuMs(postmaster()),
    /** `immediate` stops without a word to clients. The settings are added to the defaults. */
    async restart(changed = settings, mode: StopMode = 'fast') {
      await stop(mode)
      await start(changed)
    },
    stop: (mode: StopMode = 'fast') => stop(mode),
    start: () => start(settings),
  }
}

function newestVersion(): string {
  const versions = existsSync(ROOT) ? readdirSync(ROOT).sort((a, b) => Number(b) - Number(a)) : []
  const found = versions.find((version) => existsSync(join(binariesOf(version), 'initdb')))
  if (found === undefined) {
    throw new Error(`no initdb below ${ROOT}: this scenario needs Debian's package “postgresql”`)
  }
  return found
}

function binariesOf(version: string): string {
  return join(ROOT, version, 'bin')
}

// What pg_ctl leaves running would hold a pipe of its output open.
async function runAsPostgres(...command: readonly string[]): Promise<void> {
  // PostgreSQL and its tools refuse to run as root.
  const words = userInfo().uid === 0 ? ['runuser', '-u', 'postgres', '--', ...command] : command
  await run('/bin/sh', ['-c', 'exec "$@" >/dev/null 2>&1', 'sh', ...words], { cwd: '/', timeout: 180_000 })
}
