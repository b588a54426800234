import { Resolver } from 'node:dns/promises'

/** All addresses of a host name in canonical spelling. Rejects when there are none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>

// `dns.lookup` blocks one of four threads that files and ciphers share. The resolver uses sockets and gives up after 3 s.
const QUERY = { timeout: 1000, tries: 2 }

/** Asks the system's name servers, or these (`address:port`), for IPv4 and IPv6 addresses. */
export function createResolve(servers?: readonly string[]): Resolve {
  const resolver = new Resolver(QUERY)
  if (servers) resolver.setServers(servers)
  return async (hostname) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const addresses = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length === 0 && v4.status === 'rejected') throw v4.reason
    return addresses
  }
}
