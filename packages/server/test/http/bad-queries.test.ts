import { describe, expect, test } from 'vitest'
import { faultsIn, refusalOf } from '../support/answers.ts'
import { describeEngine, describeEngines, useDatabase } from '../support/engines.ts'
import { setScene, useScene } from '../support/scene.ts'

const cursor = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url')

const PAGING = {
  limit: ['0', '201', '1000000000', 'x', '', '-1', '1.5', '1e2', '0x10', ' 5', '+5', 'NaN', '９', '5&limit=6', '[]'],
  cursor: [
    '',
    'x',
    'null',
    '0',
    '%ff',
    '..%2f..',
    'a'.repeat(513),
    `${cursor([1, 'rt_abcd'])}&cursor=${cursor([1, 'rt_abcd'])}`,
    cursor(null),
    cursor([]),
    cursor([1]),
    cursor(['1', 'rt_abcd']),
    cursor([1.5, 'rt_abcd']),
    cursor([1e300, 'rt_abcd']),
    cursor([1, 2]),
    cursor([1, '']),
    cursor([1, 'rt_\0']),
    cursor([1, "' or 1=1 --"]),
    cursor([1, 'rt_abcd', 1]),
    cursor({ at: 1, id: 'rt_abcd' }),
  ],
}

const TIMES = [
  '',
  'yesterday',
  '2026-13-01',
  '2026-02-30',
  '2026-02-29',
  '2026-01-01T25:00:00Z',
  '2026-01-01T12:00:00',
  '2026-01-01 12:00:00Z',
  '2026-01-01T12:00:00%2B99:00',
  '01/02/2026',
  '-1',
  '1.5',
  '1e12',
  'Infinity',
  '9'.repeat(16),
  '%2B1',
  '2026-01-01&from=2026-01-01&to=2026-01-01',
]

const FILTERS = {
  from: TIMES,
  to: TIMES,
  status: ['', 'done', 'COMPLETED', 'running,failed', 'running&status=failed', '__proto__', 'toString'],
}

const BAD_QUERIES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  '/v1/runtimes': { ...PAGING, projectId: ['proj_1&projectId=proj_2'] },
  '/v1/account/keys': PAGING,
  '/v1/executions': {
    ...PAGING,
    ...FILTERS,
    runtimeId: ['rt_abcd&runtimeId=rt_efgh'],
    projectId: ['proj_1&projectId=proj_2'],
  },
  '/v1/traces/runtime/rt_abcd': { ...PAGING, ...FILTERS, projectId: ['proj_1&projectId=proj_2'] },
  '/v1/projects': PAGING,
  '/v1/analytics/summary': {
    from: TIMES,
    to: TIMES,
    bucket: ['', 'week', 'HOUR', 'hour,day', 'day&bucket=hour', '__proto__', '3600000'],
    runtimeId: ['rt_abcd&runtimeId=rt_efgh'],
    projectId: ['proj_1&projectId=proj_2'],
  },
}

// A store is asked for the credential alone: one engine tells as much as two.
describeEngine('sqlite', 'a bad query', (engine) => {
  const scene = useScene(useDatabase(engine))

  describe.each(Object.entries(BAD_QUERIES))('of GET %s', (path, parameters) => {
    // holds LST-04, TRC-08
    test.each(Object.entries(parameters))('is refused, and “%s” named', async (name, values) => {
      const { service, owner } = scene()
      for (const value of values) {
        const answer = await service.send('GET', `${path}?${name}=${value}`, { key: owner.apiKey })
        const faults = faultsIn(answer)
        expect([value, Object.keys(faults)]).toEqual([value, expect.arrayContaining([name])])
      }
    })

    test('names every bad parameter at once', async () => {
      const { service, owner } = scene()
      const names = Object.keys(parameters).filter((name) => !name.endsWith('Id'))
      const answer = await service.send('GET', `${path}?${names.map((name) => `${name}=@`).join('&')}`, {
        key: owner.apiKey,
      })
      expect(Object.keys(faultsIn(answer)).sort()).toEqual(names.sort())
    })
  })

  // holds LST-03
  test.each(Object.keys(BAD_QUERIES))('unknown parameters of GET %s are refused', async (path) => {
    const { service, owner } = scene()
    const unknown = ['offset', 'page', 'runtimeID', 'constructor', 'toString']
    const query = unknown.map((name) => `${name}=1`).join('&')
    const faults = faultsIn(await service.send('GET', `${path}?${query}`, { key: owner.apiKey }))
    expect(Object.keys(faults).sort()).toEqual([...unknown].sort())
  })
})

describeEngines('an address', (engine) => {
  const database = useDatabase(engine)

  test('a NUL in an address is refused on every kind of route, before the store is asked', async () => {
    const { service, owner, runtime } = await setScene(database())
    const addresses = [
      ['GET', '/v1/runtimes/rt_%00', owner.apiKey],
      ['GET', '/v1/runtimes?projectId=%00', owner.apiKey],
      ['GET', '/v1/executions/exec_%00', owner.apiKey],
      ['GET', '/v1/executions?%00=1', owner.apiKey],
      ['GET', `/v1/runtime/${runtime.runtimeId}%00/manifest`, undefined],
      ['POST', `/v1/capabilities/${runtime.runtimeId}/%00`, undefined],
      ['POST', '/v1/capabilities/%00/echo', undefined],
    ] as const
    for (const [method, url, key] of addresses) {
      const answer = await service.send(method, url, key === undefined ? {} : { key })
      expect(faultsIn(answer)).toEqual({ url: ['must not contain the NUL character.'] })
    }
  })

  test('an id of another spelling or length reads as absent', async () => {
    const { service, owner } = await setScene(database())
    const ids = [
      'rt_',
      '%20',
      "'%20or%201=1",
      '%2e%2e%2f',
      '%F0%9F%91%9F',
      'a'.repeat(8_000),
      '__proto__',
      'constructor',
    ]
    for (const id of ids) {
      refusalOf(await service.send('GET', `/v1/runtimes/${id}`, { key: owner.apiKey }), 'not_found')
      refusalOf(await service.send('GET', `/v1/executions/${id}`, { key: owner.apiKey }), 'not_found')
      refusalOf(await service.send('GET', `/v1/traces/${id}`, { key: owner.apiKey }), 'not_found')
      refusalOf(await service.send('GET', `/v1/traces/runtime/${id}`, { key: owner.apiKey }), 'not_found')
      refusalOf(await service.send('GET', `/v1/projects/${id}`, { key: owner.apiKey }), 'not_found')
      refusalOf(await service.send('GET', `/v1/executions?runtimeId=${id}`, { key: owner.apiKey }), 'not_found')
      refusalOf(await service.send('GET', `/v1/executions?projectId=${id}`, { key: owner.apiKey }), 'not_found')
      refusalOf(await service.send('GET', `/v1/runtime/${id}/manifest`), 'not_found')
      refusalOf(await service.send('POST', `/v1/capabilities/${id}/echo`, { body: {} }), 'not_found')
      refusalOf(await service.send('POST', `/v1/capabilities/rt_x/${id}`, { body: {} }), 'not_found')
    }
  })

  test('an address that cannot be decoded is refused', async () => {
    const { service, owner } = await setScene(database())
    for (const url of ['/%', '/%zz', '/v1/runtimes/%ff', '/v1/runtimes/%ED%A0%80']) {
      const answer = await service.send('GET', url, { key: owner.apiKey })
      expect(Object.keys(faultsIn(answer))).toEqual(['url'])
      expect(answer.headers['x-request-id']).toBeDefined()
    }
  })

  test('the bounds of a limit and all spellings of a time are accepted', async () => {
    const { service, owner } = await setScene(database())
    const get = (url: string) => service.send('GET', url, { key: owner.apiKey })
    for (const limit of [1, 200, '007']) expect((await get(`/v1/runtimes?limit=${limit}`)).statusCode).toBe(200)
    const times = [
      '2026-03-01',
      '2026-03-01T12:00:00Z',
      '2026-03-01T12:00:00.123Z',
      '2026-03-01T12:00:00%2B02:00',
      '0',
      '1772366400000',
    ]
    for (const time of times) {
      expect((await get(`/v1/executions?from=${time}&to=${time}`)).statusCode).toBe(200)
    }
  })
})
