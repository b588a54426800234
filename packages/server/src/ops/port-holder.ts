import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

const LISTENING = '0A'

/**
 * The process that listens on a TCP port, as “node (process 4711)”; null where the system does not tell, which is everywhere
 * but on Linux, and there for processes of other users.
 */
export function portHolder(port: number): string | null {
  try {
    const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => listeningSockets(table, port)))
    const holder = readdirSync('/proc').find((name) => /^\d+$/.test(name) && holdsAny(name, sockets))
    return holder === undefined ? null : `${readFileSync(`/proc/${holder}/comm`, 'utf8').trim()} (process ${holder})`
  } catch {
    return null
  }
}

function listeningSockets(table: string, port: number): string[] {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = readFileSync(`/proc/net/${table}`, 'utf8').split('\n').slice(1)
  return rows.flatMap((row) => {
    const [, local = '', , state, , , , , , inode] = row.trim().split(/\s+/)
    return state === LISTENING && local.endsWith(ending) ? [`socket:[${inode}]`] : []
  })
}

function holdsAny(process: string, sockets: ReadonlySet<string>): boolean {
  try {
    const folder = `/proc/${process}/fd`
    return readdirSync(folder).some((descriptor) => sockets.has(linkOf(`${folder}/${descriptor}`)))
  } catch {
    return false
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
