import { createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createGuardedLookup } from '../../src/dispatch/endpoint-guard.ts'
import { FAILURES } from '../../src/dispatch/failures.ts'
import { JsonDocument } from '../../src/lib/json-document.ts'
import { callOf, setUpDispatcher, setUpEndpoint, targetOf } from './setup.ts'

// What hostile or careless owners may write as a host. Each is tried over https on the port of a listening canary.
const LITERALS = [
  ['127.0.0.1', '127.0.0.2', '127.1', '127.0.1', '127.255.255.255', '2130706433', '0x7f000001', '0x7f.0x0.0x0.0x1'],
  ['0x7f.1', '017700000001', '0177.0.0.1', '0177.0.0.01', '0177.0x0.0.1', '127.0x1', '0x7f.0.1', '127.000.000.001'],
  ['１２７.0.0.1', '127。0。0。1', '127．0．0．1', '①②⑦.0.0.1', '%31%32%37.0.0.1', '127.0.0.1.', '2130706433.'],
  ['0.0.0.0', '0', '00', '0x0', '0.0', '0.0.0.0.', '%30', '0.1.2.3', '[::]', '[0:0:0:0:0:0:0:0]'],
  [
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[0000::0001]',
    '[::0001]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::FFFF:7F00:0001]',
  ],
  ['[0:0:0:0:0:ffff:127.0.0.1]', '[::127.0.0.1]', '[::7f00:1]', '[::ffff:0:127.0.0.1]', '[::ffff:0:7f00:1]'],
  ['[64:ff9b::127.0.0.1]', '[64:ff9b::7f00:1]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]', '[2002:7f00:0001::1]'],
  ['[2001::1]', '[2001:0:7f00:1::]', '[2001:0:4136:e378:8000:63bf:80ff:fffe]', '[2001:db8::1]', '[3fff::1]'],
  ['10.0.0.5', '167772165', '0xa000005', '012.0.0.5', '10.5', '[::ffff:10.0.0.5]', '[::ffff:a00:5]', '[::10.0.0.5]'],
  ['[64:ff9b::a00:5]', '[2002:a00:5::]', '172.16.0.1', '2886729729', '172.31.255.255', '[::ffff:172.16.0.1]'],
  ['192.168.0.1', '3232235521', '0xc0a80001', '0300.0250.0.1', '192.168.1', '[::ffff:c0a8:1]', '[2002:c0a8:1::]'],
  ['169.254.169.254', '2852039166', '0xa9fea9fe', '0xa9.0xfe.0xa9.0xfe', '0251.0376.0251.0376', '169.16689662'],
  [
    '[::ffff:169.254.169.254]',
    '[::ffff:a9fe:a9fe]',
    '[::169.254.169.254]',
    '[64:ff9b::a9fe:a9fe]',
    '[2002:a9fe:a9fe::]',
  ],
  ['１６９.254.169.254', '169.254.169.254.', '169.254.0.1', '168.63.129.16', '2822734096', '[::ffff:168.63.129.16]'],
  ['100.64.0.1', '100.100.100.200', '100.127.255.254', '1681915905', '[::ffff:100.64.0.1]', '192.0.0.1', '192.0.0.192'],
  ['192.0.2.1', '192.88.99.1', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.10', '[::ffff:203.0.113.10]'],
  ['224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255', '4294967295', '0xffffffff', '037777777777'],
  [
    '[fc00::1]',
    '[fd00::1]',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '[febf::1]',
    '[fec0::1]',
    '[ff02::1]',
    '[ff0e::1]',
    '[100::1]',
  ],
  [
    '[5f00::1]',
    '[4000::1]',
    '[2001:20::1]',
    '[2620:4f:8000::1]',
    '[::8.8.8.8]',
    '[::ffff:8.8.8.8]',
    '[64:ff9b::808:808]',
  ],
].flat()

// Spelled so that no URL parser takes them, or with something in them that an endpoint may not carry.
const MALFORMED = [
  'https://256.256.256.256/',
  'https://127.0.0.1.1.1/',
  'https://0x100000000/',
  'https://4294967296/',
  'https://[::1/',
  'https://[::1%25lo]/',
  'https://[fe80::1%eth0]/',
  'https://[::ffff:127.0.0.256]/',
  'https://user@127.0.0.1/',
  'https://user:password@example.com/',
  'https://example.com@127.0.0.1/',
  'https://example.com:pw@[::1]/',
  'https://127.0.0.1/#@example.com',
  'https:// 127.0.0.1/',
  'https://127.0.0.1 .example.com/',
  'https://',
  'http://example.com/',
  'http://10.0.0.5/',
  'http://127.0.0.2/',
  'http://[::ffff:7f00:1]/',
  'http://localhost.example.com/',
  'http://localhost./',
  'ftp://127.0.0.1/',
  'file:///etc/passwd',
  'gopher://127.0.0.1/',
  'unix:/var/run/docker.sock',
  'data:application/json,{}',
  '//127.0.0.1/',
  '/svc',
  '',
]

const NAMES: Record<string, readonly string[]> = {
  'localhost.': ['127.0.0.1'],
  'localhost.localdomain': ['127.0.0.1'],
  'anything.localhost': ['127.0.0.1', '::1'],
  '127.0.0.1.wildcard.example': ['127.0.0.1'],
  '10-0-0-5.wildcard.example': ['10.0.0.5'],
  'metadata.wildcard.example': ['169.254.169.254'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'mapped-hex.example': ['::ffff:a9fe:a9fe'],
  'compatible.example': ['::127.0.0.1'],
  'nat64.example': ['64:ff9b::7f00:1'],
  'six-to-four.example': ['2002:7f00:1::'],
  'unique-local.example': ['fd00::1'],
  'link-local.example': ['fe80::1'],
  'scoped.example': ['fe80::1%1'],
  'shared.example': ['100.64.0.1'],
  'unspecified.example': ['0.0.0.0'],
  'mixed-last.example': ['93.184.216.34', '93.184.216.35', '10.0.0.5'],
  'mixed-first.example': ['10.0.0.5', '93.184.216.34'],
  'mixed-families.example': ['93.184.216.34', '::1'],
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ.example': ['127.0.0.1'],
  'no-address.example': [],
  'nonsense.example': ['not an address'],
}

async function listenAsCanary(): Promise<{ port: number; connections(): number }> {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  if (!address || typeof address === 'string') throw new Error('The canary has no port.')
  return { port: address.port, connections: () => connections }
}

function dispatchTo(dispatcher: ReturnType<typeof setUpDispatcher>['dispatcher'], endpoint: string) {
  return dispatcher.dispatch(targetOf({ url: endpoint, runtimeId: 'rt_hostile01', secret: 'x' }), callOf())
}

describe('addresses that may not be called', () => {
  test('there are at least 120 spellings', () => {
    const spellings = new Set([...LITERALS, ...MALFORMED, ...Object.keys(NAMES)])
    expect(spellings.size).toBeGreaterThanOrEqual(120)
  })

  // holds OUT-13
  test.each(LITERALS)('https://%s is refused without a connection', async (host) => {
    const canary = await listenAsCanary()
    const { dispatcher, reasons, tries } = setUpDispatcher({ allowLocalEndpoints: false })
    const result = await dispatchTo(dispatcher, `https://${host}:${canary.port}/svc`)
    expect(result).toEqual({ ok: false, message: FAILURES.unreachable.message, durationMs: 0 })
    expect(canary.connections()).toBe(0)
    expect(reasons).toEqual(['REFUSED_ADDRESS'])
    expect(tries()).toBe(1)
  })

  test.each(MALFORMED)('%j is refused before anything is signed', async (endpoint) => {
    const { dispatcher, tries } = setUpDispatcher({ allowLocalEndpoints: true })
    const result = await dispatchTo(dispatcher, endpoint)
    expect(result).toEqual({ ok: false, message: FAILURES.unreachable.message, durationMs: 0 })
    expect(tries()).toBe(0)
  })

  // holds OUT-13
  test.each(Object.keys(NAMES))('the name %s is refused by what it resolves to', async (name) => {
    const canary = await listenAsCanary()
    const addresses = new Map(Object.entries(NAMES).map(([key, value]) => [new URL(`https://${key}`).hostname, value]))
    const asked: string[] = []
    const resolve = async (hostname: string) => {
      asked.push(hostname)
      return addresses.get(hostname) ?? []
    }
    // Local endpoints are allowed here: only the three local hosts themselves may profit from that.
    const { dispatcher, reasons } = setUpDispatcher({ allowLocalEndpoints: true, resolve })
    const result = await dispatchTo(dispatcher, `https://${name}:${canary.port}/svc`)
    expect(result).toMatchObject({ ok: false, message: FAILURES.unreachable.message })
    expect(reasons).toEqual(['REFUSED_ADDRESS'])
    expect(asked).toEqual([new URL(`https://${name}`).hostname])
    expect(canary.connections()).toBe(0)
  })

  test.each(['127.0.0.2', '0.0.0.0', '[::]', '[::ffff:127.0.0.1]', '[::127.0.0.1]', '10.0.0.5'])(
    'allowing local endpoints does not allow https://%s',
    async (host) => {
      const canary = await listenAsCanary()
      const { dispatcher, reasons } = setUpDispatcher({ allowLocalEndpoints: true })
      await dispatchTo(dispatcher, `https://${host}:${canary.port}/svc`)
      expect(reasons).toEqual(['REFUSED_ADDRESS'])
      expect(canary.connections()).toBe(0)
    },
  )
})

describe('the local hosts', () => {
  // holds OUT-14
  test.each(['localhost', '127.0.0.1', '[::1]'])('http://%s is refused where it was not allowed', async (host) => {
    const canary = await listenAsCanary()
    const { dispatcher, reasons } = setUpDispatcher({ allowLocalEndpoints: false })
    await dispatchTo(dispatcher, `http://${host}:${canary.port}/svc`)
    expect(reasons).toEqual(['REFUSED_ADDRESS'])
    expect(canary.connections()).toBe(0)
  })

  test('localhost is loopback by definition: no name server is asked', async () => {
    const endpoint = await setUpEndpoint({ handle: { 'search-products': () => ({ output: 'here' }) } })
    const { dispatcher } = setUpDispatcher({ resolve: async () => ['93.184.216.34'] })
    const target = { ...targetOf(endpoint), endpoint: `http://localhost:${endpoint.port}/svc` }
    expect(await dispatcher.dispatch(target, callOf())).toMatchObject({ ok: true, output: JsonDocument.of('here') })
  })
})

describe('the lookup that sockets use', () => {
  function ask(lookup: ReturnType<typeof createGuardedLookup>, options: { all?: boolean }) {
    return new Promise((resolve) => {
      lookup('shop.example', options, (error, address, family) => resolve({ code: error?.name, address, family }))
    })
  }

  // holds OUT-13
  test('it returns exactly the addresses that it checked, one or all of them', async () => {
    const lookup = createGuardedLookup(async () => ['93.184.216.34', '2606:4700::1111'])
    const both = [
      { address: '93.184.216.34', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ]
    expect(await ask(lookup, { all: true })).toEqual({ code: undefined, address: both, family: undefined })
    expect(await ask(lookup, {})).toEqual({ code: undefined, address: '93.184.216.34', family: 4 })
  })

  test('a name that was public once is checked again on the next connection', async () => {
    const answers = [['93.184.216.34'], ['169.254.169.254'], ['93.184.216.34', '127.0.0.1']]
    const lookup = createGuardedLookup(async () => answers.shift() ?? [])
    expect(await ask(lookup, {})).toMatchObject({ address: '93.184.216.34' })
    expect(await ask(lookup, {})).toMatchObject({ code: 'RefusedAddressError', address: [] })
    expect(await ask(lookup, { all: true })).toMatchObject({ code: 'RefusedAddressError', address: [] })
  })
})
