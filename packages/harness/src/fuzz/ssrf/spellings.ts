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

/** One way to write an endpoint that leads to a canary, where it leads anywhere. */
export interface Spelling {
  kind: string
  endpoint: string
}

type Octets = readonly [number, number, number, number]

/** So many spellings of the canaries' addresses; the same for the same seed. Each is there once. */
export function drawSpellings(count: number, random: Random): Spelling[] {
  const all = [...spellingsOfV4(), ...spellingsOfV6(), ...names()]
  const unique = [...new Map(all.map((spelling) => [spelling.endpoint, spelling])).values()]
  if (unique.length < count) throw new Error(`only ${unique.length} spellings are known`)
  return unique
    .map((spelling) => ({ spelling, order: random.next() }))
    .sort((one, other) => one.order - other.order)
    .slice(0, count)
    .map(({ spelling }) => spelling)
}

/** Hosts by kind of spelling. */
const V4_HOSTS: Readonly<Record<string, (octets: Octets) => readonly string[]>> = {
  dotted: (octets) => [octets.join('.')],
  decimal: (octets) => [String(asNumber(octets)), `0${asNumber(octets)}`],
  hex: (octets) => [`0x${asNumber(octets).toString(16)}`, `0X${asNumber(octets).toString(16).padStart(8, '0')}`],
  octal: (octets) => [`0${asNumber(octets).toString(8)}`],
  'dotted hex': (octets) => [octets.map((octet) => `0x${octet.toString(16)}`).join('.')],
  'dotted octal': (octets) => [
    octets.map((octet) => `0${octet.toString(8)}`).join('.'),
    octets.map((octet) => octet.toString(8).padStart(8, '0')).join('.'),
  ],
  'mixed bases': ([a, b, c, d]) => [`${a}.0x${b.toString(16)}.0${c.toString(8)}.${d}`],
  short: ([a, b, c, d]) => [`${a}.${b}.${c * 256 + d}`, `${a}.${b * 65_536 + c * 256 + d}`],
  'full-width': (octets) => [fullWidth(octets.join('.')), octets.map(String).map(fullWidth).join('.')],
  enclosed: (octets) => [octets.map((octet) => Array.from(String(octet), enclosed).join('')).join('.')],
  'IDNA dots': (octets) => ['\u3002', '\uff0e', '\uff61'].map((dot) => octets.join(dot)),
  'trailing dot': (octets) => [`${octets.join('.')}.`, `${octets.join('.')}..`],
  escaped: (octets) => [
    octets.join('%2e'),
    Array.from(octets.join('.'), (character) => `%${character.charCodeAt(0).toString(16)}`).join(''),
  ],
  'white space': (octets) => [
    ` ${octets.join('.')}`,
    `${octets.join('.')}\t`,
    octets.join('.\n'),
    octets.join('.\r\n'),
  ],
  invisible: (octets) => [octets.join('.\u00ad'), `\u200b${octets.join('.')}`, `${octets.join('.')}\u2060`],
  userinfo: (octets) => [`shop.example.com@${octets.join('.')}`, `shop.example.com:443@${octets.join('.')}`],
  backslash: (octets) => [`${octets.join('.')}\\@shop.example.com`, `shop.example.com\\@${octets.join('.')}`],
  'mapped v6': (octets) => [
    `[::ffff:${octets.join('.')}]`,
    `[::ffff:${groups(octets)}]`,
    `[0:0:0:0:0:ffff:${groups(octets)}]`,
  ],
  'compatible v6': (octets) => [`[::${octets.join('.')}]`, `[::${groups(octets)}]`],
  NAT64: (octets) => [`[64:ff9b::${octets.join('.')}]`, `[64:ff9b:1::${groups(octets)}]`],
  '6to4': (octets) => [`[2002:${groups(octets)}::1]`],
  Teredo: (octets) => [
    `[2001:0:${groups(octets)}::${groups(octets)}]`,
    `[2001:0:4136:e378:8000:63bf:${inverted(octets)}]`,
  ],
  ISATAP: (octets) => [`[2001:db8::5efe:${groups(octets)}]`, `[fe80::5efe:${octets.join('.')}]`],
}

const V6_HOSTS: Readonly<Record<string, (address: string) => readonly string[]>> = {
  v6: (address) => [`[${address}]`],
  'v6 long': (address) => [
    `[${address.replace('::', `:${'0:'.repeat(address === '::1' ? 6 : 5)}`).replace(/^:/, '0:')}]`,
  ],
  'v6 zone': (address) => [`[${address}%25lo]`, `[${address}%lo]`, `[${address}%251]`],
  'v6 upper case': (address) => [`[${address.toUpperCase()}]`],
  'v6 escaped': (address) => [`%5b${address}%5d`],
  'v6 bare': (address) => [address],
}

function spellingsOfV4(): Spelling[] {
  return CANARIES_V4.flatMap((address) => {
    const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
    return spell(V4_HOSTS, [a, b, c, d])
  })
}

function spellingsOfV6(): Spelling[] {
  return CANARIES_V6.flatMap((address) => spell(V6_HOSTS, address))
}

function names(): Spelling[] {
  const hosts = [...CANARIES_V4, ...CANARIES_V6].flatMap((address) => wildcards(address))
  const special = [
    'localhost.',
    'LOCALHOST',
    'localhost.localdomain',
    'ip6-localhost',
    'a.localhost',
    'ⓛocalhost',
    '0',
    '',
  ]
  return [...hosts, ...special].flatMap((host) => endpointsAt(host).map((endpoint) => ({ kind: 'name', endpoint })))
}

/** Names that the namespace's own name server answers with the address that they spell. */
function wildcards(address: string): string[] {
  const dashed = address.replaceAll(/[.:]/g, '-')
  const name = `${address.includes(':') ? `v6-${dashed}-z` : dashed}.${WILDCARD_ZONE}`
  return [name, `a.${name}`, `${name}.`, name.toUpperCase(), name.replace('.wild', '\u3002wild')]
}

function spell<A>(hosts: Readonly<Record<string, (address: A) => readonly string[]>>, address: A): Spelling[] {
  return Object.entries(hosts).flatMap(([kind, write]) =>
    write(address).flatMap((host) => endpointsAt(host).map((endpoint) => ({ kind, endpoint }))),
  )
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
