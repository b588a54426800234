import { describe, expect, test } from 'vitest'
import { refusalOf } from '../support/answers.ts'
import { deferred } from '../support/deferred.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { setReplicatedScene } from '../support/replicas.ts'
import { dumpTables } from '../support/scene.ts'
import { PASSWORD, startForTest, type TestService } from '../support/service.ts'
import { askToSignIn, askToSignUp, newAddress } from '../support/sign-in.ts'

const MINUTE_MS = 60_000

describeEngines('attempts', (engine) => {
  const database = useDatabase(engine)

  test('at one address: ten in a row, then one every 90 seconds, from wherever they come', async () => {
    const service = await startForTest(database())
    const email = newAddress()
    const attempt = (index: number) => askToSignIn(service, { email, ip: `192.0.2.${index}` })
    for (let index = 0; index < 10; index += 1) expect((await attempt(index)).statusCode).toBe(401)
    const refused = await attempt(10)
    expect(refusalOf(refused, 'rate_limit_exceeded')).toMatch(/^Too many attempts/)
    expect(refused.headers['retry-after']).toBe('90')
    service.clock.advance(89_999)
    expect((await attempt(11)).headers['retry-after']).toBe('1')
    service.clock.advance(1)
    expect((await attempt(12)).statusCode).toBe(401)
    expect((await attempt(13)).statusCode).toBe(429)
    service.clock.advance(15 * MINUTE_MS)
    for (let index = 0; index < 10; index += 1) expect((await attempt(index)).statusCode).toBe(401)
    expect((await attempt(10)).statusCode).toBe(429)
  })

  test('at one address are counted in any case, whether or not it has an account', async () => {
    const service = await startForTest(database())
    const owner = await service.owner()
    await service.signedIn(owner)
    for (const email of [owner.email, newAddress()]) {
      for (let index = 0; index < 10; index += 1) {
        await askToSignIn(service, { email: index % 2 ? email : email.toUpperCase(), password: 'wrong' })
      }
      expect((await askToSignIn(service, { email })).statusCode).toBe(429)
    }
  })

  test('a success makes no room for more: neither at the address nor from the network', async () => {
    const service = await startForTest(database())
    const owner = await service.owner()
    await service.signedIn(owner)
    const statuses: number[] = []
    for (let index = 0; index < 11; index += 1) {
      const password = index % 2 ? PASSWORD : 'wrong'
      statuses.push((await askToSignIn(service, { email: owner.email, password })).statusCode)
    }
    expect(statuses).toEqual([401, 200, 401, 200, 401, 200, 401, 200, 401, 200, 429])
  })

  test('from one network: fifty, at whichever addresses; others are not held back', async () => {
    const service = await startForTest(database())
    const attempt = (ip: string) => askToSignIn(service, { email: newAddress(), ip })
    const statuses = await Promise.all(Array.from({ length: 60 }, () => attempt('198.51.100.7')))
    expect(statuses.filter(({ statusCode }) => statusCode === 401)).toHaveLength(50)
    const refused = await attempt('198.51.100.7')
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '18'])
    expect((await attempt('198.51.100.8')).statusCode).toBe(401)
  })

  test('a refused one at a spent address costs its network nothing', async () => {
    const service = await startForTest(database())
    const email = newAddress()
    await Promise.all(Array.from({ length: 70 }, () => askToSignIn(service, { email, ip: '198.51.100.9' })))
    const others = await Promise.all(
      Array.from({ length: 50 }, () => askToSignIn(service, { email: newAddress(), ip: '198.51.100.9' })),
    )
    expect(others.filter(({ statusCode }) => statusCode === 401)).toHaveLength(40)
  })

  test('forty at once at one address, on two replicas: ten get to the password', async () => {
    const { a, b } = await setReplicatedScene(engine)
    const email = newAddress()
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        askToSignIn((index % 2 ? a : b).service, { email, ip: `192.0.2.${index}` }),
      ),
    )
    expect(answers.filter(({ statusCode }) => statusCode === 401)).toHaveLength(10)
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(30)
  })

  test('to open accounts: ten an hour from one network', async () => {
    const service = await startForTest(database())
    const attempt = (ip: string) => askToSignUp(service, { email: newAddress(), ip })
    const answers = await Promise.all(Array.from({ length: 15 }, () => attempt('203.0.113.5')))
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(10)
    expect((await attempt('203.0.113.5')).headers['retry-after']).toBe('360')
    expect((await attempt('203.0.113.6')).statusCode).toBe(201)
    service.clock.advance(6 * MINUTE_MS)
    expect((await attempt('203.0.113.5')).statusCode).toBe(201)
    expect((await attempt('203.0.113.5')).statusCode).toBe(429)
  })

  test('one for which there is no place in the line for passwords is not counted, and may be repeated', async () => {
    const service = await startForTest(database())
    const owner = await service.owner()
    const session = await service.signedIn(owner)
    const body = { currentPassword: 'wrong', newPassword: 'another battery staple' }
    const asks = [
      () => askToSignIn(service, { email: owner.email, ip: '192.0.2.44' }),
      () => askToSignUp(service, { email: newAddress(), ip: '192.0.2.44' }),
      () => service.send('POST', '/v1/account/password', { key: session, body }),
    ]
    const empty = fillLine(service)
    for (let index = 0; index < 36; index += 1) {
      const refused = await asks[index % 3]?.()
      expect(refused && refusalOf(refused, 'rate_limit_exceeded')).toMatch(/^Too many people/)
      expect(refused?.headers['retry-after']).toBe('1')
    }
    await empty()
    const statuses: (number | undefined)[] = []
    for (let index = 0; index < 24; index += 1) statuses.push((await asks[index % 2]?.())?.statusCode)
    expect(statuses.filter((status) => status === 200)).toHaveLength(10)
    expect(statuses.filter((status) => status === 201)).toHaveLength(10)
  })

  test('one too many is told so, and takes no place in the line for passwords', async () => {
    const service = await startForTest(database())
    const email = newAddress()
    for (let index = 0; index < 10; index += 1) await askToSignIn(service, { email })
    const empty = fillLine(service)
    expect(refusalOf(await askToSignIn(service, { email }), 'rate_limit_exceeded')).toMatch(/^Too many attempts/)
    await empty()
  })

  test('a request that is not valid is not counted', async () => {
    const service = await startForTest(database())
    const email = newAddress()
    for (let index = 0; index < 12; index += 1) {
      expect((await askToSignIn(service, { email, password: '' })).statusCode).toBe(400)
    }
    expect((await askToSignIn(service, { email })).statusCode).toBe(401)
  })

  test('are kept without the address, and let go of once they hold nobody back', async () => {
    const service = await startForTest(database())
    const email = newAddress()
    const countRows = async () => (await database().db.selectFrom('throttles').selectAll().execute()).length
    const before = await countRows()
    await askToSignIn(service, { email, ip: '203.0.113.77' })
    expect(await countRows()).toBe(before + 2)
    const dump = await dumpTables(database())
    for (const trace of [email, email.slice(0, 36), '203.0.113.77']) expect(dump).not.toContain(trace)
  })

  describe('the network', () => {
    test('is the peer, whatever the request says, where no proxy is configured', async () => {
      const service = await startForTest(database())
      const statuses = await fromBehindProxy(
        service,
        Array.from({ length: 51 }, (_, index) => `192.0.2.${index}`),
      )
      expect(statuses.filter((status) => status === 401)).toHaveLength(50)
    })

    test('is what the one proxy of ours saw; what stands before it is the caller’s own word', async () => {
      const service = await startForTest(database(), { proxyHops: 1 })
      const claims = Array.from({ length: 51 }, (_, index) => `192.0.2.${index}, 198.51.100.4`)
      expect((await fromBehindProxy(service, claims)).filter((status) => status === 401)).toHaveLength(50)
      expect(await fromBehindProxy(service, ['198.51.100.5'])).toEqual([401])
    })

    test('of an IPv6 address is its first 64 bits; an IPv4 address inside of one is that IPv4 address', async () => {
      const service = await startForTest(database())
      const neighbours = Array.from({ length: 50 }, (_, index) => `2001:db8:1:2::${index.toString(16)}`)
      const at = async (ip: string) => (await askToSignIn(service, { email: newAddress(), ip })).statusCode
      for (const ip of neighbours) expect(await at(ip)).toBe(401)
      expect(await at('2001:db8:1:2:ffff::1')).toBe(429)
      expect(await at('2001:db8:1:3::1')).toBe(401)
      for (let index = 0; index < 50; index += 1) expect(await at('192.0.2.200')).toBe(401)
      expect(await at('::ffff:192.0.2.200')).toBe(429)
    })
  })
})

/** Takes every place in the line for passwords. The function gives them back. */
function fillLine({ deps: { auth } }: TestService): () => Promise<void> {
  const over = deferred()
  const visits: Promise<void>[] = []
  let isFull = false
  while (!isFull) {
    const visit = auth.inLine(async (line) => {
      try {
        line.takePlace()
      } catch {
        isFull = true
        return
      }
      await over.promise
    })
    visits.push(visit)
  }
  return async () => {
    over.resolve()
    await Promise.all(visits)
  }
}

/** Attempts that one proxy at 127.0.0.1 hands on, each with its own `x-forwarded-for`. */
async function fromBehindProxy(service: TestService, forwarded: readonly string[]): Promise<number[]> {
  const answers = await Promise.all(
    forwarded.map((header) =>
      service.send('POST', '/v1/auth/sign-in', {
        body: { email: newAddress(), password: 'wrong' },
        headers: { 'x-forwarded-for': header },
      }),
    ),
  )
  return answers.map(({ statusCode }) => statusCode)
}
