import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { deferred } from './deferred.ts'

/**
 * What becomes of the next commit: it does not arrive, or it takes place and its answer is lost; `silence` keeps it back,
 * and its connection stays as it is, but for what passes.
 */
export type CommitFault = 'lost' | 'answer lost' | 'silence'

/** Stands between a pool and PostgreSQL, and breaks what passes as a test wants it. */
export interface PostgresRelay {
  /** The same database, through it. */
  url: string
  /** Strikes the next commit, after so many that pass, and but for `silence` ends its connection. */
  breakCommit(fault: CommitFault, passing?: number): void
  /** Ends every connection, now or at the next fault, and from then on each new one as soon as it is made. */
  shut(when: 'now' | 'at the next fault'): void
  /** Lets nothing pass any more on the connections there are, and leaves them open; new ones are as ever. */
  silence(): void
  /** Lets pass what was kept back on silent connections, as a network does that sends it again, and all that follows. */
  heal(): void
  /** Resolves once something was sent on a silent connection. */
  readonly unheard: Promise<void>
  open(): void
}

const COMMIT = Buffer.from('commit\0')

/** Starts a relay to the server of this database for the running test. */
export async function startPostgresRelay(direct: string): Promise<PostgresRelay> {
  const target = new URL(direct)
  const sockets = new Set<Socket>()
  const silent = new Map<Socket, (() => void)[]>()
  const unheard = deferred()
  let isShut = false
  let shutsAtFault = false
  let awaited: { fault: CommitFault; passing: number } | null = null
  const end = (client: Socket, server: Socket) => {
    const ended = shutsAtFault ? sockets : [client, server]
    if (shutsAtFault) isShut = true
    shutsAtFault = false
    for (const socket of ended) socket.destroy()
  }
  const nextFault = (): CommitFault | null => {
    const fault = awaited?.passing === 0 ? awaited.fault : null
    if (awaited) awaited.passing -= 1
    if (fault !== null) awaited = null
    return fault
  }
  const relay = createServer((client) => {
    sockets.add(client)
    if (isShut) return void client.destroy()
    const server = connect(Number(target.port || 5432), target.hostname)
    sockets.add(server)
    for (const socket of [client, server]) socket.on('error', () => undefined)
    client.on('close', () => server.destroy())
    server.on('close', () => client.destroy())
    let isAnswerLost = false
    client.on('data', (bytes) => {
      const held = silent.get(client)
      if (held) {
        held.push(() => server.write(bytes))
        return unheard.resolve()
      }
      const fault = bytes.includes(COMMIT) ? nextFault() : null
      if (fault === 'lost') return end(client, server)
      if (fault === 'silence') {
        silent.set(client, [() => server.write(bytes)])
        return unheard.resolve()
      }
      isAnswerLost ||= fault === 'answer lost'
      server.write(bytes)
    })
    server.on('data', (bytes) => {
      const held = silent.get(client)
      if (held) held.push(() => client.write(bytes))
      else if (isAnswerLost) end(client, server)
      else client.write(bytes)
    })
  })
  await new Promise<void>((resolve) => {
    relay.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    relay.close()
    for (const socket of sockets) socket.destroy()
  })
  const address = relay.address()
  if (address === null || typeof address === 'string') throw new Error('a relay listens on a port')
  const url = new URL(direct)
  url.host = `127.0.0.1:${address.port}`
  return {
    url: url.href,
    breakCommit(fault, passing = 0) {
      awaited = { fault, passing }
    },
    shut(when) {
      if (when === 'at the next fault') shutsAtFault = true
      else {
        isShut = true
        for (const socket of sockets) socket.destroy()
      }
    },
    open() {
      isShut = false
    },
    silence() {
      for (const socket of sockets) silent.set(socket, [])
    },
    heal() {
      const held = [...silent.values()].flat()
      silent.clear()
      for (const pass of held) pass()
    },
    unheard: unheard.promise,
  }
}
