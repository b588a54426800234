import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { BlockList, connect, isIPv4, type Socket } from 'node:net'

// From the registries of special-purpose addresses, apart from the table that the service refuses by.
const SPECIAL_V4 =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4'
/** Of IPv6 the internet has this part alone; parts of it carry IPv4 or are for documents. */
const GLOBAL_V6 = '2000::/3'
const SPECIAL_V6 = '2001::/23 2001:db8::/32 2002::/16'

/** True for an address that is inside the service's own network. */
export function isInside(address: string): boolean {
  const isIn = (list: string, family: 'ipv4' | 'ipv6') => {
    const blocks = new BlockList()
    for (const [network = '', prefix] of list.split(' ').map((subnet) => subnet.split('/')))
      blocks.addSubnet(network, Number(prefix), family)
    return blocks.check(address, family)
  }
  if (isIPv4(address)) return isIn(SPECIAL_V4, 'ipv4')
  const v4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  return v4 === undefined ? !isIn(GLOBAL_V6, 'ipv6') || isIn(SPECIAL_V6, 'ipv6') : isInside(v4)
}

/** Listens on every address of the namespace, with TLS and without, and notes which of them is reached. */
export async function startCanaries(tls: { key: string; cert: string }) {
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
    if (isInside(address)) canaries.hits.set(address, (canaries.hits.get(address) ?? 0) + 1)
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
