import type { Random } from '../../support/random.ts'

/** Addresses in the namespace that nobody outside may lead the service to. */
export const CANARIES_V4 = [
  '127.0.0.1',
  '127.0.0.2',
  '169.254.169.254',
  '10.0.0.5',
  '192.168.77.1',
  '172.16.9.9',
] as const
export const CANARIES_V6 = ['::1', 'fd00::1'] as const
/** Stands for an address of the public internet: assigned to the namespace alone, and the one that may be reached. */
export const PUBLIC_V4 = '93.184.216.34'
export const WILDCARD_ZONE = 'wild.test'

type Octets = readonly [number, number, number, number]

/** So many spellings of the canaries' addresses; the same for the same seed. Each is there once. */
export function drawSpellings(count: number, random: Random): string[] {
  const v4 = CANARIES_V4.flatMap((address) => {
    const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
    return V4_HOSTS.flatMap((write) => write([a, b, c, d]))
  })
  const v6 = CANARIES_V6.flatMap((address) => V6_HOSTS.flatMap((write) => write(address)))
  const names = [...CANARIES_V4, ...CANARIES_V6].flatMap((address) => wildcards(address))
  const unique = [...new Set([...v4, ...v6, ...names, ...LOCAL_NAMES].flatMap(endpointsAt))]
  if (unique.length < count) throw new Error(`only ${unique.length} spellings are known`)
  return unique
    .map((endpoint) => ({ endpoint, order: random.next() }))
    .sort((one, other) => one.order - other.order)
    .slice(0, count)
    .map(({ endpoint }) => endpoint)
}

const LOCAL_NAMES = [
  'localhost.',
  'LOCALHOST',
  'localhost.localdomain',
  'ip6-localhost',
  'a.localhost',
  'ⓛocalhost',
  '0',
  '',
]

const V4_HOSTS: readonly ((octets: Octets) => readonly string[])[] = [
  (octets) => [octets.join('.')],
  (octets) => [String(asNumber(octets)), `0${asNumber(octets)}`],
  (octets) => [`0x${asNumber(octets).toString(16)}`, `0X${asNumber(octets).toString(16).padStart(8, '0')}`],
  (octets) => [`0${asNumber(octets).toString(8)}`],
  (octets) => [octets.map((octet) => `0x${octet.toString(16)}`).join('.')],
  (octets) => [
    octets.map((octet) => `0${octet.toString(8)}`).join('.'),
    octets.map((octet) => octet.toString(8).padStart(8, '0')).join('.'),
  ],
  ([a, b, c, d]) => [`${a}.0x${b.toString(16)}.0${c.toString(8)}.${d}`],
  ([a, b, c, d]) => [`${a}.${b}.${c * 256 + d}`, `${a}.${b * 65_536 + c * 256 + d}`],
  (octets) => [fullWidth(octets.join('.')), octets.map(String).map(fullWidth).join('.')],
  (octets) => [octets.map((octet) => Array.from(String(octet), enclosed).join('')).join('.')],
  (octets) => ['\u3002', '\uff0e', '\uff61'].map((dot) => octets.join(dot)),
  (octets) => [`${octets.join('.')}.`, `${octets.join('.')}..`],
  (octets) => [
    octets.join('%2e'),
    Array.from(octets.join('.'), (character) => `%${character.charCodeAt(0).toString(16)}`).join(''),
  ],
  (octets) => [` ${octets.join('.')}`, `${octets.join('.')}\t`, octets.join('.\n'), octets.join('.\r\n')],
  (octets) => [octets.join('.\u00ad'), `\u200b${octets.join('.')}`, `${octets.join('.')}\u2060`],
  (octets) => [`shop.example.com@${octets.join('.')}`, `shop.example.com:443@${octets.join('.')}`],
  (octets) => [`${octets.join('.')}\\@shop.example.com`, `shop.example.com\\@${octets.join('.')}`],
  (octets) => [`[::ffff:${octets.join('.')}]`, `[::ffff:${groups(octets)}]`, `[0:0:0:0:0:ffff:${groups(octets)}]`],
  (octets) => [`[::${octets.join('.')}]`, `[::${groups(octets)}]`],
  (octets) => [`[64:ff9b::${octets.join('.')}]`, `[64:ff9b:1::${groups(octets)}]`],
  (octets) => [`[2002:${groups(octets)}::1]`],
  (octets) => [`[2001:0:${groups(octets)}::${groups(octets)}]`, `[2001:0:4136:e378:8000:63bf:${inverted(octets)}]`],
  (octets) => [`[2001:db8::5efe:${groups(octets)}]`, `[fe80::5efe:${octets.join('.')}]`],
]

const V6_HOSTS: readonly ((address: string) => readonly string[])[] = [
  (address) => [`[${address}]`],
  (address) => [`[${address.replace('::', `:${'0:'.repeat(address === '::1' ? 6 : 5)}`).replace(/^:/, '0:')}]`],
  (address) => [`[${address}%25lo]`, `[${address}%lo]`, `[${address}%251]`],
  (address) => [`[${address.toUpperCase()}]`],
  (address) => [`%5b${address}%5d`],
  (address) => [address],
]

/** Names that the namespace's own name server answers with the address that they spell. */
function wildcards(address: string): string[] {
  const dashed = address.replaceAll(/[.:]/g, '-')
  const name = `${address.includes(':') ? `v6-${dashed}-z` : dashed}.${WILDCARD_ZONE}`
  return [name, `a.${name}`, `${name}.`, name.toUpperCase(), name.replace('.wild', '\u3002wild')]
}

function endpointsAt(host: string): string[] {
  return [`https://${host}/svc`, `http://${host}:8080/svc`]
}

function asNumber([a, b, c, d]: Octets): number {
  return a * 16_777_216 + b * 65_536 + c * 256 + d
}

function groups([a, b, c, d]: Octets): string {
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

// Teredo hides the client's address by turning its bits over.
function inverted([a, b, c, d]: Octets): string {
  return groups([255 - a, 255 - b, 255 - c, 255 - d])
}

function fullWidth(text: string): string {
  return Array.from(text, (character) => String.fromCharCode(character.charCodeAt(0) + 0xfee0)).join('')
}

function enclosed(digit: string): string {
  return digit === '0' ? '\u24ea' : String.fromCharCode(0x2460 + Number(digit) - 1)
}
