import { expect, test } from 'vitest'
import { createOwner } from '../../src/accounts/accounts.ts'
import { setPassword } from '../../src/accounts/password-store.ts'
import { type PasswordHasher, SCRYPT } from '../../src/accounts/scrypt.ts'
import { refusalOf, steadyHeaders } from '../support/answers.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { PASSWORD, QUICK_HASHER, startForTest } from '../support/service.ts'
import { askToSignIn, askToSignUp, begunSession, newAddress, statusWith } from '../support/sign-in.ts'

describeEngines('signing in', (engine) => {
  const database = useDatabase(engine)

  // holds ACC-02
  test('begins a separate session each time', async () => {
    const service = await startForTest(database())
    const owner = await service.owner('pro')
    const first = await service.signedIn(owner)
    const answer = await askToSignIn(service, { email: owner.email })
    const { token, account, expiresAt } = begunSession(answer)
    expect(answer.statusCode).toBe(200)
    expect(account).toMatchObject({ ownerId: owner.ownerId, email: owner.email, tier: 'pro' })
    expect(expiresAt).toBe('2026-03-08T12:00:00.000Z')
    expect(token).not.toBe(first)
    for (const each of [first, token]) expect(await statusWith(service, each)).toBe(200)
  })

  // holds ACC-04
  test('with an unknown address, an account without a password or a wrong password answers the same 401', async () => {
    const service = await startForTest(database())
    const owner = await service.owner()
    await service.signedIn(owner)
    const { owner: withoutPassword } = await createOwner(service.deps, { email: newAddress(), tier: 'free' })
    const answers = await Promise.all([
      askToSignIn(service, { email: owner.email, password: 'another battery staple' }),
      askToSignIn(service, { email: newAddress() }),
      askToSignIn(service, { email: withoutPassword.email }),
      askToSignIn(service, { email: owner.email, password: PASSWORD.toUpperCase() }),
      askToSignIn(service, { email: owner.email, password: ` ${PASSWORD}` }),
    ])
    for (const answer of answers) {
      expect(refusalOf(answer, 'unauthorized')).toBe('The e-mail address or the password is not right.')
      expect(steadyHeaders(answer)).toEqual(steadyHeaders(answers[0]))
      expect(answer.headers).not.toHaveProperty('set-cookie')
    }
  })

  test('costs one hash in each case, so its duration tells nothing', async () => {
    const hasher = countingHasher()
    const service = await startForTest(database(), { passwordHasher: hasher })
    const owner = await service.owner()
    await service.signedIn(owner)
    const { owner: withoutPassword } = await createOwner(service.deps, { email: newAddress(), tier: 'free' })
    for (const who of [
      { email: owner.email },
      { email: owner.email, password: 'another battery staple' },
      { email: newAddress() },
      { email: withoutPassword.email },
    ]) {
      hasher.count = 0
      await askToSignIn(service, who)
      expect(hasher.count).toBe(1)
    }
  })

  test('with scrypt, as in production, accepts only the exact password, and salts its hash', async () => {
    const service = await startForTest(database(), { passwordHasher: SCRYPT })
    const [ada, ben] = [newAddress(), newAddress()]
    for (const email of [ada, ben]) begunSession(await askToSignUp(service, { email }))
    begunSession(await askToSignIn(service, { email: ada }))
    expect((await askToSignIn(service, { email: ada, password: `${PASSWORD}!` })).statusCode).toBe(401)
    const hashes = await database()
      .db.selectFrom('members')
      .select('password')
      .where('email', 'in', [ada, ben])
      .execute()
    expect(new Set(hashes.map(({ password }) => password)).size).toBe(2)
    for (const { password } of hashes) expect(password).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/)
  })

  test('accepts the hash of an earlier release, in each Unicode form of the password', async () => {
    const service = await startForTest(database(), { passwordHasher: SCRYPT })
    const { email } = await service.owner()
    await setPassword(service.deps.db, email, EARLIER.hash)
    for (const form of ['NFC', 'NFD'])
      begunSession(await askToSignIn(service, { email, password: EARLIER.password.normalize(form) }))
    expect((await askToSignIn(service, { email, password: EARLIER.password.toUpperCase() })).statusCode).toBe(401)
  })

  test('hashes at most two passwords at once, and answers all requests', async () => {
    const hasher = countingHasher()
    const service = await startForTest(database(), { passwordHasher: hasher })
    const owners = await Promise.all(Array.from({ length: 20 }, () => service.owner()))
    for (const owner of owners) await service.signedIn(owner)
    hasher.most = 0
    const answers = await Promise.all(owners.map(({ email }) => askToSignIn(service, { email })))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(owners.map(() => 200))
    expect(hasher.most).toBeLessThanOrEqual(2)
  })

  test('answers an internal fault with a 500, not as a wrong password', async () => {
    const broken: PasswordHasher = {
      ...QUICK_HASHER,
      verify: () => Promise.reject(new Error('the thread pool is gone: hunter2')),
    }
    const service = await startForTest(database(), { passwordHasher: broken })
    const owner = await service.owner()
    await service.signedIn(owner)
    const answer = await askToSignIn(service, { email: owner.email })
    expect(refusalOf(answer, 'internal_error')).not.toContain('hunter2')
  })
})

/** Made by the library that earlier releases hashed with. */
const EARLIER = {
  password: 'correct horse ſtaple Å',
  hash: '46930ae3afa18199fdbc00196c4e9dc2:399efc423bbe054dbeb88c9531eaf3d460be501dbb8ee919bd605b8af5a413dfb7629a83d790cfd3b2ddc21c5cc3b70869d3ab4d7a3ebe907bd808c2947bca1d',
}

/** Counts hashes, and the most of them that were under way at once. */
function countingHasher(): PasswordHasher & { count: number; most: number } {
  let running = 0
  const counted = async <T>(work: () => Promise<T>): Promise<T> => {
    hasher.count += 1
    running += 1
    hasher.most = Math.max(hasher.most, running)
    await new Promise((resolve) => setImmediate(resolve))
    running -= 1
    return work()
  }
  const hasher = {
    count: 0,
    most: 0,
    hash: (password: string) => counted(() => QUICK_HASHER.hash(password)),
    verify: (compared: { hash: string; password: string }) => counted(() => QUICK_HASHER.verify(compared)),
  }
  return hasher
}
