import ipaddr from 'ipaddr.js'

// Some proxies add the caller's port, and then every connection would be a client of its own.
const WITH_PORT = /^(?:\[([^\]]*)\]|([^:]*))(?::\d+)?$/

/**
 * The network that an address belongs to: an IPv4 address itself, or the first `ipv6Bits` of an IPv6 address, as one
 * customer has all addresses below them. A port is ignored. Text that is no address stands for itself.
 */
export function networkOf(ip: string, ipv6Bits: number): string {
  const [, bracketed, plain] = WITH_PORT.exec(ip) ?? []
  const host = bracketed ?? plain ?? ip
  if (!ipaddr.isValid(host)) return ip
  const address = ipaddr.process(host)
  if (address instanceof ipaddr.IPv4) return address.toString()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${ipv6Bits}`).toString()}/${ipv6Bits}`
}
