import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, type Socket } from 'node:net'
import type { ScenarioContext } from '../../support/scenario.ts'
import { PUBLIC_V4 } from './spellings.ts'

/** Listens on every address of the namespace, with TLS and without, and notes which of them is reached. */
export async function startCanaries({ onEnd }: ScenarioContext, tls: { key: string; cert: string }) {
  const canaries = {
    /** Connections to addresses that are not public, by address. */
    hits: new Map<string, number>(),
    /** Requests that came to the one address that may be reached. */
    publicRequests: 0,
    /** Connects to addresses inside by itself, and says how many of them were noted; the notes are gone then. */
    async tryOut(addresses: readonly string[]): Promise<number> {
      await Promise.all(addresses.map(reach))
      const noted = addresses.filter((address) => canaries.hits.has(address)).length
      canaries.hits.clear()
      return noted
    },
  }
  const note = ({ localAddress = '' }: Socket) => {
    const address = localAddress.replace(/^::ffff:/i, '')
    if (address !== PUBLIC_V4) canaries.hits.set(address, (canaries.hits.get(address) ?? 0) + 1)
  }
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    canaries.publicRequests += 1
    answerAsOwner(request, response)
  }
  const servers = [
    [createTlsServer(tls, answer), 443],
    [createServer(answer), 80],
    [createServer(answer), 8080],
  ] as const
  for (const [server, port] of servers) {
    server.on('connection', note)
    onEnd(() => server.close())
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '::', resolve)
    })
  }
  return canaries
}

/** Answers a call, or leads elsewhere where its path asks for that: `/redirect/<status>?to=<address>`. */
function answerAsOwner(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'https://owner.test')
  const status = Number(/^\/redirect\/(\d{3})$/.exec(url.pathname)?.[1] ?? 200)
  const to = url.searchParams.get('to')
  const leads =
    to === null ? {} : { location: to, refresh: `0;url=${to}`, 'alt-svc': `h2="${new URL(to).host}"; ma=60` }
  // No connection is kept, so that every call has to look its name up.
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...leads })
  request.resume().on('end', () => response.end('{"output":{"ok":true}}'))
}

function reach(host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: 8080 })
    // The canary closes it: then it has noted it.
    socket.once('close', () => resolve()).once('error', reject)
    socket.end('GET / HTTP/1.1\r\nhost: canary\r\nconnection: close\r\n\r\n')
    socket.resume()
  })
}
