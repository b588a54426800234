import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { listenOnFreePort } from '@svc/testkit'

/** Nothing listens; or connections are taken and no byte passes; or each connection is reset. */
export type Outage = 'refuse' | 'hang' | 'reset'

interface Pair {
  client: Socket
  server: Socket
}

/** Stands before a server, on a port of its own, and can keep it from being reached. */
export async function startTcpRelay(target: { host: string; port: number }) {
  const pairs = new Set<Pair>()
  // Taken while nothing passes. Their bytes wait in the kernel, and the server behind never hears of them.
  const waiting = new Set<Socket>()
  let outage: Outage | null = null
  const pass = (client: Socket) => {
    const pair = { client, server: connect({ ...target, allowHalfOpen: true }) }
    pairs.add(pair)
    for (const [one, other] of [
      [client, pair.server],
      [pair.server, client],
    ] as const) {
      one.on('data', (bytes) => {
        if (!other.write(bytes)) one.pause()
      })
      one.on('drain', () => outage === 'hang' || other.resume())
      one.on('end', () => other.end())
      one.on('error', () => undefined)
      one.on('close', () => {
        other.destroySoon()
        pairs.delete(pair)
      })
    }
  }
  const take = (client: Socket) => {
    if (outage === 'reset') client.resetAndDestroy()
    else if (outage === 'hang') waiting.add(client.pause().on('error', () => undefined))
    else pass(client)
  }
  const open = () => createServer({ allowHalfOpen: true, noDelay: true }, take)
  let listener: Server = open()
  const { port } = await listenOnFreePort(listener)
  const endAll = () => {
    for (const client of waiting) client.resetAndDestroy()
    for (const { client, server } of pairs) {
      client.resetAndDestroy()
      server.destroy()
    }
    waiting.clear()
  }
  const stopListening = async () => {
    if (!listener.listening) return
    const closed = once(listener, 'close')
    listener.close()
    endAll()
    await closed
  }
  return {
    port,
    /** From now on, on the connections there are and on new ones. */
    async breakBy(chosen: Outage) {
      outage = chosen
      if (chosen === 'refuse') await stopListening()
      else if (chosen === 'reset') endAll()
      else for (const { client, server } of pairs) for (const socket of [client, server]) socket.pause()
    },
    /** Lets everything pass again. What was held back arrives now, as after packets that were lost. */
    async mend() {
      outage = null
      if (!listener.listening) {
        listener = open().listen(port, '127.0.0.1')
        await once(listener, 'listening')
      }
      for (const { client, server } of pairs) for (const socket of [client, server]) socket.resume()
      for (const client of waiting) {
        pass(client)
        client.resume()
      }
      waiting.clear()
    },
    close: stopListening,
  }
}
