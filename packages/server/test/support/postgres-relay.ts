import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** What becomes of the next commit: it does not arrive, or it takes place and its answer is lost. */
export type CommitFault = 'lost' | 'answer lost'

/** Stands between a pool and PostgreSQL, and breaks what passes as a test wants it. */
export interface PostgresRelay {
  /** The same database, through it. */
  url: string
  /** Strikes the next commit, after so many that pass, and ends its connection. */
  breakCommit(fault: CommitFault, passing?: number): void
  /** Ends every connection now, or that of the next fault, and from then on each new one as soon as it is made. */
  shut(when: 'now' | 'at the next fault'): void
  open(): void
}

const COMMIT = Buffer.from('commit\0')

/** Starts a relay to the server of this database for the running test. */
export async function startPostgresRelay(direct: string): Promise<PostgresRelay> {
  const target = new URL(direct)
  const sockets = new Set<Socket>()
  let isShut = false
  let shutsAtFault = false
  let awaited: { fault: CommitFault; passing: number } | null = null
  const end = (client: Socket, server: Socket) => {
    if (shutsAtFault) isShut = true
    shutsAtFault = false
    client.destroy()
    server.destroy()
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
      const isCommit = awaited !== null && bytes.includes(COMMIT)
      if (awaited && isCommit && awaited.passing > 0) awaited.passing -= 1
      else if (awaited && isCommit) {
        const { fault } = awaited
        awaited = null
        if (fault === 'lost') return end(client, server)
        isAnswerLost = true
      }
      server.write(bytes)
    })
    server.on('data', (bytes) => {
      if (isAnswerLost) end(client, server)
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
  }
}
