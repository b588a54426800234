import { CreatedRuntime, RuntimeDetail } from '@svc/contract'
import { expect, onTestFinished, test } from 'vitest'
import { faultsIn } from '../support/answers.ts'
import { describeEngine, describeEngines, useDatabase } from '../support/engines.ts'
import { startService } from '../support/service.ts'

const GOOD: Readonly<Record<string, readonly string[]>> = {
  name: ['A', 'a'.repeat(100), 'Überladen 👟', '  trimmed  '],
  version: ['0.0.0', '1.0.0-beta.1+build.5', '10.20.30', '1', 'latest', 'v'.repeat(64)],
  endpoint: [
    'https://shop.example.com',
    'https://shop.example.com:8443/svc?shop=1',
    'https://bücher.example/svc',
    'https://203.0.113.7/svc',
    'http://localhost',
    'http://localhost:3000/svc',
    'http://127.0.0.1:3000/svc',
    'http://[::1]:3000/svc',
  ],
}

const BAD: Readonly<Record<string, readonly string[]>> = {
  runtimeId: [
    '',
    'rt_',
    'rt_abc',
    'shop',
    'RT_shop1',
    'rt_a b c d',
    'rt_shop.one',
    'rt_shöp1',
    ` rt_shop1`,
    'rt_shop1\n',
    `rt_${'a'.repeat(65)}`,
  ],
  name: ['', '   ', '\t\n', 'a'.repeat(101)],
  version: ['', 'v'.repeat(65)],
  endpoint: [
    '',
    'shop.example.com',
    '/svc',
    '//shop.example.com/svc',
    'https://',
    'http://shop.example.com/svc',
    'http://127.0.0.2/svc',
    'http://10.0.0.1/svc',
    'http://0.0.0.0/svc',
    'http://[::2]/svc',
    'http://localhost.example.com/svc',
    'http://127.0.0.1.example.com/svc',
    'http://localhost@shop.example.com/svc',
    'http://user:password@localhost/svc',
    'https://user@shop.example.com/svc',
    'https://:password@shop.example.com/svc',
    'https://shop.example.com/svc#part',
    'ftp://shop.example.com/svc',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/plain,hi',
    'wss://shop.example.com/svc',
    'https://shop.example.com:99999/svc',
    'https://shop example.com/svc',
    `https://shop.example.com/${'a'.repeat(2048)}`,
  ],
}

describeEngines('fields of a registration', (engine) => {
  const database = useDatabase(engine)

  // holds RT-05, RT-09
  test.each(Object.entries(GOOD))('every form of a good %s is stored', async (field, values) => {
    const service = await startService(database())
    onTestFinished(() => service.close())
    const owner = await service.owner('enterprise')
    for (const value of values) {
      const answer = await service.send('POST', '/v1/runtimes', {
        key: owner.apiKey,
        body: { name: 'Shop', [field]: value },
      })
      const { runtimeId } = CreatedRuntime.parse(answer.json())
      const seen = RuntimeDetail.parse(
        (await service.send('GET', `/v1/runtimes/${runtimeId}`, { key: owner.apiKey })).json(),
      )
      expect(seen).toMatchObject({ [field]: value.trim() })
    }
  })

  // holds RT-01
  test('ids of 4 to 64 letters, digits, underscores and hyphens are accepted', async () => {
    const service = await startService(database())
    onTestFinished(() => service.close())
    const owner = await service.owner('enterprise')
    for (const runtimeId of ['rt_abcd', 'rt_0_-A9', `rt_${'x'.repeat(64)}`]) {
      const answer = await service.send('POST', '/v1/runtimes', {
        key: owner.apiKey,
        body: { name: 'Shop', runtimeId },
      })
      expect(answer.json()).toMatchObject({ runtimeId })
    }
  })
})

// Fields are judged before any store is asked: one engine tells as much as two.
describeEngine('sqlite', 'bad fields of a registration', (engine) => {
  const database = useDatabase(engine)

  // holds REG-11, RT-01, RT-08
  test.each(Object.entries(BAD))(
    'every form of a bad %s is refused, and only that field named',
    async (field, values) => {
      const service = await startService(database())
      onTestFinished(() => service.close())
      const owner = await service.owner('enterprise')
      const { runtimeId } = await service.runtime(owner)
      for (const value of values) {
        for (const body of [{ name: 'Shop' }, { name: 'Shop', runtimeId }]) {
          const answer = await service.send('POST', '/v1/runtimes', {
            key: owner.apiKey,
            body: { ...body, [field]: value },
          })
          expect([value, Object.keys(faultsIn(answer))]).toEqual([value, [field]])
        }
      }
      const listed = (await service.send('GET', '/v1/runtimes', { key: owner.apiKey })).json()
      expect(listed.runtimes).toHaveLength(1)
    },
  )

  test('all faults are reported at once', async () => {
    const service = await startService(database())
    onTestFinished(() => service.close())
    const owner = await service.owner()
    const body = { runtimeId: 'shop', name: '', version: '', endpoint: 'http://a.example', tier: 'pro', colour: 'red' }
    const faults = faultsIn(await service.send('POST', '/v1/runtimes', { key: owner.apiKey, body }))
    expect(Object.keys(faults).sort()).toEqual(['colour', 'endpoint', 'name', 'runtimeId', 'tier', 'version'])
    expect(faults['endpoint']).toEqual([expect.stringContaining('https://')])
    expect(faults['colour']).toEqual([expect.stringContaining('not a known field')])
  })
})
