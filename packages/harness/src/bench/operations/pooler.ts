import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProgram } from '@svc/testkit'
import { freePort, untilListening } from '../../support/free-port.ts'
import { asPostgres } from '../../support/postgres-cluster.ts'

/** A pgbouncer in transaction mode before a PostgreSQL server. */
export interface Pooler {
  /** The same database, through it. */
  urlOf(direct: string): string
  remove(): Promise<void>
}

const PROGRAM = '/usr/sbin/pgbouncer'
/** What the server asks for at the start of a connection; a pooler has no connection of its own to give it to. */
const STARTUP = ['options', 'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']

/** The role that it logs in with, whoever asks: what is said of it holds for its connections alone. */
export const POOLER_ROLE = 'pooler'

/** Starts it. Throws where Debian's package `pgbouncer` is not installed. */
export async function startPooler(postgresPort: number, { connections }: { connections: number }): Promise<Pooler> {
  if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is not there: this scenario needs Debian's package “pgbouncer”`)
  const folder = mkdtempSync(join(tmpdir(), 'svc-pooler-'))
  chmodSync(folder, 0o777)
  const port = await freePort()
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    auth_type: 'any',
    pool_mode: 'transaction',
    default_pool_size: connections,
    max_client_conn: 500,
    ignore_startup_parameters: STARTUP.join(','),
    unix_socket_dir: folder,
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  const file = join(folder, 'pgbouncer.ini')
  const databases = `[databases]\n* = host=127.0.0.1 port=${postgresPort} user=${POOLER_ROLE}\n`
  writeFileSync(file, `${databases}\n[pgbouncer]\n${lines.join('\n')}\n`)
  const [program, ...args] = asPostgres([PROGRAM, file])
  const started = startProgram(program, args, { env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } })
  await untilListening(port, started.ended)
  return {
    urlOf(direct) {
      const url = new URL(direct)
      url.port = String(port)
      return url.href
    },
    async remove() {
      started.child.kill('SIGTERM')
      await started.ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
