import { expect, test } from 'vitest'
import { refusalOf } from '../support/answers.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { executed, saying, setScene } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'

function times<T>(count: number, ask: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => ask(index)))
}

describeEngines('the limits of a page', (engine) => {
  const database = useDatabase(engine)

  // holds CPR-09, LIM-03
  test('execute and the capability route share 60 requests a minute; the broker’s are untouched', async () => {
    const { execute, call, broker } = await setScene(database())
    const answers = await times(80, (index) => (index % 2 ? execute() : call({ capability: 'echo' })))
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(60)
    const refused = answers.filter(({ statusCode }) => statusCode === 429)
    expect(refused).toHaveLength(20)
    expect(refused[0]?.json()).toEqual({ error: { code: 'rate_limit_exceeded', message: expect.any(String) } })
    expect((await broker('echo')).headers['ratelimit-remaining']).toBe('59')
  })

  // holds LIM-04
  test('callers at many addresses share the rate limit of the runtime', async () => {
    const { service, runtime } = await setScene(database())
    const answers = await times(80, (index) =>
      service.inject({
        method: 'POST',
        url: '/v1/runtime/execute',
        remoteAddress: `203.0.113.${index}`,
        headers: { authorization: `Bearer ${runtime.publicKey}`, 'content-type': 'application/json' },
        payload: JSON.stringify(saying()),
      }),
    )
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(60)
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(20)
  })

  // holds LIM-08
  test('the headers count down, and say when the bucket is full again', async () => {
    const { execute } = await setScene(database())
    const seen = []
    for (let index = 0; index < 3; index += 1) {
      const { headers } = await execute()
      seen.push([headers['ratelimit-limit'], headers['ratelimit-remaining'], headers['ratelimit-reset']])
    }
    expect(seen).toEqual([
      ['60', '59', '1'],
      ['60', '58', '2'],
      ['60', '57', '3'],
    ])
  })

  // holds ERR-12
  test('Retry-After of the rate limit is exact', async () => {
    const { service, execute } = await setScene(database())
    await times(60, () => execute())
    expect((await execute()).headers['retry-after']).toBe('1')
    service.clock.advance(999)
    expect((await times(3, () => execute())).map(({ statusCode }) => statusCode)).toEqual([429, 429, 429])
    service.clock.advance(1)
    expect((await times(3, () => execute())).map(({ statusCode }) => statusCode).sort()).toEqual([200, 429, 429])
  })

  // holds ERR-12, TRC-04
  test('Retry-After of the quota is exact, and the owner’s execute has no rate limit', async () => {
    const { service, executeAsOwner } = await setScene(database())
    const answers = await times(201, () => executeAsOwner())
    const refused = answers.filter(({ statusCode }) => statusCode === 429)
    expect(refused).toHaveLength(1)
    expect(refused[0]?.headers).toMatchObject({ 'retry-after': '36' })
    expect(
      answers.flatMap(({ headers }) => Object.keys(headers)).filter((name) => name.startsWith('ratelimit')),
    ).toEqual([])
    service.clock.advance(35_999)
    await service.renew()
    expect((await executeAsOwner()).statusCode).toBe(429)
    service.clock.advance(1)
    expect((await times(3, () => executeAsOwner())).map(({ statusCode }) => statusCode).sort()).toEqual([200, 429, 429])
  })

  // holds ERR-12
  test('the messages of an exhausted quota, an exceeded rate and an exhausted anonymous share differ', async () => {
    const { service, execute, executeAsOwner, broker } = await setScene(database())
    const brokered = await times(51, () => broker('echo'))
    await times(60, () => execute())
    const rate = refusalOf(await execute(), 'rate_limit_exceeded')
    service.clock.advance(60_000)
    await service.renew()
    // More than enough to spend what is left and what has flowed in since.
    const rest = await times(100, () => executeAsOwner())
    const [quota] = rest.filter(({ statusCode }) => statusCode === 429)
    const [share] = brokered.filter(({ statusCode }) => statusCode === 429)
    const spent = [quota, share].map((answer) => answer && refusalOf(answer, 'rate_limit_exceeded'))
    expect([rate, ...spent]).toEqual([
      expect.stringMatching(/^Too many requests .* minute\.$/),
      expect.stringMatching(/^The quota .* used up/),
      expect.stringMatching(/^The share .* anonymous .* used up/),
    ])
  })

  // holds LIM-05, LIM-06
  test('an execution of many steps is one unit, taken at its admission', async () => {
    const { service, endpoint, execute, executeAsOwner, trace } = await setScene(database())
    await times(199, () => executeAsOwner())
    const call = calls({ name: 'echo', input: { text: 'a' } }, { name: 'echo', input: { text: 'b' } })
    service.model.say(call, call, call, text('Done.'))
    const { executionId, status } = executed(await execute())
    expect(status).toBe('completed')
    expect(await trace(executionId)).toMatchObject({ steps: 4, capabilityCalls: { length: 6 } })
    expect(endpoint.effects).toHaveLength(6)
    refusalOf(await execute(), 'rate_limit_exceeded')
  })

  // holds LIM-09
  test('Retry-After is rounded up to whole seconds', async () => {
    const { service, executeAsOwner } = await setScene(database())
    await times(200, () => executeAsOwner())
    service.clock.advance(500)
    expect((await executeAsOwner()).headers['retry-after']).toBe('36')
    service.clock.advance(35_000)
    await service.renew()
    expect((await executeAsOwner()).headers['retry-after']).toBe('1')
    service.clock.advance(500)
    expect((await executeAsOwner()).statusCode).toBe(200)
  })
})
