import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { BlockList, connect, isIPv4, type Socket } from 'node:net'
import { PUBLIC_V4 } from './spellings.ts'

/** What listened, and was reached. */
export interface Canaries {
  /** Connections to addresses that are not public, by address. */
  hits: ReadonlyMap<string, number>
  /** Requests that came to the one address that may be reached. */
  publicRequests: number
  /** Connections to other public-looking addresses. */
  otherConnections: number
  /** Connects to addresses inside by itself, and says how many of them were noted; the notes are gone then. */
  tryOut(addresses: readonly string[]): Promise<number>
  close(): void
}

// From the registries of special-purpose addresses, apart from the table that the service refuses by.
const SPECIAL: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]
/** Of IPv6 the internet has this part alone; what lies inside and carries IPv4 or documents nothing is special, too. */
const GLOBAL_V6 = ['2000::', 3] as const
const SPECIAL_V6: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
]

/** True for an address that only an owner inside the service's own network could have. */
export function isInside(address: string): boolean {
  if (isIPv4(address)) return listOf(SPECIAL, 'ipv4').check(address, 'ipv4')
  const v4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (v4 !== undefined) return isInside(v4)
  return !listOf([GLOBAL_V6], 'ipv6').check(address, 'ipv6') || listOf(SPECIAL_V6, 'ipv6').check(address, 'ipv6')
}

function listOf(subnets: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family)
  return list
}

/** Listens on every address of the namespace, for TLS and without, and notes which of them is reached. */
export async function startCanaries(tls: { key: string; cert: string }): Promise<Canaries> {
  const hits = new Map<string, number>()
  const canaries = {
    hits,
    publicRequests: 0,
    otherConnections: 0,
    tryOut: async (addresses: readonly string[]) => {
      await Promise.all(addresses.map(reach))
      const noted = addresses.filter((address) => hits.has(address)).length
      hits.clear()
      return noted
    },
    close: () => {},
  }
  const note = ({ localAddress = '' }: Socket) => {
    const address = localAddress.replace(/^::ffff:/i, '')
    if (address === PUBLIC_V4) return
    if (isInside(address)) hits.set(address, (hits.get(address) ?? 0) + 1)
    else canaries.otherConnections += 1
  }
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    canaries.publicRequests += 1
    answerAsOwner(request, response)
  }
  const servers: readonly (readonly [Server, number])[] = [
    [createTlsServer(tls, answer), 443],
    [createServer(answer), 80],
    [createServer(answer), 8080],
  ]
  for (const [server, port] of servers) {
    server.on('connection', note)
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '::', resolve)
    })
  }
  canaries.close = () => {
    for (const [server] of servers) server.close().closeAllConnections()
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
