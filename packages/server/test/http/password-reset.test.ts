import { expect, test } from 'vitest'
import type { Member } from '../../src/accounts/member-store.ts'
import { makeResetLink } from '../../src/accounts/password-reset.ts'
import { sweepSessions } from '../../src/accounts/sessions.ts'
import { runAccountCommand } from '../../src/admin/account-commands.ts'
import { faultsIn, refusalOf, steadyHeaders } from '../support/answers.ts'
import { describeEngine, describeEngines, useDatabase } from '../support/engines.ts'
import { linkIn, mailOverDouble, SENDER } from '../support/mail.ts'
import { firstMember, joinAs } from '../support/members.ts'
import { setReplicatedScene } from '../support/replicas.ts'
import { dumpTables, setScene } from '../support/scene.ts'
import { PASSWORD, startForTest, type TestService } from '../support/service.ts'
import { askToSignIn, begunSession, newAddress, statusWith } from '../support/sign-in.ts'

const NEW = 'another battery staple'
const MINUTE_MS = 60_000

describeEngines('a forgotten password', (engine) => {
  const database = useDatabase(engine)

  async function setMailScene() {
    const { smtp, mailer } = await mailOverDouble()
    return { smtp, ...(await setScene(database(), { mailer })) }
  }

  // holds ACC-24, ACC-25
  test('is replaced through a link in a mail of plain text, and every session of the account ends', async () => {
    const { smtp, service, owner, session } = await setMailScene()
    const asked = await ask(service, { email: owner.email.toUpperCase() })
    expect([asked.statusCode, asked.json()]).toEqual([200, { status: 'ok' }])
    const mail = await smtp.next()
    expect([mail.from, mail.to]).toEqual([SENDER, [owner.email]])
    expect(mail.headers).toMatchObject({ from: `Example <${SENDER}>`, to: owner.email, subject: 'Set a new password' })
    expect(mail.headers['content-type']).toMatch(/^text\/plain/)
    const { link, token } = linkIn(mail)
    expect(link).toBe(`https://svc.test/dashboard/new-password#${token}`)
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/)
    const set = await confirm(service, token)
    expect([set.statusCode, set.json()]).toEqual([200, { status: 'ok' }])
    expect(await statusWith(service, session)).toBe(401)
    expect(await statusWith(service, owner.apiKey)).toBe(200)
    expect((await askToSignIn(service, { email: owner.email })).statusCode).toBe(401)
    begunSession(await askToSignIn(service, { email: owner.email, password: NEW }))
  })

  // holds ACC-30
  test('leaves API keys as they are, or ends them where the request says so', async () => {
    const { service, owner } = await setMailScene()
    const member = await joinAs(service, owner, 'developer')
    const reset = async (who: Member, revokeKeys?: boolean) => {
      const { link } = await makeResetLink(service.deps, who)
      const { token } = linkIn({ text: link })
      const body = { token, password: NEW, ...(revokeKeys !== undefined && { revokeKeys }) }
      expect((await service.send('POST', '/v1/auth/password-reset/confirm', { body })).statusCode).toBe(200)
    }
    const first = await firstMember(service, owner)
    await reset(first)
    await reset(member, true)
    expect(await statusWith(service, owner.apiKey)).toBe(200)
    await reset(first, true)
    expect(await statusWith(service, owner.apiKey)).toBe(401)
  })

  // holds ACC-24
  test('of an address without an account is answered alike, and no mail is sent', async () => {
    const { smtp, service, owner } = await setMailScene()
    smtp.hold()
    const known = await ask(service, { email: owner.email, ip: '192.0.2.1' })
    const unknown = await ask(service, { email: newAddress(), ip: '192.0.2.2' })
    // Both were answered while the mail server had not even said hello.
    expect([known.statusCode, known.body]).toEqual([200, unknown.body])
    expect(steadyHeaders(known)).toEqual(steadyHeaders(unknown))
    smtp.letGo()
    await smtp.next()
    await service.deps.mailer?.close(5_000)
    expect(smtp.mails.map(({ to }) => to)).toEqual([[owner.email]])
  })

  // holds ACC-25
  test('has one link at a time, for half an hour, which works once', async () => {
    const { smtp, service, owner } = await setMailScene()
    const links: string[] = []
    for (let count = 0; count < 2; count += 1) {
      await ask(service, { email: owner.email })
      links.push(linkIn(await smtp.next()).token)
    }
    const [earlier = '', later = ''] = links
    expect(faultsIn(await confirm(service, earlier))).toEqual({ token: [expect.stringContaining('is not valid')] })
    service.clock.advance(30 * MINUTE_MS - 1)
    expect((await confirm(service, later)).statusCode).toBe(200)
    expect(faultsIn(await confirm(service, later))).toHaveProperty('token')
    await ask(service, { email: owner.email })
    const { token } = linkIn(await smtp.next())
    service.clock.advance(30 * MINUTE_MS)
    expect(faultsIn(await confirm(service, token))).toHaveProperty('token')
    await sweepSessions(service.deps)
    expect(await linksOf(owner.ownerId)).toEqual([])
  })

  test('has a link that ends with any other change of the password', async () => {
    const { smtp, service, owner, session } = await setMailScene()
    await ask(service, { email: owner.email })
    const { token } = linkIn(await smtp.next())
    const body = { currentPassword: PASSWORD, newPassword: NEW }
    expect((await service.send('POST', '/v1/account/password', { key: session, body })).statusCode).toBe(200)
    expect(faultsIn(await confirm(service, token))).toHaveProperty('token')
  })

  test('is set once by twenty concurrent uses of one link on two replicas', async () => {
    const { a, b } = await setReplicatedScene(engine)
    const token = `link-of-${a.owner.ownerId}`
    const { keyring, clock } = a.service.deps
    await a.database.db
      .insertInto('password_resets')
      .values({
        member_id: (await firstMember(a.service, a.owner)).memberId,
        owner_id: a.owner.ownerId,
        token_hash: keyring.hash(`password-reset:${token}`),
        expires_at: clock.now() + MINUTE_MS,
      })
      .execute()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        confirm((index % 2 ? a : b).service, token, { ip: `192.0.2.${index}`, password: `password number ${index}` }),
      ),
    )
    const won = answers.flatMap(({ statusCode }, index) => (statusCode === 200 ? [index] : []))
    expect(won).toHaveLength(1)
    begunSession(await askToSignIn(a.service, { email: a.owner.email, password: `password number ${won[0]}` }))
  })

  // holds ACC-24
  test('is asked for five times an hour at one address and twenty from one network, with or without an account', async () => {
    const { smtp, service, owner } = await setMailScene()
    for (const email of [owner.email, newAddress()]) {
      for (let index = 0; index < 5; index += 1)
        expect((await ask(service, { email, ip: `192.0.2.${index}` })).statusCode).toBe(200)
      const refused = await ask(service, { email, ip: '192.0.2.9' })
      expect(refusalOf(refused, 'rate_limit_exceeded')).toBe('Too many attempts. Try again in 12 minutes.')
      expect(refused.headers['retry-after']).toBe('720')
    }
    const statuses = await Promise.all(
      Array.from({ length: 25 }, () => ask(service, { email: newAddress(), ip: '198.51.100.7' })),
    )
    expect(statuses.filter(({ statusCode }) => statusCode === 200)).toHaveLength(20)
    await service.deps.mailer?.close(5_000)
    expect(smtp.mails).toHaveLength(5)
  })

  test('has fifty tries at links from one network, wrong ones alike', async () => {
    const { service } = await setMailScene()
    const answers = await Promise.all(Array.from({ length: 60 }, (_, index) => confirm(service, `wrong ${index}`)))
    expect(answers.filter(({ statusCode }) => statusCode === 400)).toHaveLength(50)
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(10)
  })

  test('leaves neither link nor address in any log line, and the link in no row', async () => {
    const lines: string[] = []
    const log = (line: string) => lines.push(line)
    const { smtp, mailer } = await mailOverDouble({ log })
    const { service, owner } = await setScene(database(), { mailer, log })
    await ask(service, { email: owner.email })
    const { token } = linkIn(await smtp.next())
    expect(await dumpTables(database())).not.toContain(token)
    expect((await confirm(service, token)).statusCode).toBe(200)
    smtp.refuseWith(`550 no such person <${owner.email}>`)
    await ask(service, { email: owner.email })
    await service.deps.mailer?.close(5_000)
    const seen = lines.join('')
    expect(seen).toContain('a mail was not sent')
    for (const secret of [token, owner.email, NEW]) expect(seen).not.toContain(secret)
  })

  test('on a service without mail is refused with the way on, and the operator’s link works', async () => {
    const { service, owner } = await setScene(database(), { mailer: null })
    expect(refusalOf(await ask(service, { email: owner.email }), 'forbidden')).toContain('Ask its operator')
    const readPassword = () => Promise.reject(new Error('no password is asked for'))
    const command = { name: 'reset-password' as const, email: owner.email.toUpperCase() }
    const printed = await runAccountCommand({ ...service.deps, readPassword }, command)
    expect(printed).toEqual({
      ownerId: owner.ownerId,
      email: owner.email,
      link: expect.stringMatching(/^https:\/\/svc\.test\/dashboard\/new-password#[\w-]{43}$/),
      expiresAt: '2026-03-01T12:30:00.000Z',
    })
    const { token } = linkIn({ text: 'link' in printed ? String(printed.link) : '' })
    expect((await confirm(service, token)).statusCode).toBe(200)
    begunSession(await askToSignIn(service, { email: owner.email, password: NEW }))
  })

  function linksOf(ownerId: string) {
    return database().db.selectFrom('password_resets').selectAll().where('owner_id', '=', ownerId).execute()
  }
})

describeEngine('sqlite', 'mails', (engine) => {
  const database = useDatabase(engine)

  test('are handed over with the configured name and password', async () => {
    const { smtp, mailer } = await mailOverDouble({ wantsCredentials: true })
    const { service, owner } = await setScene(database(), { mailer })
    await ask(service, { email: owner.email })
    expect((await smtp.next()).credentials).toEqual({ user: 'ada', password: 'open sesame' })
  })

  test('go to one recipient and have one of each header, whatever the address holds', async () => {
    const { smtp, mailer } = await mailOverDouble()
    const to = "o'neill+{tag}=a&b@example.com"
    mailer.post('192.0.2.1', async () => ({ to, subject: 'One\r\nBcc: eve@example.com', text: 'Hello\r\n.\r\nthere' }))
    const mail = await smtp.next()
    expect(mail.to).toEqual([to])
    expect(mail.headers).not.toHaveProperty('bcc')
    expect(mail.text).toContain('there')
  })

  test('that cannot be sent, or do not fit in the queue, leave the service as it is', async () => {
    const { smtp, mailer } = await mailOverDouble()
    const service = await startForTest(database(), { mailer })
    const addresses = Array.from({ length: 400 }, newAddress)
    const ids = addresses.map((email) => ({ owner_id: email, email }))
    const owners = ids.map((each) => ({ ...each, tier: 'free' as const, created_at: 0 }))
    await service.deps.db.insertInto('owners').values(owners).execute()
    const members = ids.map((each) => ({ ...each, member_id: each.email, role: 'owner' as const, joined_at: 0 }))
    await service.deps.db.insertInto('members').values(members).execute()
    smtp.hold()
    let refused = 0
    for (let network = 0; network < 20 && refused === 0; network += 1) {
      for (let count = 0; count < 20; count += 1) {
        const email = addresses.pop() ?? ''
        const answer = await ask(service, { email, ip: `10.0.${network}.1` })
        if (answer.statusCode === 429) refused += 1
      }
    }
    expect(refused).toBeGreaterThan(0)
    expect((await service.send('GET', '/health')).statusCode).toBe(200)
    await smtp.close()
  })
})

function ask(service: TestService, { email, ip = '192.0.2.1' }: { email: string; ip?: string }) {
  return post(service, '/v1/auth/password-reset', { email }, ip)
}

function confirm(service: TestService, token: string, { ip = '192.0.2.1', password = NEW } = {}) {
  return post(service, '/v1/auth/password-reset/confirm', { token, password }, ip)
}

function post(service: TestService, url: string, payload: object, remoteAddress: string) {
  return service.inject({ method: 'POST', url, payload, remoteAddress })
}
