import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { listenOnFreePort } from '@svc/testkit'

const run = promisify(execFile)

/** A PostgreSQL server of the harness's own, which may be stopped, killed and filled. */
export interface PostgresServer {
  /** Its address, for `createPostgresStore`. */
  url: string
  folder: string
  /** Stops it without a word to its clients, starts it again, and resolves when it accepts connections. */
  restart(mode: 'immediate' | 'fast'): Promise<void>
  remove(): Promise<void>
}

const BINARIES = '/usr/lib/postgresql'

/** Makes a cluster in a temporary folder and starts it on a free port of the loopback address. */
export async function startPostgresServer(): Promise<PostgresServer> {
  const binaries = findBinaries()
  const base = mkdtempSync(join(tmpdir(), 'svc-postgres-'))
  const folder = join(base, 'data')
  const control = (...args: string[]) => asPostgres(join(binaries, 'pg_ctl'), ['-D', folder, '-w', '-s', ...args])
  if (isRoot()) await run('chown', ['postgres', base])
  await asPostgres(join(binaries, 'initdb'), ['-D', folder, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'])
  const port = await freePort()
  const options = `-p ${port} -k ${base} -c listen_addresses=127.0.0.1`
  const start = () => control('-l', join(base, 'log'), '-o', options, 'start')
  await start()
  return {
    url: `postgres://postgres@127.0.0.1:${port}`,
    folder,
    async restart(mode) {
      await control('-m', mode, 'stop')
      await start()
    },
    async remove() {
      await control('-m', 'immediate', 'stop')
      rmSync(base, { recursive: true, force: true })
    },
  }
}

function findBinaries(): string {
  const versions = existsSync(BINARIES) ? readdirSync(BINARIES).sort((a, b) => Number(b) - Number(a)) : []
  const folder = versions
    .map((version) => join(BINARIES, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'initdb')))
  if (folder === undefined) throw new Error('initdb is not here: install the Debian package “postgresql”')
  return folder
}

// PostgreSQL refuses to run as root.
function asPostgres(program: string, args: readonly string[]): Promise<unknown> {
  return isRoot() ? run('runuser', ['-u', 'postgres', '--', program, ...args]) : run(program, [...args])
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}

async function freePort(): Promise<number> {
  const { port, close } = await listenOnFreePort(createServer())
  await close()
  return port
}
