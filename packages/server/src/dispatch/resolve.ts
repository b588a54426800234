import { Resolver } from 'node:dns/promises'

/** All addresses of a host name, canonically spelled. Rejects when there are none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>

// The system's own look-up runs on a pool of four threads that files and ciphers share: four slow name servers would
// stop the process. This one waits on sockets, knows no search domains and gives up after three seconds.
const QUERY = { timeout: 1000, tries: 2 }

/** Asks the system's name servers, or the given ones (`address:port`). Both kinds of address, whichever there are. */
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
