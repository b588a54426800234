import type { LightMyRequestResponse } from 'fastify'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sweepSessions } from '../../src/accounts/sessions.ts'
import { refusalOf } from '../support/answers.ts'
import { createGate } from '../support/deferred.ts'
import { describeEngine, describeEngines, useDatabase } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { setReplicatedScene } from '../support/replicas.ts'
import { dumpTables } from '../support/scene.ts'
import { PASSWORD, QUICK_HASHER, startForTest, type TestService, type TestServiceOptions } from '../support/service.ts'
import { askToSignIn, askToSignUp, newAddress } from '../support/sign-in.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

describeEngines('attempts to sign in', (engine) => {
  const database = useDatabase(engine)

  // holds ACC-06
  test('at one address are limited to ten in a row, then one every 90 seconds, from any network', async () => {
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

  test('at one address are counted in upper and lower case alike, with or without an account', async () => {
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

  test('that succeed make room once, for their own network', async () => {
    const service = await startForTest(database())
    const owner = await service.owner()
    await service.signedIn(owner)
    const statuses: number[] = []
    for (let index = 0; index < 13; index += 1) {
      const password = index % 2 ? PASSWORD : 'wrong'
      statuses.push((await askToSignIn(service, { email: owner.email, password })).statusCode)
    }
    expect(statuses).toEqual([401, 200, 401, 200, 401, 200, 401, 200, 401, 200, 401, 200, 429])
  })

  describe('of other networks', () => {
    const HOME = '198.51.100.20'

    async function setKnownScene(options: TestServiceOptions = {}) {
      const service = await startForTest(database(), options)
      const owner = await service.owner()
      await service.signedIn(owner)
      const signIn = (ip: string) => askToSignIn(service, { email: owner.email, ip })
      expect((await signIn(HOME)).statusCode).toBe(200)
      const spendAddress = async () => {
        for (let index = 0; index < 11; index += 1) {
          await askToSignIn(service, { email: owner.email, password: 'wrong', ip: `192.0.2.${index}` })
        }
      }
      return { service, owner, signIn, spendAddress }
    }

    // holds ACC-16
    test('do not lock out a network that gave the password lately', async () => {
      const { service, signIn, spendAddress } = await setKnownScene()
      await spendAddress()
      expect((await signIn('203.0.113.99')).statusCode).toBe(429)
      expect((await signIn(HOME)).statusCode).toBe(200)
      const attempts = Array.from({ length: 60 }, () => askToSignIn(service, { email: newAddress(), ip: HOME }))
      expect((await Promise.all(attempts)).map(({ statusCode }) => statusCode)).toContain(429)
      expect((await signIn(HOME)).statusCode).toBe(200)
    })

    test('lock it out again a month after the network was last used', async () => {
      const { service, signIn, spendAddress } = await setKnownScene()
      service.clock.advance(30 * DAY_MS)
      await spendAddress()
      expect((await signIn(HOME)).statusCode).toBe(200)
      service.clock.advance(30 * DAY_MS + 1)
      await spendAddress()
      expect((await signIn(HOME)).statusCode).toBe(429)
      await sweepSessions(service.deps)
      expect(await database().db.selectFrom('known_networks').selectAll().execute()).toEqual([])
    })

    test('do not lock out an account that was opened from the network', async () => {
      const service = await startForTest(database())
      const email = newAddress()
      await askToSignUp(service, { email, ip: HOME })
      for (let index = 0; index < 11; index += 1) {
        await askToSignIn(service, { email, password: 'wrong', ip: `192.0.2.${index}` })
      }
      expect((await askToSignIn(service, { email, ip: HOME })).statusCode).toBe(200)
      expect((await askToSignIn(service, { email, ip: '203.0.113.99' })).statusCode).toBe(429)
    })

    test('leave the twenty networks used last remembered for an account', async () => {
      const { service, owner, signIn, spendAddress } = await setKnownScene()
      for (let index = 1; index <= 20; index += 1) {
        service.clock.advance(2 * MINUTE_MS)
        expect((await signIn(`203.0.113.${index}`)).statusCode).toBe(200)
      }
      await spendAddress()
      expect((await signIn(HOME)).statusCode).toBe(429)
      expect((await signIn('203.0.113.1')).statusCode).toBe(200)
      const kept = database().db.selectFrom('known_networks').selectAll().where('owner_id', '=', owner.ownerId)
      expect(await kept.execute()).toHaveLength(20)
      expect(await dumpTables(database())).not.toMatch(/203\.0\.113|198\.51\.100/)
    })
  })

  // holds ACC-06
  test('from one network are limited to fifty at any addresses; other networks are not affected', async () => {
    const service = await startForTest(database())
    const attempt = (ip: string) => askToSignIn(service, { email: newAddress(), ip })
    const statuses = await Promise.all(Array.from({ length: 60 }, () => attempt('198.51.100.7')))
    expect(statuses.filter(({ statusCode }) => statusCode === 401)).toHaveLength(50)
    const refused = await attempt('198.51.100.7')
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '18'])
    expect((await attempt('198.51.100.8')).statusCode).toBe(401)
  })

  test('that are refused at a full address do not count for their network', async () => {
    const service = await startForTest(database())
    const email = newAddress()
    await Promise.all(Array.from({ length: 70 }, () => askToSignIn(service, { email, ip: '198.51.100.9' })))
    const others = await Promise.all(
      Array.from({ length: 50 }, () => askToSignIn(service, { email: newAddress(), ip: '198.51.100.9' })),
    )
    expect(others.filter(({ statusCode }) => statusCode === 401)).toHaveLength(40)
  })

  test('forty at once at one address on two replicas reach the password check ten times', async () => {
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

  // holds ACC-14
  test('to open accounts are limited to ten an hour from one network', async () => {
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

  test('with an invalid request are not counted', async () => {
    const service = await startForTest(database())
    const email = newAddress()
    for (let index = 0; index < 12; index += 1) {
      expect((await askToSignIn(service, { email, password: '' })).statusCode).toBe(400)
    }
    expect((await askToSignIn(service, { email })).statusCode).toBe(401)
  })

  test('are stored without the address, and deleted when they have no effect any more', async () => {
    const service = await startForTest(database())
    const email = newAddress()
    const countRows = async () => (await database().db.selectFrom('throttles').selectAll().execute()).length
    const before = await countRows()
    await askToSignIn(service, { email, ip: '203.0.113.77' })
    expect(await countRows()).toBe(before + 2)
    const dump = await dumpTables(database())
    for (const trace of [email, email.slice(0, 36), '203.0.113.77']) expect(dump).not.toContain(trace)
  })
})

// Queues and networks are no matter of a store: one engine tells as much as two.
describeEngine('sqlite', 'attempts to sign in', (engine) => {
  const database = useDatabase(engine)

  describe('that wait for their hash', () => {
    /** A hasher that holds up wrong passwords. */
    async function setWaitingScene() {
      const gate = createGate()
      onTestFinished(() => gate.open())
      const held = async <T>(password: string, work: () => Promise<T>) => {
        if (password === 'wrong') await gate.enter()
        return work()
      }
      const service = await startForTest(database(), {
        passwordHasher: {
          hash: (password) => held(password, () => QUICK_HASHER.hash(password)),
          verify: (compared) => held(compared.password, () => QUICK_HASHER.verify(compared)),
        },
      })
      const refused: LightMyRequestResponse[] = []
      const tryFrom = (ip: string, count: number) =>
        Array.from({ length: count }, async () => {
          const answer = await askToSignIn(service, { email: newAddress(), password: 'wrong', ip })
          if (answer.statusCode === 429) refused.push(answer)
          return answer
        })
      return { service, gate, refused, tryFrom }
    }

    // holds ACC-17
    test('fill at most a quarter of the queue for one network; other networks pass them', async () => {
      const { service, gate, refused, tryFrom } = await setWaitingScene()
      const waiting = Array.from({ length: 60 }, (_, index) => tryFrom(`2001:db8:5:${index.toString(16)}00::1`, 1)[0])
      await eventually(() => expect(refused).toHaveLength(9))
      await gate.arrived(1)
      const [first] = refused
      expect(first && refusalOf(first, 'rate_limit_exceeded')).toMatch(/^Too many sign-ins from your network/)
      expect(first?.headers['retry-after']).toBe('1')
      expect((await askToSignIn(service, { email: newAddress(), ip: '2001:db8:6::1' })).statusCode).toBe(401)
      expect((await askToSignUp(service, { email: newAddress(), ip: '2001:db8:6::1' })).statusCode).toBe(201)
      gate.open()
      const answers = await Promise.all(waiting)
      expect(answers.filter((answer) => answer?.statusCode === 401)).toHaveLength(51)
      expect(gate.mostAtOnce).toBe(1)
    })

    // holds ACC-16
    test('and find the queue full are not counted; known networks and password changes have their own places', async () => {
      const { service, gate, refused, tryFrom } = await setWaitingScene()
      const owner = await service.owner()
      const session = await service.signedIn(owner)
      expect((await askToSignIn(service, { email: owner.email, ip: '198.51.100.20' })).statusCode).toBe(200)
      const waiting = Array.from({ length: 230 }, (_, index) => tryFrom(`192.0.2.${index}`, 1)[0])
      // Two at the gate, 200 in the queue.
      await eventually(() => expect(refused).toHaveLength(28))
      const email = newAddress()
      for (let index = 0; index < 12; index += 1) {
        const answer = await askToSignIn(service, { email, ip: '203.0.113.50' })
        expect(refusalOf(answer, 'rate_limit_exceeded')).toMatch(/^Too many people/)
      }
      expect((await askToSignIn(service, { email: owner.email, ip: '198.51.100.20' })).statusCode).toBe(200)
      const body = { currentPassword: PASSWORD, newPassword: 'another battery staple' }
      const changed = await service.send('POST', '/v1/account/password', { key: session, body })
      expect(changed.statusCode).toBe(200)
      expect(gate.mostAtOnce).toBe(2)
      gate.open()
      await Promise.all(waiting)
      const statuses: number[] = []
      for (let index = 0; index < 11; index += 1) {
        statuses.push((await askToSignIn(service, { email, ip: '203.0.113.50' })).statusCode)
      }
      expect(statuses).toEqual([...Array(10).fill(401), 429])
    })
  })

  describe('the network of a request', () => {
    test('is the peer’s address if no proxy is configured, and no header changes it', async () => {
      const service = await startForTest(database())
      const statuses = await fromBehindProxy(
        service,
        Array.from({ length: 51 }, (_, index) => `192.0.2.${index}`),
      )
      expect(statuses.filter((status) => status === 401)).toHaveLength(50)
    })

    test('is the address that the one configured proxy saw; earlier entries are ignored', async () => {
      const service = await startForTest(database(), { proxyHops: 1 })
      const claims = Array.from({ length: 51 }, (_, index) => `192.0.2.${index}, 198.51.100.4`)
      expect((await fromBehindProxy(service, claims)).filter((status) => status === 401)).toHaveLength(50)
      expect(await fromBehindProxy(service, ['198.51.100.5'])).toEqual([401])
    })

    test('is the first 56 bits of an IPv6 address; a mapped IPv4 address counts as IPv4', async () => {
      const service = await startForTest(database())
      const neighbours = Array.from({ length: 50 }, (_, index) => `2001:db8:1:2${(index + 16).toString(16)}::1`)
      const at = async (ip: string) => (await askToSignIn(service, { email: newAddress(), ip })).statusCode
      for (const ip of neighbours) expect(await at(ip)).toBe(401)
      expect(await at('2001:db8:1:2ff:ffff::1')).toBe(429)
      expect(await at('2001:db8:1:300::1')).toBe(401)
      for (let index = 0; index < 50; index += 1) expect(await at('192.0.2.200')).toBe(401)
      expect(await at('::ffff:192.0.2.200')).toBe(429)
    })

    // holds ACC-14
    test('is the first 48 bits of an IPv6 address for opening accounts: 192 networks of 64 bits open ten', async () => {
      const service = await startForTest(database())
      const at = (ip: string) => askToSignUp(service, { email: newAddress(), ip })
      const answers: number[] = []
      for (let index = 0; index < 192; index += 1) {
        answers.push((await at(`2001:db8:7:${index.toString(16)}00::1`)).statusCode)
      }
      expect(answers.filter((status) => status === 201)).toHaveLength(10)
      expect(answers.filter((status) => status === 429)).toHaveLength(182)
      expect((await at('2001:db8:8::1')).statusCode).toBe(201)
    })
  })
})

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
