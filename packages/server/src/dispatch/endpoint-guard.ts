import { isIP, isIPv6, type LookupFunction } from 'node:net'
import { isLocalHost } from '@svc/contract'
import { buildConnector } from 'undici'
import { isPublicAddress } from './public-address.ts'
import type { Resolve } from './resolve.ts'

export interface GuardOptions {
  /** Whether `localhost`, `127.0.0.1` and `[::1]` may be called. Nothing else on loopback ever is. */
  allowLocalEndpoints: boolean
  resolve: Resolve
  /** Certificates to trust in place of the system's, PEM. */
  trustedCertificates?: string | undefined
}

const CONNECT_MS = 5000
const LOOPBACK = ['127.0.0.1', '::1']

/** An address that may not be called, or a name that resolves to one. */
export class RefusedAddressError extends Error {
  readonly code = 'REFUSED_ADDRESS'

  constructor() {
    super('The address is not one that may be called.')
    this.name = 'RefusedAddressError'
  }
}

/** A connector that opens connections to public addresses only, and to the local hosts where that is allowed. */
export function createGuardedConnector(options: GuardOptions): buildConnector.connector {
  const connect = buildConnector({
    lookup: createGuardedLookup(options.resolve),
    timeout: CONNECT_MS,
    // Explicit, since an environment variable can change the default.
    rejectUnauthorized: true,
    ...(options.trustedCertificates === undefined ? {} : { ca: options.trustedCertificates }),
  })
  return (target, callback) => {
    if (mayConnect(options, target)) return connect(target, callback)
    queueMicrotask(() => callback(new RefusedAddressError(), null))
  }
}

// Sockets call the lookup for names only, so literal addresses are checked here.
function mayConnect(options: GuardOptions, { hostname, protocol }: { hostname: string; protocol: string }): boolean {
  const isLocal = isLocalHost(isIPv6(hostname) ? `[${hostname}]` : hostname)
  if (isLocal) return options.allowLocalEndpoints
  return protocol === 'https:' && (isIP(hostname) === 0 || isPublicAddress(hostname))
}

/** A lookup for sockets: they connect to the addresses that it checked, so a name cannot change in between. */
export function createGuardedLookup(resolve: Resolve): LookupFunction {
  return (hostname, { all }, callback) => {
    const answer = (addresses: readonly string[]) => {
      const [first] = addresses
      if (first === undefined) return callback(new RefusedAddressError(), [])
      if (all)
        callback(
          null,
          addresses.map((address) => ({ address, family: isIP(address) })),
        )
      else callback(null, first, isIP(first))
    }
    checkedAddresses(resolve, hostname).then(answer, (error) => callback(error, []))
  }
}

// `localhost` is loopback by definition: no name server is asked.
async function checkedAddresses(resolve: Resolve, hostname: string): Promise<readonly string[]> {
  if (isLocalHost(hostname)) return LOOPBACK
  const addresses = await resolve(hostname)
  if (!addresses.every(isPublicAddress)) throw new RefusedAddressError()
  return addresses
}
