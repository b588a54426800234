import { RecoveryCodes, StartedTwoFactor } from '@svc/contract'
import { expect, test } from 'vitest'
import { countGuess } from '../../src/accounts/attempts.ts'
import { runAccountCommand } from '../../src/admin/account-commands.ts'
import { faultsIn, refusalOf } from '../support/answers.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { firstMember } from '../support/members.ts'
import { setReplicatedScene } from '../support/replicas.ts'
import { dumpTables, type Scene, setScene } from '../support/scene.ts'
import { PASSWORD, type TestService } from '../support/service.ts'
import { begunSession, statusWith } from '../support/sign-in.ts'
import { appCode, giveSecondFactor } from '../support/two-factor.ts'

const PATH = '/v1/auth/totp'
const STEP_MS = 30_000
const NEEDED = { code: [expect.stringContaining('is needed')] }
const WRONG = { code: [expect.stringContaining('is not right')] }

describeEngines('two-factor sign-in', (engine) => {
  const database = useDatabase(engine)

  /** A scene whose owner has two-factor sign-in. */
  async function setFactorScene() {
    const scene = await setScene(database())
    await giveSecondFactor(scene, { isOn: true })
    return scene
  }

  // holds ACC-26, ACC-27
  test('begins with the first code of the app, and is asked for from then on', async () => {
    const { service, owner, session } = await setScene(database())
    const started = await service.send('POST', PATH, { key: session, body: { password: PASSWORD } })
    expect(started.statusCode).toBe(201)
    const { secret, uri } = StartedTwoFactor.parse(started.json())
    expect(uri).toBe(
      `otpauth://totp/svc.test:${encodeURIComponent(owner.email)}?secret=${secret}&issuer=svc.test&algorithm=SHA1&digits=6&period=30`,
    )
    expect(await stateOf(service, session)).toEqual({ isOn: false, since: null, recoveryCodesLeft: 0 })
    begunSession(await signIn(service, owner.email))

    const confirmed = await service.send('POST', `${PATH}/confirm`, {
      key: session,
      body: { code: appCode(service, 0, secret) },
    })
    expect(confirmed.statusCode).toBe(200)
    expect(RecoveryCodes.parse(confirmed.json()).recoveryCodes).toHaveLength(8)
    expect(await stateOf(service, session)).toEqual({
      isOn: true,
      since: '2026-03-01T12:00:00.000Z',
      recoveryCodesLeft: 8,
    })
    expect(faultsIn(await signIn(service, owner.email))).toEqual(NEEDED)
    // The step of the first code is used up.
    expect(faultsIn(await signIn(service, owner.email, appCode(service, 0, secret)))).toEqual(WRONG)
    service.clock.advance(STEP_MS)
    begunSession(await signIn(service, owner.email, appCode(service, 0, secret)))
    expect(await statusWith(service, owner.apiKey)).toBe(200)
  })

  // holds ACC-27
  test('takes the code of this step, of the one before and the one after, each once on every replica', async () => {
    const { a, b } = await setReplicatedScene(engine)
    await giveSecondFactor(a, { isOn: true })
    const { email } = a.owner
    for (const far of [-2, 2]) expect(faultsIn(await signIn(a.service, email, appCode(a.service, far)))).toEqual(WRONG)
    for (const near of [-1, 0, 1]) {
      const code = appCode(a.service, near)
      const answers = await Promise.all([a, b].map(({ service }) => signIn(service, email, code)))
      expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 400])
    }
    expect(faultsIn(await signIn(b.service, email, appCode(a.service)))).toEqual(WRONG)
  })

  // holds ACC-27
  test('takes a recovery code in place of a code, once, in any case and without its hyphen', async () => {
    const { service, owner, session } = await setFactorScene()
    const other = await service.owner()
    await service.signedIn(other)
    await giveSecondFactor({ service, owner: other }, { isOn: true })
    begunSession(await signIn(service, owner.email, 'aaaaabbbbb'))
    expect(faultsIn(await signIn(service, owner.email, 'AAAAA-BBBBB'))).toEqual(WRONG)
    expect(await stateOf(service, session)).toMatchObject({ isOn: true, recoveryCodesLeft: 0 })
    begunSession(await signIn(service, other.email, 'AAAAA-BBBBB'))
  })

  test('is mentioned only where the password was right', async () => {
    const { service, owner } = await setFactorScene()
    for (const code of [undefined, appCode(service), '000000']) {
      const answer = await signIn(service, owner.email, code, 'wrong battery staple')
      expect(refusalOf(answer, 'unauthorized')).toBe('The e-mail address or the password is not right.')
    }
    begunSession(await signIn(service, owner.email, appCode(service)))
  })

  // holds ACC-28
  test('has the attempts of the password: ten, and a network that gave the password alone is not known', async () => {
    const { service, owner } = await setFactorScene()
    for (let index = 0; index < 10; index += 1)
      expect(faultsIn(await signIn(service, owner.email, `00000${index}`))).toEqual(WRONG)
    const refused = await signIn(service, owner.email, appCode(service))
    expect(refusalOf(refused, 'rate_limit_exceeded')).toBe('Too many attempts. Try again in 90 seconds.')
    expect(refused.headers['retry-after']).toBe('90')
  })

  // holds ACC-28
  test('has fifty wrong codes a month, of which none from elsewhere count for networks and sessions of the member', async () => {
    const { service, owner, session } = await setFactorScene()
    const here = '198.51.100.7'
    // A right one does not count.
    begunSession(await signIn(service, owner.email, appCode(service), PASSWORD, here))
    const { memberId } = await firstMember(service, owner)
    const guess = () => countGuess(service.deps, { memberId, isKnown: false }, async () => false)
    for (let times = 0; times < 48; times += 1) expect(await guess()).toBe(false)
    for (const code of ['000000', 'AAAAA-AAAAA'])
      expect(faultsIn(await signIn(service, owner.email, code))).toEqual(WRONG)
    const refused = await signIn(service, owner.email, appCode(service))
    const message = 'Too many wrong codes. Try again in 15 hours, or from a network that you signed in from lately.'
    expect(refusalOf(refused, 'rate_limit_exceeded')).toBe(message)
    begunSession(await signIn(service, owner.email, appCode(service, 1), PASSWORD, here))
    const stop = { password: PASSWORD, code: 'AAAAA-BBBBB' }
    expect((await service.send('DELETE', PATH, { key: session, body: stop })).statusCode).toBe(200)
  })

  test('stays when the password is set or changed', async () => {
    const { service, owner, session } = await setFactorScene()
    const body = { currentPassword: PASSWORD, newPassword: 'another battery staple' }
    expect((await service.send('POST', '/v1/account/password', { key: session, body })).statusCode).toBe(200)
    expect(faultsIn(await signIn(service, owner.email, undefined, body.newPassword))).toEqual(NEEDED)
    await service.signedIn(owner)
    expect(faultsIn(await signIn(service, owner.email))).toEqual(NEEDED)
  })

  // holds ACC-29
  test('ends with the password and a code, and with neither alone', async () => {
    const { service, owner, session } = await setFactorScene()
    const stop = (body: object) => service.send('DELETE', PATH, { key: session, body })
    const code = appCode(service)
    expect(faultsIn(await stop({ password: 'wrong battery', code }))).toEqual({
      password: ['is not the account’s password.'],
    })
    expect(faultsIn(await stop({ password: PASSWORD, code: '000000' }))).toEqual(WRONG)
    const stopped = await stop({ password: PASSWORD, code })
    expect([stopped.statusCode, stopped.json()]).toEqual([200, { isOn: false, since: null, recoveryCodesLeft: 0 }])
    begunSession(await signIn(service, owner.email))
    expect(refusalOf(await stop({ password: PASSWORD, code }), 'forbidden')).toContain('is off')
    expect(await factorRows(owner.ownerId)).toEqual([[], []])
  })

  // holds ACC-29
  test('is turned off by the operator', async () => {
    const { service, owner } = await setFactorScene()
    const readPassword = () => Promise.reject(new Error('no password is asked for'))
    const command = { name: 'disable-totp' as const, email: owner.email.toUpperCase() }
    const run = () => runAccountCommand({ ...service.deps, readPassword }, command)
    expect(await run()).toEqual({ ownerId: owner.ownerId, email: owner.email, wasOn: true })
    expect(await run()).toMatchObject({ wasOn: false })
    begunSession(await signIn(service, owner.email))
  })

  // holds ACC-26
  test('is changed with a session and the password alone, and not while it is on', async () => {
    const { service, owner, session } = await setScene(database())
    for (const [method, path, body] of CHANGES) {
      const answer = await service.send(method, path, { key: owner.apiKey, body })
      expect([path, refusalOf(answer, 'forbidden')]).toEqual([path, expect.stringContaining('sign in')])
    }
    const start = (password = PASSWORD) => service.send('POST', PATH, { key: session, body: { password } })
    const confirm = (code: string) => service.send('POST', `${PATH}/confirm`, { key: session, body: { code } })
    expect(refusalOf(await confirm('123456'), 'forbidden')).toContain('ask for one')
    expect(faultsIn(await start('wrong battery'))).toEqual({ password: ['is not the account’s password.'] })
    // A second secret takes the place of the first one.
    const [first, second] = [(await start()).json().secret, (await start()).json().secret]
    expect(faultsIn(await confirm(appCode(service, 0, first)))).toEqual(WRONG)
    expect((await confirm(appCode(service, 0, second))).statusCode).toBe(200)
    for (const answer of [await start(), await confirm(appCode(service, 1, second))])
      expect(refusalOf(answer, 'forbidden')).toContain('already')
  })

  // holds ACC-28
  test('has ten guesses at its first code and at its end, together with those at the password', async () => {
    const { service, owner, session } = await setScene(database())
    await giveSecondFactor({ service, owner }, { isOn: false })
    const confirm = () => service.send('POST', `${PATH}/confirm`, { key: session, body: { code: '000000' } })
    const answers = await Promise.all(Array.from({ length: 12 }, confirm))
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(2)
    const stopped = await service.send('DELETE', PATH, { key: session, body: { password: PASSWORD, code: '000000' } })
    expect(stopped.statusCode).toBe(429)
  })

  test('leaves its secret and its codes in no row in clear text, and in no log line', async () => {
    const lines: string[] = []
    const scene: Scene = await setScene(database(), { log: (line) => lines.push(line) })
    const { service, session, owner } = scene
    const { secret } = (await service.send('POST', PATH, { key: session, body: { password: PASSWORD } })).json()
    const code = appCode(service, 0, secret)
    const answer = await service.send('POST', `${PATH}/confirm`, { key: session, body: { code } })
    const { recoveryCodes } = RecoveryCodes.parse(answer.json())
    begunSession(await signIn(service, owner.email, recoveryCodes[0]))
    const seen = lines.join('') + (await dumpTables(database()))
    for (const each of [secret, ...recoveryCodes, ...recoveryCodes.map((one) => one.replace('-', ''))])
      expect(seen).not.toContain(each)
  })

  async function factorRows(ownerId: string) {
    const { db } = database()
    return Promise.all(
      (['second_factors', 'recovery_codes'] as const).map((table) =>
        db.selectFrom(table).selectAll().where('owner_id', '=', ownerId).execute(),
      ),
    )
  }
})

const CHANGES = [
  ['POST', PATH, { password: PASSWORD }],
  ['POST', `${PATH}/confirm`, { code: '123456' }],
  ['DELETE', PATH, { password: PASSWORD, code: '123456' }],
] as const

function signIn(service: TestService, email: string, code?: string, password = PASSWORD, remoteAddress?: string) {
  const payload = { email, password, ...(code !== undefined && { code }) }
  return service.inject({ method: 'POST', url: '/v1/auth/sign-in', payload, ...(remoteAddress && { remoteAddress }) })
}

async function stateOf(service: TestService, key: string): Promise<unknown> {
  return (await service.send('GET', PATH, { key })).json()
}
