import { AllowedOrigins, RuntimeDetail } from '@svc/contract'
import { expect, onTestFinished, test } from 'vitest'
import type { Database } from '../../src/store/database.ts'
import { faultsIn } from '../support/answers.ts'
import { describeEngine, describeEngines, useDatabase } from '../support/engines.ts'
import { startService } from '../support/service.ts'

const GOOD = [
  'https://shop.example.com',
  'http://shop.example.com',
  'https://shop.example.com:8443',
  'http://localhost:3000',
  'http://127.0.0.1',
  'http://[::1]:3000',
  'https://xn--bcher-kva.example',
  'https://203.0.113.7',
]

/** Entries that are no bare origin, with the origin that their refusal must offer. */
const REPAIRABLE = [
  ['https://shop.example.com/', 'https://shop.example.com'],
  ['https://shop.example.com/cart', 'https://shop.example.com'],
  ['https://shop.example.com?x=1', 'https://shop.example.com'],
  ['https://shop.example.com#x', 'https://shop.example.com'],
  ['https://shop.example.com:443', 'https://shop.example.com'],
  ['http://shop.example.com:80', 'http://shop.example.com'],
  ['https://Shop.Example.com', 'https://shop.example.com'],
  ['HTTPS://shop.example.com', 'https://shop.example.com'],
  ['https://user@shop.example.com', 'https://shop.example.com'],
  ['https://bücher.example', 'https://xn--bcher-kva.example'],
  ['http://2130706433', 'http://127.0.0.1'],
] as const

const HOPELESS = [
  ' https://shop.example.com',
  'https://shop.example.com ',
  'https:shop.example.com',
  '',
  '*',
  'https://*.example.com',
  'null',
  'shop.example.com',
  '//shop.example.com',
  'https://',
  'ftp://shop.example.com',
  'file:///',
  'chrome-extension://abcdef',
  'javascript:alert(1)',
  'data:,x',
  'https://shop example.com',
]

describeEngines('allowed origins', (engine) => {
  const database = useDatabase(engine)

  // holds RTR-03
  test('the list is replaced as a whole, keeps its order without repeats, and is shown in the detail', async () => {
    const { runtimeId, put, read } = await startWithRuntime(database())
    for (const origins of [GOOD, ['https://a.example'], [], ['https://b.example']]) {
      const answer = await put([...origins, ...origins])
      expect(answer.statusCode).toBe(200)
      expect(AllowedOrigins.parse(answer.json())).toEqual({ runtimeId, allowedOrigins: origins })
      expect((await read()).allowedOrigins).toEqual(origins)
    }
  })

  // holds RT-11, RTR-06
  test('50 entries are accepted, 51 are not', async () => {
    const { put, read } = await startWithRuntime(database())
    const origins = Array.from({ length: 51 }, (_, index) => `https://shop-${index}.example.com`)
    expect((await put(origins.slice(0, 50))).statusCode).toBe(200)
    expect(faultsIn(await put(origins))).toEqual({ origins: [expect.stringContaining('50')] })
    expect((await read()).allowedOrigins).toHaveLength(50)
  })
})

// Origins are judged before any store is asked: one engine tells as much as two.
describeEngine('sqlite', 'an allowed origin', (engine) => {
  const database = useDatabase(engine)

  // holds ORG-07, RTR-04
  test.each(REPAIRABLE)('“%s” is refused with the origin to use instead', async (entry, origin) => {
    const { put, read } = await startWithRuntime(database())
    await put(['https://before.example'])
    const faults = faultsIn(await put(['https://a.example', entry]))
    expect(faults).toEqual({ origins: [expect.stringContaining(`use “${origin}”`)] })
    expect((await read()).allowedOrigins).toEqual(['https://before.example'])
    expect((await put([origin])).statusCode).toBe(200)
  })

  // holds RTR-05
  test('a value that is no web origin is refused with an example of one', async () => {
    const { put } = await startWithRuntime(database())
    const faults = faultsIn(await put(HOPELESS))
    expect(faults).toEqual({ origins: HOPELESS.map(() => expect.stringContaining('https://shop.example.com')) })
  })
})

async function startWithRuntime(database: Database) {
  const service = await startService(database)
  onTestFinished(() => service.close())
  const owner = await service.owner()
  const { runtimeId } = await service.runtime(owner)
  const url = `/v1/runtimes/${runtimeId}`
  const put = (origins: unknown) =>
    service.send('PUT', `${url}/allowed-origins`, { key: owner.apiKey, body: { origins } })
  const read = async () => RuntimeDetail.parse((await service.send('GET', url, { key: owner.apiKey })).json())
  return { service, runtimeId, put, read }
}
