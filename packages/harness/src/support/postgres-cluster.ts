import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Settings of postgresql.conf by name. */
export type PostgresSettings = Readonly<Record<string, string>>

/** A PostgreSQL server of one scenario's own, in a temporary folder, on a port of its own. */
export interface PostgresCluster {
  /** Of its database `postgres`, as its superuser. */
  url: string
  port: number
  folder: string
  /** The postmaster's process id; it changes with a restart. */
  pid(): number
  /** Stops it and starts it with these settings beside the defaults. */
  restart(settings: PostgresSettings): Promise<void>
  /** Stops it and removes its folder. */
  remove(): Promise<void>
}

const ROOT = '/usr/lib/postgresql'

/** Makes a cluster and starts it. Throws where Debian's package `postgresql` is not installed. */
export async function startPostgresCluster(settings: PostgresSettings): Promise<PostgresCluster> {
  const bin = findBinaries()
  const folder = mkdtempSync(join(tmpdir(), 'svc-postgres-'))
  chmodSync(folder, 0o777)
  const data = join(folder, 'data')
  const port = await freePort()
  const as = (program: string, args: readonly string[]) => runAsPostgres(join(bin, program), args)
  await as('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'])
  const start = async (given: PostgresSettings) => {
    const options = Object.entries({ port: String(port), unix_socket_directories: folder, ...given })
    const words = options.map(([name, value]) => `-c ${name}=${value}`).join(' ')
    await as('pg_ctl', ['-D', data, '-l', join(folder, 'log'), '-w', '-t', '120', '-o', words, 'start'])
  }
  const stop = () => as('pg_ctl', ['-D', data, '-w', '-t', '120', '-m', 'fast', 'stop'])
  await start(settings)
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    port,
    folder,
    pid: () => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]),
    async restart(changed) {
      await stop()
      await start(changed)
    },
    async remove() {
      if (existsSync(join(data, 'postmaster.pid'))) await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function findBinaries(): string {
  const versions = existsSync(ROOT) ? readdirSync(ROOT).sort((a, b) => Number(b) - Number(a)) : []
  const found = versions.map((version) => join(ROOT, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb')))
  if (found === undefined) {
    throw new Error(`no initdb below ${ROOT}: this scenario needs Debian's package “postgresql”`)
  }
  return found
}

// What pg_ctl leaves running would hold a pipe of its output open.
async function runAsPostgres(program: string, args: readonly string[]): Promise<void> {
  const words = asPostgres([program, ...args])
  await run('/bin/sh', ['-c', 'exec "$@" >/dev/null 2>&1', 'sh', ...words], { cwd: '/', timeout: 180_000 })
}

/** A command as the user `postgres` where this is root: PostgreSQL and its tools refuse to run as root. */
export function asPostgres(command: readonly [string, ...string[]]): [string, ...string[]] {
  return userInfo().uid === 0 ? ['runuser', '-u', 'postgres', '--', ...command] : [...command]
}

/** A TCP port that nobody listens on. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
