import { describe, expect, test } from 'vitest'
import { createOwner } from '../../src/accounts/accounts.ts'
import { faultsIn } from '../support/answers.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { setReplicatedScene } from '../support/replicas.ts'
import { dumpTables } from '../support/scene.ts'
import { PASSWORD, startForTest } from '../support/service.ts'
import { askToSignIn, askToSignUp, begunSession, newAddress, statusWith } from '../support/sign-in.ts'

describeEngines('signing up', (engine) => {
  const database = useDatabase(engine)

  // holds ACC-01
  test('opens an account on the free plan and begins its first session', async () => {
    const service = await startForTest(database())
    const email = newAddress()
    const answer = await askToSignUp(service, { email })
    expect(answer.statusCode).toBe(201)
    const { account, token, expiresAt } = begunSession(answer)
    expect(answer.json()).toEqual({ account, token, expiresAt })
    expect(account).toEqual({
      ownerId: expect.stringMatching(/^own_/),
      email,
      tier: 'free',
      createdAt: '2026-03-01T12:00:00.000Z',
      role: 'owner',
      member: { memberId: expect.stringMatching(/^mem_/), email },
    })
    expect(expiresAt).toBe('2026-03-08T12:00:00.000Z')
    expect((await service.send('GET', '/v1/account', { key: token })).json()).toEqual(account)
  })

  test('gives the account its whole quota: it can register a runtime, and sign in again', async () => {
    const service = await startForTest(database())
    const email = newAddress()
    const { token } = begunSession(await askToSignUp(service, { email }))
    expect((await service.send('POST', '/v1/runtimes', { key: token, body: { name: 'Shop' } })).statusCode).toBe(201)
    const usage = await service.send('GET', '/v1/billing/usage', { key: token })
    expect(usage.json()).toMatchObject({ tier: 'free', executions: { used: 0, available: 200 } })
    begunSession(await askToSignIn(service, { email }))
  })

  test('treats an address in any case alike', async () => {
    const service = await startForTest(database())
    const email = newAddress()
    const { account } = begunSession(await askToSignUp(service, { email: email.toUpperCase() }))
    expect(account.email).toBe(email)
    expect(faultsIn(await askToSignUp(service, { email }))).toEqual({
      email: [expect.stringMatching(/^has an account/)],
    })
    expect(begunSession(await askToSignIn(service, { email: email.toUpperCase() })).account).toEqual(account)
  })

  test('cannot take over an address whose account an operator created', async () => {
    const service = await startForTest(database())
    const { owner, apiKey } = await createOwner(service.deps, { email: newAddress(), tier: 'pro' })
    const before = await dumpTables(database())
    const answer = await askToSignUp(service, { email: owner.email })
    expect(faultsIn(answer)).toEqual({ email: [expect.stringContaining('the operator')] })
    expect(answer.headers).not.toHaveProperty('set-cookie')
    expect(answer.body).not.toContain(owner.ownerId)
    expect((await askToSignIn(service, { email: owner.email })).statusCode).toBe(401)
    const withoutThrottles = (dump: string) => dump.replaceAll(/\{"subject[^}]*\},?/g, '')
    expect(withoutThrottles(await dumpTables(database()))).toBe(withoutThrottles(before))
    expect(await statusWith(service, apiKey.reveal())).toBe(200)
  })

  test('thirty times at once with one address, on two replicas, creates one account', async () => {
    const { a, b } = await setReplicatedScene(engine)
    const email = newAddress()
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        askToSignUp((index % 2 ? a : b).service, {
          email,
          password: `password number ${index}`,
          ip: `192.0.2.${index}`,
        }),
      ),
    )
    const made = answers.filter(({ statusCode }) => statusCode === 201)
    expect(made).toHaveLength(1)
    for (const answer of answers.filter((each) => !made.includes(each))) {
      expect(Object.keys(faultsIn(answer))).toEqual(['email'])
    }
    const { db } = a.database
    expect(await db.selectFrom('owners').select('owner_id').where('email', '=', email).execute()).toHaveLength(1)
    // The account is whole, and its password is that of the one who was let in.
    const winner = answers.findIndex(({ statusCode }) => statusCode === 201)
    const statuses = await Promise.all(
      [winner, winner === 0 ? 1 : 0].map(async (index) => {
        const answer = await askToSignIn(a.service, { email, password: `password number ${index}` })
        return answer.statusCode
      }),
    )
    expect(statuses).toEqual([200, 401])
  })

  describe('a password', () => {
    test.each([
      ['of nine characters', 'a'.repeat(9)],
      ['of 129', 'a'.repeat(129)],
      ['that is empty', ''],
    ])('%s is refused', async (_, password) => {
      const service = await startForTest(database())
      const email = newAddress()
      expect(faultsIn(await askToSignUp(service, { email, password }))).toEqual({
        password: ['must have 10 to 128 characters.'],
      })
      expect(await database().db.selectFrom('owners').select('email').where('email', '=', email).execute()).toEqual([])
    })

    test.each([
      ['of ten characters', 'a'.repeat(10)],
      ['of 128', 'a'.repeat(128)],
      ['in other scripts, with spaces', ' пароль 密码 🔑 '],
    ])('%s opens the account exactly as typed', async (_, password) => {
      const service = await startForTest(database())
      const email = newAddress()
      begunSession(await askToSignUp(service, { email, password }))
      begunSession(await askToSignIn(service, { email, password }))
      for (const other of [`${password.slice(0, -1)}b`, password.toUpperCase()]) {
        expect((await askToSignIn(service, { email, password: other })).statusCode).toBe(401)
      }
    })
  })

  test('shows neither the password nor the token in the log, the store or an error', async () => {
    const lines: string[] = []
    const service = await startForTest(database(), { log: (line) => lines.push(line) })
    const email = newAddress()
    const { token } = begunSession(await askToSignUp(service, { email }))
    const refused = [
      await askToSignUp(service, { email }),
      await askToSignIn(service, { email, password: 'another battery staple' }),
    ]
    expect(await statusWith(service, token)).toBe(200)
    const seen = [...lines, ...refused.map(({ body }) => body), await dumpTables(database())].join('\n')
    for (const secret of [PASSWORD, 'another battery staple', token]) expect(seen).not.toContain(secret)
    expect(lines.join('\n')).not.toContain(email)
  })
})
