import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

const LISTENING = '0A'

/** The process that listens on a TCP port, as “node (process 4711)”. Null where /proc does not tell. */
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

// Processes of other users, and those that end meanwhile, cannot be read.
function holdsAny(process: string, sockets: ReadonlySet<string>): boolean {
  try {
    const folder = `/proc/${process}/fd`
    return readdirSync(folder).some((descriptor) => sockets.has(readlinkSync(`${folder}/${descriptor}`)))
  } catch {
    return false
  }
}
