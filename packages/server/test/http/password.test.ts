import { expect, test } from 'vitest'
import { createOwner } from '../../src/accounts/accounts.ts'
import { resetPassword } from '../../src/accounts/sign-in.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { faultsIn, refusalOf } from '../support/answers.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { setReplicatedScene } from '../support/replicas.ts'
import { dumpTables, type Scene, setScene } from '../support/scene.ts'
import { PASSWORD, startForTest, type TestService } from '../support/service.ts'
import { askToSignIn, begunSession, cookieSet, newAddress, statusWith } from '../support/sign-in.ts'

const NEW = 'another battery staple'
const DAY_MS = 86_400_000

describeEngines('changing the password', (engine) => {
  const database = useDatabase(engine)

  // holds ACC-07
  test('renews this session and ends every other, on every replica', async () => {
    const { a, b } = await setReplicatedScene(engine)
    const other = begunSession(await askToSignIn(b.service, { email: a.owner.email })).token
    a.service.clock.advance(DAY_MS / 2)
    const answer = await change(a.service, a.session)
    expect(answer.statusCode).toBe(200)
    const { token, account, expiresAt } = begunSession(answer)
    expect(account.ownerId).toBe(a.owner.ownerId)
    expect(expiresAt).toBe('2026-03-09T00:00:00.000Z')
    for (const { service } of [a, b]) {
      expect(await Promise.all([a.session, other, token].map((key) => statusWith(service, key)))).toEqual([
        401, 401, 200,
      ])
      expect(await statusWith(service, a.owner.apiKey)).toBe(200)
    }
    expect((await askToSignIn(b.service, { email: a.owner.email })).statusCode).toBe(401)
    begunSession(await askToSignIn(b.service, { email: a.owner.email, password: NEW }))
  })

  test('sets the cookie of the new session for a browser, and none for a bearer', async () => {
    const { service, session } = await setScene(database())
    const byCookie = await service.send('POST', '/v1/account/password', {
      headers: { cookie: `__Host-svc_session=${session}`, origin: 'https://svc.test' },
      body: { currentPassword: PASSWORD, newPassword: NEW },
    })
    const { token } = begunSession(byCookie)
    expect(cookieSet(byCookie)).toMatchObject({ name: '__Host-svc_session', value: token })
    const byBearer = await change(service, token, { currentPassword: NEW, newPassword: PASSWORD })
    expect([byBearer.statusCode, cookieSet(byBearer)]).toEqual([200, undefined])
  })

  test('needs a session: an API key is refused with the reason', async () => {
    const { service, owner, session } = await setScene(database())
    expect(refusalOf(await change(service, owner.apiKey), 'forbidden')).toContain('sign in')
    expect(await statusWith(service, session)).toBe(200)
  })

  // holds ACC-07
  test('needs the current password: a wrong one changes nothing', async () => {
    const { service, owner, session } = await setScene(database())
    for (const currentPassword of ['wrong', NEW, PASSWORD.toUpperCase(), `${PASSWORD} `]) {
      const answer = await change(service, session, { currentPassword })
      expect(faultsIn(answer)).toEqual({ currentPassword: ['is not the account’s password.'] })
    }
    expect(await statusWith(service, session)).toBe(200)
    begunSession(await askToSignIn(service, { email: owner.email }))
  })

  test('has ten attempts in a quarter of an hour over all sessions, apart from those of sign-in', async () => {
    const { service, owner, session } = await setScene(database())
    const answers = await Promise.all(
      Array.from({ length: 15 }, () => change(service, session, { currentPassword: 'wrong' })),
    )
    expect(answers.filter(({ statusCode }) => statusCode === 400)).toHaveLength(10)
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(5)
    begunSession(await askToSignIn(service, { email: owner.email }))
    expect(await statusWith(service, session)).toBe(200)
  })

  test('is not affected by other people’s attempts to sign in at the address', async () => {
    const { service, owner, session } = await setScene(database())
    for (let index = 0; index < 12; index += 1) await askToSignIn(service, { email: owner.email, password: 'wrong' })
    expect((await askToSignIn(service, { email: owner.email })).statusCode).toBe(429)
    expect((await change(service, session)).statusCode).toBe(200)
  })

  test('of eight concurrent changes with the same current password one succeeds, and its session stays', async () => {
    const { a, b } = await setReplicatedScene(engine)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        change((index % 2 ? a : b).service, a.session, { newPassword: `password number ${index}` }),
      ),
    )
    const [won, ...more] = answers.filter(({ statusCode }) => statusCode === 200)
    expect([won?.statusCode, more]).toEqual([200, []])
    // The others were too late for the password, or for the session.
    for (const { statusCode } of answers.filter((answer) => answer !== won)) expect([400, 401]).toContain(statusCode)
    const sessions = await a.database.db
      .selectFrom('auth_sessions')
      .select('id')
      .where('owner_id', '=', a.owner.ownerId)
      .execute()
    expect(sessions).toHaveLength(1)
    if (won) expect(await statusWith(b.service, begunSession(won).token)).toBe(200)
  })

  test('leaves no session open that others begin with the old password at the same time', async () => {
    const { a, b } = await setReplicatedScene(engine)
    const signIn = () => askToSignIn(b.service, { email: a.owner.email })
    const [changed, ...answers] = await Promise.all([
      change(a.service, a.session),
      ...Array.from({ length: 8 }, () => signIn()),
    ])
    const { token } = begunSession(changed)
    const old = answers.filter(({ statusCode }) => statusCode === 200).map((answer) => begunSession(answer).token)
    for (const each of old) expect(await statusWith(b.service, each)).toBe(401)
    expect(await statusWith(b.service, token)).toBe(200)
  })

  test('shows neither password in any answer, row or log line', async () => {
    const lines: string[] = []
    const scene = await setScene(database(), { log: (line) => lines.push(line) })
    await change(scene.service, scene.session, { currentPassword: 'a wrong password' })
    begunSession(await change(scene.service, scene.session))
    const seen = lines.join('') + (await dumpTables(database()))
    for (const secret of [PASSWORD, NEW, 'a wrong password']) expect(seen).not.toContain(secret)
  })
})

describeEngines('a password that the operator sets', (engine) => {
  const database = useDatabase(engine)

  // holds ACC-15
  test('opens an account without a password, and replaces a lost one', async () => {
    const service = await startForTest(database())
    const { owner } = await createOwner(service.deps, { email: newAddress(), tier: 'pro' })
    expect((await askToSignIn(service, { email: owner.email })).statusCode).toBe(401)
    expect(await reset(service, owner.email.toUpperCase())).toEqual({ ownerId: owner.ownerId, email: owner.email })
    const { token, account } = begunSession(await askToSignIn(service, { email: owner.email }))
    expect(account).toMatchObject({ ownerId: owner.ownerId, tier: 'pro' })
    await reset(service, owner.email, NEW)
    expect(await statusWith(service, token)).toBe(401)
    expect((await askToSignIn(service, { email: owner.email })).statusCode).toBe(401)
    begunSession(await askToSignIn(service, { email: owner.email, password: NEW }))
  })

  test('ends the sessions of this account alone', async () => {
    const mine: Scene = await setScene(database())
    const other = await mine.service.owner()
    const theirs = await mine.service.signedIn(other)
    await reset(mine.service, mine.owner.email, NEW)
    expect(await statusWith(mine.service, mine.session)).toBe(401)
    expect(await statusWith(mine.service, mine.owner.apiKey)).toBe(200)
    expect(await statusWith(mine.service, theirs)).toBe(200)
  })

  test('creates no account', async () => {
    const service = await startForTest(database())
    const email = newAddress()
    expect(await reset(service, email)).toBeNull()
    expect(await database().db.selectFrom('owners').select('owner_id').where('email', '=', email).execute()).toEqual([])
  })
})

function change(service: TestService, key: string, fields: { currentPassword?: string; newPassword?: string } = {}) {
  const body = { currentPassword: PASSWORD, newPassword: NEW, ...fields }
  return service.send('POST', '/v1/account/password', { key, body })
}

function reset(service: TestService, email: string, password = PASSWORD) {
  return resetPassword(service.deps, { email, password: new Secret(password) })
}
