import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/**
 * How what is behind a relay cannot be reached: nothing listens; or nothing that is sent arrives, though connections are
 * taken; or each connection is reset.
 */
export type Outage = 'refuse' | 'hang' | 'reset'

/** Stands before a server, on a port of its own, and can keep it from being reached. */
export interface TcpRelay {
  port: number
  /** From now on, on the connections there are and on new ones. */
  breakBy(outage: Outage): Promise<void>
  /** Lets everything pass again. What was held back arrives now, as after packets that were lost. */
  mend(): Promise<void>
  close(): Promise<void>
}

interface Pair {
  client: Socket
  server: Socket
}

/** A connection that was taken and gets no answer, and what came over it. */
interface Waiting {
  client: Socket
  heard: Buffer[]
  /** From now on it is somebody else's to listen to. */
  letGo(): void
}

export async function startTcpRelay(target: { host: string; port: number }): Promise<TcpRelay> {
  const pairs = new Set<Pair>()
  const waiting = new Set<Waiting>()
  let outage: Outage | null = null
  const pass = (client: Socket) => {
    const pair = { client, server: connect({ ...target, allowHalfOpen: true }) }
    pairs.add(pair)
    join(pair, { isHeld: () => outage === 'hang', ended: () => pairs.delete(pair) })
    return pair
  }
  const take = (client: Socket) => {
    if (outage === 'reset') client.resetAndDestroy()
    else if (outage === 'hang') keepWaiting(client, waiting)
    else pass(client)
  }
  let listener = await listen(take, 0)
  const port = portOf(listener)
  const endAll = () => {
    for (const { client } of waiting) client.resetAndDestroy()
    for (const { client, server } of pairs) {
      client.resetAndDestroy()
      server.destroy()
    }
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
    async breakBy(chosen) {
      outage = chosen
      if (chosen === 'refuse') await stopListening()
      else if (chosen === 'reset') endAll()
      else for (const pair of pairs) hold(pair)
    },
    async mend() {
      outage = null
      if (!listener.listening) listener = await listen(take, port)
      for (const pair of pairs) release(pair)
      for (const { client, heard, letGo } of waiting) {
        letGo()
        const { server } = pass(client)
        for (const bytes of heard) server.write(bytes)
      }
      waiting.clear()
    },
    close: stopListening,
  }
}

// The server behind never hears of one that gives up meanwhile: it has no place for hundreds of those.
function keepWaiting(client: Socket, waiting: Set<Waiting>): void {
  const hear = (bytes: Buffer) => void kept.heard.push(bytes)
  const leave = () => {
    waiting.delete(kept)
    client.destroy()
  }
  const letGo = () => client.off('data', hear).off('end', leave).off('error', leave).off('close', leave)
  const kept: Waiting = { client, heard: [], letGo }
  waiting.add(kept)
  client.on('data', hear).once('end', leave).once('error', leave).once('close', leave)
}

function join({ client, server }: Pair, relay: { isHeld(): boolean; ended(): void }): void {
  for (const [one, other] of [
    [client, server],
    [server, client],
  ] as const) {
    one.on('data', (bytes) => {
      if (!other.write(bytes)) one.pause()
    })
    one.on('drain', () => relay.isHeld() || other.resume())
    one.on('end', () => other.end())
    one.on('error', () => undefined)
    one.on('close', () => {
      other.destroySoon()
      relay.ended()
    })
  }
}

function hold({ client, server }: Pair): void {
  client.pause()
  server.pause()
}

function release({ client, server }: Pair): void {
  client.resume()
  server.resume()
}

async function listen(take: (client: Socket) => void, port: number): Promise<Server> {
  const listener = createServer({ allowHalfOpen: true, noDelay: true }, take)
  listener.listen(port, '127.0.0.1')
  await once(listener, 'listening')
  return listener
}

function portOf(listener: Server): number {
  const address = listener.address()
  if (address === null || typeof address === 'string') throw new Error('a relay listens on a port')
  return address.port
}
