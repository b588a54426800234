import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'

const run = promisify(execFile)

/** A PostgreSQL server of the harness's own, with Debian's default settings but for what it was given. */
export interface PostgresCluster {
  /** For `createPostgresStore`. */
  url: string
  version: string
  /** Its processes, the postmaster first. */
  pids(): number[]
  /** User and system time of all of them, ended ones included, milliseconds. */
  cpuMs(): number
  stop(): Promise<void>
}

const INSTALLED = '/usr/lib/postgresql'
const TICK_MS = 10

/** Makes and starts one in a temporary folder. `settings` are `name=value` of postgresql.conf. */
export async function startPostgresCluster(settings: readonly string[] = []): Promise<PostgresCluster> {
  const version = newestVersion()
  const program = (name: string) => join(INSTALLED, version, 'bin', name)
  const folder = mkdtempSync(join(tmpdir(), 'svc-harness-postgres-'))
  const asOwner = await ownerOf(folder)
  const data = join(folder, 'data')
  await asOwner(program('initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', '--locale=C.UTF-8'])
  const port = await freePort()
  const options = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, ...settings]
  const given = options.map((option) => `-c ${option}`).join(' ')
  await asOwner(program('pg_ctl'), ['start', '-w', '-D', data, '-l', join(folder, 'log'), '-o', given])
  const postmaster = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
  return {
    url: `postgres://postgres@127.0.0.1:${port}`,
    version,
    pids: () => [postmaster, ...childrenOf(postmaster)],
    cpuMs: () => familyCpuMs(postmaster),
    async stop() {
      await asOwner(program('pg_ctl'), ['stop', '-w', '-m', 'immediate', '-D', data])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function newestVersion(): string {
  try {
    const [newest] = readdirSync(INSTALLED).sort((a, b) => Number(b) - Number(a))
    if (newest !== undefined) return newest
  } catch {}
  throw new Error('this scenario starts a PostgreSQL server of its own: apt-get install postgresql')
}

// PostgreSQL refuses to run as root.
async function ownerOf(folder: string): Promise<(program: string, args: readonly string[]) => Promise<unknown>> {
  if (userInfo().uid !== 0) return (program, args) => run(program, [...args], { cwd: folder })
  await run('chown', ['postgres', folder])
  return (program, args) => run('runuser', ['-u', 'postgres', '--', program, ...args], { cwd: folder })
}

function childrenOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return children.split(' ').filter(Boolean).map(Number)
}

// A process that has ended counts among its parent's dead children.
function familyCpuMs(postmaster: number): number {
  const own = ticksOf(postmaster, [11, 12, 13, 14])
  return (own + childrenOf(postmaster).reduce((sum, pid) => sum + ticksOf(pid, [11, 12]), 0)) * TICK_MS
}

function ticksOf(pid: number, fields: readonly number[]): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const values = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields.reduce((sum, field) => sum + Number(values[field]), 0)
  } catch {
    // Ended between the list and the look.
    return 0
  }
}
