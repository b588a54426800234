import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Subnet = ReturnType<typeof ipaddr.parseCIDR>

// The library knows most of these, but its table once called one of them public.
const REFUSED: Subnet[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32', // a cloud's own control address, inside public space
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '2001::/23', // protocol assignments, Teredo (2001::/32) among them
  '2001:db8::/32',
  '2002::/16', // 6to4: carries an IPv4 address
].map((subnet) => ipaddr.parseCIDR(subnet))

// All allocated unicast. Not in it: ::1, mapped, compatible and translated IPv4, fc00::/7, fe80::/10, ff00::/8.
const ALLOCATED: Subnet[] = ['0.0.0.0/0', '2000::/3'].map((subnet) => ipaddr.parseCIDR(subnet))

/** True for a public unicast address in its canonical spelling. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  return ipaddr.subnetMatch(parsed, { refused: REFUSED, allocated: ALLOCATED }, 'unknown') === 'allocated'
}
