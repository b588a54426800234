import { Endpoint, endpointProblem, isLocalHost, Origin, originProblem, WebUrl } from '@svc/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

describe('endpoints', () => {
  test.each(['https://shop.example.com:99999/svc', 'https://shop.example.com:80a', 'http://[::1]:65536'])(
    'names the port of %s',
    (endpoint) => {
      expect(endpointProblem(endpoint)).toMatch(/^has the port “[^”]+”: a port is a number from 1 to 65535\.$/)
    },
  )

  test.each([
    'https://shop.example.com',
    'https://shop.example.com/svc',
    'https://shop.example.com:8443/svc?tenant=7',
    'HTTPS://Shop.Example.com/svc',
    'https://xn--bcher-kva.example/svc',
    'https://bücher.example/svc',
    'https://my_host.example.com/',
    'https://93.184.216.34/svc',
    'https://[2606:2800:220:1::1]/svc',
    'http://localhost',
    'http://LOCALHOST:3000/svc',
    'http://127.0.0.1:8788/svc',
    'http://[::1]:8788/svc',
    'https://localhost:8443',
  ])('accepts %s', (endpoint) => {
    expect(endpointProblem(endpoint)).toBeNull()
    expect(Endpoint.parse(endpoint)).toBe(endpoint)
  })

  // holds RT-09
  test.each([
    'http://shop.example.com/svc',
    'http://localhost.',
    'http://localhost.example.com',
    'http://127.0.0.2',
    'http://0.0.0.0',
    'http://[::]',
    'http://[::ffff:127.0.0.1]',
    'http://192.168.1.10:8080',
    'http://10.0.0.1',
    'http://host.docker.internal',
  ])('refuses plain http at %s and names the hosts that may', (endpoint) => {
    expect(endpointProblem(endpoint)).toContain('localhost, 127.0.0.1 and [::1] only')
  })

  test.each([
    '',
    'shop.example.com',
    '/svc',
    '//shop.example.com/svc',
    'https:',
    'https://',
    'https:shop.example.com',
    'https:/shop.example.com',
    'https:///shop.example.com',
    'https:\\\\shop.example.com',
    ' https://shop.example.com',
    'https://shop.example.com\n',
    'https://shop.example.com/a b',
    'https://shop.exa\tmple.com',
    'https://shop .example.com',
    'https://*.example.com',
    'https://a.com,b.com',
    'https://[::1',
    'mailto:shop@example.com',
    'javascript:alert(1)',
    'data:text/plain,x',
  ])('refuses %j as no absolute URL', (endpoint) => {
    expect(endpointProblem(endpoint)).toContain('must be an absolute URL')
  })

  test.each(['ftp://shop.example.com', 'ws://localhost', 'wss://shop.example.com', 'svc://shop.example.com'])(
    'refuses the scheme of %s',
    (endpoint) => {
      expect(endpointProblem(endpoint)).toContain('must start with https://')
    },
  )

  test.each(['https://user@shop.example.com', 'https://user:pass@shop.example.com', 'https://:p@shop.example.com'])(
    'refuses the credentials in %s',
    (endpoint) => {
      expect(endpointProblem(endpoint)).toContain('must not carry a user name or password')
    },
  )

  test('refuses a fragment, which would never be sent', () => {
    expect(endpointProblem('https://shop.example.com/svc#part')).toContain('fragment')
  })

  test('accepts 2048 characters and no more', () => {
    const base = 'https://shop.example.com/'
    expect(Endpoint.safeParse(base.padEnd(2048, 'a')).success).toBe(true)
    expect(Endpoint.safeParse(base.padEnd(2049, 'a')).success).toBe(false)
  })

  // holds RT-08
  test('whatever is accepted is https, or http to one of the three local hosts', () => {
    const hosts = fc.constantFrom(
      'localhost',
      '127.0.0.1',
      '[::1]',
      '0x7f.1',
      '127.1',
      '2130706433',
      'example.com',
      '127.0.0.1.nip.io',
    )
    const text = fc
      .tuple(
        fc.constantFrom('http:', 'https:', 'HTTP:', 'ftp:'),
        fc.constantFrom('//', '/', '', '\\\\'),
        hosts,
        fc.webPath(),
      )
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.oneof(text, fc.webUrl(), fc.string()), (endpoint) => {
        if (endpointProblem(endpoint) !== null) return
        const url = new URL(endpoint)
        expect(url.protocol === 'https:' || (url.protocol === 'http:' && isLocalHost(url.hostname))).toBe(true)
      }),
      { numRuns: 1000, seed: 1 },
    )
  })
})

test('hosts outside ASCII are judged the same however often they are', () => {
  const judge = (host: string) => [endpointProblem(`https://${host}/svc`), originProblem(`https://${host}`) === null]
  const first = judge('bücher.example')
  for (let times = 0; times < 20_000; times += 1) originProblem('https://bücher.example')
  expect(judge('bücher.example')).toEqual(first)
  expect(first[0]).toBeNull()
})

describe('origins', () => {
  test.each([
    'https://shop.example.com',
    'https://shop.example.com:8443',
    'http://localhost:5173',
    'http://shop.example.com',
    'https://[::1]:3000',
    'https://xn--bcher-kva.example',
  ])('accepts %s', (origin) => {
    expect(originProblem(origin)).toBeNull()
    expect(Origin.parse(origin)).toBe(origin)
  })

  // holds RTR-04
  test.each([
    ['https://shop.example.com/', 'https://shop.example.com'],
    ['https://shop.example.com/cart?x=1#y', 'https://shop.example.com'],
    ['https://shop.example.com?', 'https://shop.example.com'],
    ['https://shop.example.com:443', 'https://shop.example.com'],
    ['http://shop.example.com:80', 'http://shop.example.com'],
    ['HTTPS://Shop.Example.COM', 'https://shop.example.com'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['https://user:pw@shop.example.com', 'https://shop.example.com'],
    ['http://127.1', 'http://127.0.0.1'],
  ])('refuses %s and names %s to use instead', (origin, instead) => {
    expect(originProblem(origin)).toContain(`use “${instead}”`)
    expect(originProblem(instead)).toBeNull()
  })

  test.each([
    '',
    '*',
    'null',
    'shop.example.com',
    '//shop.example.com',
    'https://*.example.com',
    'https://a.com,https://b.com',
    'https:shop.example.com',
    ' https://shop.example.com',
    'file:///home',
    'chrome-extension://abcdef',
    'blob:https://shop.example.com/1',
    'javascript:alert(1)',
  ])('refuses %j, of which no browser’s origin can be made', (origin) => {
    expect(originProblem(origin)).toContain('is not an origin')
  })

  test('whatever is accepted is letter for letter what a browser sends', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, validSchemes: ['http', 'https', 'ftp'] }), (url) => {
        const { origin } = new URL(url)
        if (originProblem(url) === null) expect(url).toBe(origin)
        const isWeb = /^https?:/.test(url)
        expect(originProblem(origin) === null).toBe(isWeb)
      }),
      { numRuns: 500, seed: 2 },
    )
  })
})

describe('website addresses', () => {
  test.each([
    'https://shop.example.com',
    'http://shop.example.com/about?x=1#y',
    'https://bücher.example/ä b',
    'http://localhost:3000',
  ])('accepts %s', (url) => {
    expect(WebUrl.safeParse(url).success).toBe(true)
  })

  // holds DEP-13
  test.each([
    '',
    'shop.example.com',
    'ftp://shop.example.com',
    'javascript:alert(1)',
    'https:shop',
    'https://*.example.com',
    'data:,x',
  ])('refuses %j and shows an address', (url) => {
    expect(WebUrl.safeParse(url).error?.issues[0]?.message).toContain('such as https://shop.example.com')
  })
})
