import { CreatedInvitation } from '@svc/contract'
import { expect, test } from 'vitest'
import { faultsIn, refusalOf, steadyHeaders } from '../support/answers.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { linkIn, mailOverDouble } from '../support/mail.ts'
import { accept, letInvitationWait } from '../support/members.ts'
import { setReplicatedScene } from '../support/replicas.ts'
import { dumpTables, setScene } from '../support/scene.ts'
import { PASSWORD, type TestService } from '../support/service.ts'
import { askToSignIn, begunSession, cookieSet, newAddress } from '../support/sign-in.ts'

const GONE = { token: [expect.stringContaining('is not valid')] }
const DAY_MS = 86_400_000

describeEngines('an invitation', (engine) => {
  const database = useDatabase(engine)

  // holds MEM-20
  test('is a link that the owner passes on where no mail is sent, and whose holder joins with a password', async () => {
    const { service, owner, session } = await setScene(database(), { mailer: null })
    const email = newAddress()
    const invited = CreatedInvitation.parse((await invite(service, session, { email: ` ${email} `.trim() })).json())
    const { token } = linkIn({ text: String(invited.link) })
    expect(invited).toMatchObject({ email, role: 'developer', expiresAt: after(service, 7 * DAY_MS) })
    const listed = (await service.send('GET', '/v1/account/invitations', { key: owner.apiKey })).json()
    const { link, ...shown } = invited
    expect(listed).toEqual({ invitations: [shown] })
    expect(await dumpTables(database())).not.toContain(token)
    const read = await service.send('POST', '/v1/auth/invitation', { body: { token } })
    expect(read.json()).toMatchObject({ account: owner.email, email, role: 'developer' })
    const answer = await accept(service, token)
    const { account, token: begun } = begunSession(answer)
    expect(account).toMatchObject({ ownerId: owner.ownerId, role: 'developer', member: { email } })
    expect(cookieSet(answer)).toMatchObject({ value: begun })
    begunSession(await askToSignIn(service, { email }))
    expect(faultsIn(await accept(service, token))).toEqual(GONE)
  })

  // holds MEM-21
  test('is mailed where the service sends mail; then the answer holds no link', async () => {
    const { smtp, mailer } = await mailOverDouble()
    const { service, owner, session } = await setScene(database(), { mailer })
    const email = newAddress()
    expect((await invite(service, session, { email })).json()).toMatchObject({ link: null })
    const mail = await smtp.next()
    expect(mail.text).toContain(`invites you to the account ${owner.email}, as developer`)
    begunSession(await accept(service, linkIn({ text: mail.text }).token))
  })

  test('is answered alike when its address has had ten mails in an hour, and no mail is sent', async () => {
    const { smtp, mailer } = await mailOverDouble()
    const { service } = await setScene(database(), { mailer })
    const email = newAddress()
    for (let account = 0; account < 3; account += 1) {
      const key = await service.signedIn(await service.owner())
      for (let count = 0; count < 4; count += 1) {
        expect((await invite(service, key, { email })).json()).toMatchObject({ email, link: null })
      }
    }
    await mailer.close(5_000)
    expect(smtp.mails).toHaveLength(10)
  })

  // holds MEM-22
  test('ends when it is revoked, replaced, or a week old', async () => {
    const { service, owner, session } = await setScene(database(), { mailer: null })
    const email = newAddress()
    const tokens: string[] = []
    for (let count = 0; count < 3; count += 1) {
      tokens.push(linkIn({ text: String((await invite(service, session, { email })).json().link) }).token)
    }
    const [first = '', , last = ''] = tokens
    expect(faultsIn(await accept(service, first))).toEqual(GONE)
    const { invitations } = (await service.send('GET', '/v1/account/invitations', { key: owner.apiKey })).json()
    expect(invitations).toHaveLength(1)
    const url = `/v1/account/invitations/${invitations[0].invitationId}`
    expect((await service.send('DELETE', url, { key: session })).statusCode).toBe(200)
    refusalOf(await service.send('DELETE', url, { key: session }), 'not_found')
    expect(faultsIn(await accept(service, last))).toEqual(GONE)
    const { token } = linkIn({ text: String((await invite(service, session, { email })).json().link) })
    service.clock.advance(7 * DAY_MS)
    await service.renew()
    expect(faultsIn(await accept(service, token))).toEqual(GONE)
  })

  // holds MEM-23
  test('makes one member of ten concurrent uses on two replicas', async () => {
    const { a, b } = await setReplicatedScene(engine)
    const { token, email } = await letInvitationWait(a.service, a.owner, { role: 'viewer' })
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => accept((index % 2 ? a : b).service, token)),
    )
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 400)])
    begunSession(await askToSignIn(b.service, { email }))
  })

  // holds MEM-24
  test('is answered alike whether the address has an account or not, and tells the holder of its link', async () => {
    const { service, owner, session } = await setScene(database(), { mailer: null })
    const taken = (await service.owner()).email
    const [known, unknown] = [await invite(service, session, { email: taken }), await invite(service, session, {})]
    expect([known.statusCode, steadyHeaders(known)['content-type']]).toEqual([
      unknown.statusCode,
      steadyHeaders(unknown)['content-type'],
    ])
    expect(Object.keys(known.json())).toEqual(Object.keys(unknown.json()))
    const { token } = linkIn({ text: String(known.json().link) })
    expect(refusalOf(await accept(service, token), 'forbidden')).toContain('one account')
    const own = await invite(service, session, { email: owner.email.toUpperCase() })
    expect(faultsIn(own)).toEqual({ email: ['belongs to a member of the account already.'] })
  })

  // holds MEM-25
  test('ends with the account', async () => {
    const { service, owner, session } = await setScene(database())
    const { token } = await letInvitationWait(service, owner, { role: 'viewer' })
    const body = { confirm: owner.email, password: PASSWORD }
    expect((await service.send('DELETE', '/v1/account', { key: session, body })).statusCode).toBe(200)
    expect(faultsIn(await accept(service, token))).toEqual(GONE)
  })

  // holds MEM-26
  test('is one of twenty at most, and of five an hour to one address', async () => {
    const { service, owner, session } = await setScene(database(), { mailer: null })
    for (let count = 0; count < 20; count += 1) await letInvitationWait(service, owner, { role: 'viewer' })
    expect(refusalOf(await invite(service, session, {}), 'forbidden')).toContain('20 open invitations')
    const [other, stranger] = [
      await service.signedIn(await service.owner()),
      await service.signedIn(await service.owner()),
    ]
    const email = newAddress()
    for (let count = 0; count < 5; count += 1) expect((await invite(service, other, { email })).statusCode).toBe(201)
    refusalOf(await invite(service, other, { email }), 'rate_limit_exceeded')
    // Another account has five of its own; all of one network have thirty.
    expect((await invite(service, stranger, { email })).statusCode).toBe(201)
    for (let count = 0; count < 23; count += 1) {
      expect((await invite(service, other, {})).statusCode).toBeLessThan(404)
    }
    refusalOf(await invite(service, stranger, {}), 'rate_limit_exceeded')
    const elsewhere = { method: 'POST' as const, url: '/v1/account/invitations', remoteAddress: '203.0.113.9' }
    const headers = { authorization: `Bearer ${stranger}` }
    const payload = { email: newAddress(), role: 'viewer' }
    expect((await service.inject({ ...elsewhere, headers, payload })).statusCode).toBe(201)
  })

  test('has fifty tries at links from one network', async () => {
    const { service } = await setScene(database())
    for (let count = 0; count < 50; count += 1)
      expect(faultsIn(await service.send('POST', '/v1/auth/invitation', { body: { token: 'wrong' } }))).toEqual(GONE)
    refusalOf(await accept(service, 'wrong'), 'rate_limit_exceeded')
  })
})

function invite(service: TestService, key: string, { email = newAddress(), role = 'developer' }) {
  return service.send('POST', '/v1/account/invitations', { key, body: { email, role } })
}

function after({ clock }: TestService, ms: number): string {
  return new Date(clock.now() + ms).toISOString()
}
