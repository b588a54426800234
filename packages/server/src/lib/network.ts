import ipaddr from 'ipaddr.js'

const GROUP_BITS = 16

// Some proxies append the caller's port.
const WITH_PORT = /^(?:\[([^\]]*)\]|([^:]*))(?::\d+)?$/

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/

/**
 * The network that a rate limit counts as one caller: an IPv4 address, or the first `ipv6Bits` of an IPv6 address, without
 * a port. Any other text is returned as it is.
 */
export function networkOf(ip: string, ipv6Bits: number): string {
  // The common case: parsing costs more than the rest of a rate limit.
  if (IPV4.test(ip)) return ip
  const [, bracketed, plain] = WITH_PORT.exec(ip) ?? []
  const host = bracketed ?? plain ?? ip
  if (!ipaddr.isValid(host)) return ip
  const address = ipaddr.process(host)
  if (address instanceof ipaddr.IPv4) return address.toString()
  const groups = address.parts.slice(0, Math.ceil(ipv6Bits / GROUP_BITS)).map((group, index) => {
    const dropped = Math.max(GROUP_BITS * (index + 1) - ipv6Bits, 0)
    return ((group >> dropped) << dropped).toString(16)
  })
  return `${groups.join(':')}::/${ipv6Bits}`
}
