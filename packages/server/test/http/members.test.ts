import type { Role } from '@svc/contract'
import { expect, test } from 'vitest'
import { changeRole, insertMember, removeMember } from '../../src/accounts/member-store.ts'
import { runAccountCommand } from '../../src/admin/account-commands.ts'
import type { KeyMaker } from '../../src/credentials/account-key-store.ts'
import { addKey } from '../../src/credentials/credentials.ts'
import { inTransaction } from '../../src/store/transaction.ts'
import { faultsIn, refusalOf } from '../support/answers.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { firstMember, type JoinedMember, joinAs, letInvitationWait } from '../support/members.ts'
import { setReplicatedScene } from '../support/replicas.ts'
import { setScene } from '../support/scene.ts'
import { PASSWORD, type TestService } from '../support/service.ts'
import { askToSignIn, begunSession, cookieSet, newAddress, statusWith } from '../support/sign-in.ts'
import { appCode, giveSecondFactor } from '../support/two-factor.ts'

const LAST = 'This is the last owner of the account. Make somebody else owner first.'

describeEngines('members', (engine) => {
  const database = useDatabase(engine)

  // holds MEM-05
  test('are listed with their roles, to every member, the first first', async () => {
    const { service, owner } = await setScene(database())
    const viewer = await joinAs(service, owner, 'viewer')
    const { members } = (await service.send('GET', '/v1/account/members', { key: viewer.session })).json()
    expect(members).toMatchObject([
      { email: owner.email, role: 'owner', isSelf: false },
      { memberId: viewer.memberId, email: viewer.email, role: 'viewer', isSelf: true },
    ])
    const account = (await service.send('GET', '/v1/account', { key: viewer.session })).json()
    expect(account).toMatchObject({
      ...{ ownerId: owner.ownerId, email: owner.email, role: 'viewer' },
      member: { memberId: viewer.memberId, email: viewer.email },
    })
  })

  // holds MEM-06
  test('have another role at once, in sessions that began before, on every replica', async () => {
    const { a, b } = await setReplicatedScene(engine)
    const member = await joinAs(a.service, a.owner, 'viewer')
    const create = (name: string) => b.service.send('POST', '/v1/projects', { key: member.session, body: { name } })
    expect((await create('One')).statusCode).toBe(403)
    const changed = await give(a.service, a.session, member, 'developer')
    expect(changed.json()).toMatchObject({ memberId: member.memberId, role: 'developer' })
    expect((await create('One')).statusCode).toBe(201)
    await give(a.service, a.session, member, 'viewer')
    expect((await create('Two')).statusCode).toBe(403)
  })

  // holds MEM-07
  test('cannot give themselves a role', async () => {
    const { service, owner } = await setScene(database())
    for (const role of ['viewer', 'developer'] as const) {
      const member = await joinAs(service, owner, role)
      refusalOf(await give(service, member.session, member, 'owner'), 'forbidden')
      const key = { name: 'Mine', role: 'owner' }
      refusalOf(await service.send('POST', '/v1/account/keys', { key: member.session, body: key }), 'forbidden')
    }
  })

  // holds MEM-08
  test('who are removed are out at once, on every replica, with all that was theirs', async () => {
    const { a, b } = await setReplicatedScene(engine)
    const member = await joinAs(a.service, a.owner, 'developer')
    await giveSecondFactor({ service: a.service, owner: member }, { isOn: true })
    const key = await logIn(a.service, member)
    expect([await statusWith(b.service, member.session), await statusWith(b.service, key)]).toEqual([200, 200])
    expect((await remove(a.service, a.session, member)).json()).toEqual({ memberId: member.memberId })
    expect([await statusWith(b.service, member.session), await statusWith(b.service, key)]).toEqual([401, 401])
    expect((await askToSignIn(b.service, { email: member.email })).statusCode).toBe(401)
    refusalOf(await remove(a.service, a.session, member), 'not_found')
    for (const table of ['auth_sessions', 'second_factors', 'recovery_codes', 'known_networks'] as const) {
      const left = a.database.db.selectFrom(table).selectAll().where('member_id', '=', member.memberId)
      expect([table, await left.execute()]).toEqual([table, []])
    }
    const cookie = `__Host-svc_session=${member.session}`
    const asked = { method: 'GET' as const, url: '/v1/account', headers: { cookie } }
    expect((await b.service.inject(asked)).statusCode).toBe(401)
  })

  // holds MEM-09
  test('leave of their own accord, with a session, the password and the code', async () => {
    const { service, owner, session } = await setScene(database())
    const member = await joinAs(service, owner, 'viewer')
    await giveSecondFactor({ service, owner: member }, { isOn: true })
    const url = '/v1/account/leave'
    const body = { password: PASSWORD, code: appCode(service) }
    refusalOf(await service.send('POST', url, { key: owner.apiKey, body }), 'forbidden')
    expect(refusalOf(await service.send('POST', url, { key: session, body }), 'forbidden')).toBe(LAST)
    for (const [field, given] of [
      ['password', { ...body, password: 'wrong battery' }],
      ['code', { ...body, code: '000000' }],
      ['code', { password: PASSWORD }],
    ] as const) {
      const refused = await service.send('POST', url, { key: member.session, body: given })
      expect(Object.keys(faultsIn(refused))).toEqual([field])
    }
    const headers = { cookie: `__Host-svc_session=${member.session}`, origin: 'https://svc.test' }
    const left = await service.inject({ method: 'POST', url, headers, payload: body })
    expect(left.json()).toEqual({ memberId: member.memberId })
    expect(cookieSet(left)).toMatchObject({ value: '' })
    expect(await statusWith(service, member.session)).toBe(401)
  })

  // holds MEM-10
  test('always have an owner among them, also when two go at once', async () => {
    const { a, b } = await setReplicatedScene(engine)
    const first = await firstMember(a.service, a.owner)
    expect(refusalOf(await remove(a.service, a.session, first), 'forbidden')).toBe(LAST)
    expect(refusalOf(await give(a.service, a.session, first, 'viewer'), 'forbidden')).toBe(LAST)
    const second = await joinAs(a.service, a.owner, 'owner')
    const answers = await Promise.all([
      give(a.service, a.session, second, 'developer'),
      give(b.service, second.session, first, 'developer'),
    ])
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 403])
    const left = a.database.db.selectFrom('members').select('email').where('role', '=', 'owner')
    expect(await left.where('owner_id', '=', a.owner.ownerId).execute()).toHaveLength(1)
  })

  // holds MEM-11
  test('hand the address of the account on when its owner goes, and that address may sign up again', async () => {
    const { service, owner } = await setScene(database())
    const heir = await joinAs(service, owner, 'owner')
    await remove(service, heir.session, await firstMember(service, owner))
    const account = (await service.send('GET', '/v1/account', { key: heir.session })).json()
    expect(account).toMatchObject({ ownerId: owner.ownerId, email: heir.email })
    const body = { email: owner.email, password: PASSWORD }
    begunSession(await service.send('POST', '/v1/auth/sign-up', { body }))
  })

  // holds MEM-12
  test('have passwords, sessions and a second factor of their own', async () => {
    const { service, owner, session } = await setScene(database())
    const member = await joinAs(service, owner, 'viewer')
    const change = { currentPassword: PASSWORD, newPassword: 'another battery staple' }
    const body = change
    const changed = begunSession(await service.send('POST', '/v1/account/password', { key: member.session, body }))
    expect([await statusWith(service, member.session), await statusWith(service, session)]).toEqual([401, 200])
    const listed = (await service.send('GET', '/v1/auth/sessions', { key: changed.token })).json()
    expect(listed.sessions).toMatchObject([{ isCurrent: true }])
    const { sessions } = (await service.send('GET', '/v1/auth/sessions', { key: session })).json()
    const url = `/v1/auth/sessions/${sessions[0].sessionId}`
    refusalOf(await service.send('DELETE', url, { key: changed.token }), 'not_found')
    await giveSecondFactor({ service, owner: member }, { isOn: true })
    const signIn = { email: member.email, password: change.newPassword }
    expect(faultsIn(await askToSignIn(service, signIn))).toHaveProperty('code')
    begunSession(await askToSignIn(service, { email: owner.email }))
  })

  // holds MEM-13
  test('get a key of their own role from a device login, which follows their role', async () => {
    const { service, owner, session } = await setScene(database())
    const member = await joinAs(service, owner, 'viewer')
    const key = await logIn(service, member)
    const create = (name: string) => service.send('POST', '/v1/projects', { key, body: { name } })
    expect((await create('One')).statusCode).toBe(403)
    await give(service, session, member, 'developer')
    expect((await create('One')).statusCode).toBe(201)
    const { keys } = (await service.send('GET', '/v1/account/keys', { key: member.session })).json()
    expect(keys).toMatchObject([{ role: 'developer', member: member.email }])
    const other = await joinAs(service, owner, 'developer')
    const revoke = (by: string) => service.send('POST', `/v1/account/keys/${keys[0].keyId}/revoke`, { key: by })
    refusalOf(await revoke(other.session), 'not_found')
    expect((await revoke(member.session)).statusCode).toBe(200)
    expect(await statusWith(service, key)).toBe(401)
  })

  // holds MEM-14
  test('are given a role by the operator', async () => {
    const { service, owner } = await setScene(database())
    const member = await joinAs(service, owner, 'viewer')
    const readPassword = () => Promise.reject(new Error('no password is asked for'))
    const deps = { ...service.deps, readPassword }
    const role = { name: 'set-role' as const, email: member.email, role: 'owner' as const }
    expect(await runAccountCommand(deps, role)).toEqual({ ownerId: owner.ownerId, email: member.email, role: 'owner' })
    const listed = await runAccountCommand(deps, { name: 'list-members', email: member.email })
    expect(listed).toMatchObject({ members: [{ email: owner.email }, { email: member.email, role: 'owner' }] })
    const create = runAccountCommand(deps, {
      name: 'create-owner',
      email: (await joinAs(service, owner, 'viewer')).email,
    })
    await expect(create).rejects.toThrow('belongs to a viewer of the account')
  })

  // holds MEM-15
  test('go with the account, and their addresses may sign up again', async () => {
    const { service, owner, session } = await setScene(database())
    const member = await joinAs(service, owner, 'developer')
    const confirmed = { confirm: owner.email, password: PASSWORD }
    refusalOf(await service.send('DELETE', '/v1/account', { key: member.session, body: confirmed }), 'forbidden')
    expect((await service.send('DELETE', '/v1/account', { key: session, body: confirmed })).statusCode).toBe(200)
    expect(await statusWith(service, member.session)).toBe(401)
    const body = { email: member.email, password: PASSWORD }
    begunSession(await service.send('POST', '/v1/auth/sign-up', { body }))
  })

  // holds MEM-17
  test('are changed with a session, and owners with the password and the code, too', async () => {
    const { service, owner, session } = await setScene(database())
    const [other, viewer] = [await joinAs(service, owner, 'owner'), await joinAs(service, owner, 'viewer')]
    const { invitationId } = await letInvitationWait(service, owner, { role: 'viewer' })
    const at = ({ memberId }: JoinedMember) => `/v1/account/members/${memberId}`
    const ofOwners = [
      ['POST', '/v1/account/invitations', { email: newAddress(), role: 'owner' }],
      ['PATCH', at(viewer), { role: 'owner' }],
      ['PATCH', at(other), { role: 'owner' }],
      ['PATCH', at(other), { role: 'viewer' }],
      ['DELETE', at(other), {}],
    ] as const
    const others = [
      ['POST', '/v1/account/invitations', { email: newAddress(), role: 'developer' }],
      ['PATCH', at(viewer), { role: 'developer' }],
      ['DELETE', at(viewer), undefined],
    ] as const
    const revoke = ['DELETE', `/v1/account/invitations/${invitationId}`, undefined] as const
    for (const key of [owner.apiKey, await logIn(service, other)]) {
      for (const [method, url, body] of [...ofOwners, ...others, revoke]) {
        const answer = await service.send(method, url, { key, body })
        expect(refusalOf(answer, 'forbidden')).toContain('An API key is not enough to change members')
      }
    }
    await giveSecondFactor({ service, owner }, { isOn: true })
    const faults = async (given: object, [method, url, body]: (typeof ofOwners)[number]) =>
      Object.keys(faultsIn(await service.send(method, url, { key: session, body: { ...body, ...given } })))
    for (const change of ofOwners) expect(await faults({}, change)).toEqual(['password'])
    expect(await faults({ password: 'not this one' }, ofOwners[1])).toEqual(['password'])
    expect(await faults({ password: PASSWORD }, ofOwners[1])).toEqual(['code'])
    expect(await faults({ password: PASSWORD, code: '000000' }, ofOwners[1])).toEqual(['code'])
    const { members } = (await service.send('GET', '/v1/account/members', { key: session })).json()
    expect(members.map(({ role }: JoinedMember) => role).sort()).toEqual(['owner', 'owner', 'viewer'])
    const made = { role: 'owner', password: PASSWORD, code: appCode(service) }
    expect((await service.send('PATCH', at(viewer), { key: session, body: made })).statusCode).toBe(200)
    await give(service, other.session, viewer, 'viewer')
    for (const [method, url, body] of others) {
      expect((await service.send(method, url, { key: session, body })).statusCode).toBeLessThan(300)
    }
  })

  // holds MEM-18
  test('who are owners take open invitations with them when they are demoted or removed', async () => {
    const { service, owner, session } = await setScene(database())
    const open = async () =>
      (await service.send('GET', '/v1/account/invitations', { key: session })).json().invitations.length
    const other = await joinAs(service, owner, 'owner')
    const developer = await joinAs(service, owner, 'developer')
    await letInvitationWait(service, owner, { role: 'owner' })
    await give(service, session, developer, 'viewer')
    await remove(service, session, developer)
    expect(await open()).toBe(1)
    await give(service, session, other, 'developer')
    expect(await open()).toBe(0)
    const third = await joinAs(service, owner, 'owner')
    await letInvitationWait(service, owner, { role: 'owner' })
    await remove(service, session, third)
    expect(await open()).toBe(0)
  })

  // holds MEM-19
  test('change nothing by a request that outlasts their role, and neither does their key', async () => {
    const { service, owner } = await setScene(database())
    const member = await joinAs(service, owner, 'owner')
    const viewer = await joinAs(service, owner, 'viewer')
    const { db } = database()
    const { ownerId } = owner
    const by = { ownerId, memberId: member.memberId, passwordVersion: 1 }
    await db.updateTable('members').set({ role: 'developer' }).where('member_id', '=', member.memberId).execute()
    const { memberId } = viewer
    expect(await changeRole(db, { ownerId, memberId, role: 'owner', by })).toBe('not owner')
    expect(await removeMember(db, { ownerId, memberId, now: 0, by })).toBe('not owner')
    const key = { name: 'Mine', role: 'owner' as const }
    const make = (maker: KeyMaker) => addKey(service.deps, owner.ownerId, { ...key, by: maker })
    await expect(make(by)).rejects.toThrow('taken away')
    const { row } = await addKey(service.deps, owner.ownerId, { ...key, by: null })
    const keyId = row.credential_id
    await make({ keyId })
    await db.updateTable('credentials').set({ revoked_at: 1 }).where('credential_id', '=', keyId).execute()
    await expect(make({ keyId })).rejects.toThrow('taken away')
  })

  // holds MEM-16
  test('are fifty at most', async () => {
    const { service, owner, session } = await setScene(database())
    await inTransaction(database().db, async (tx) => {
      for (let count = 1; count < 50; count += 1) {
        const memberId = service.deps.newId('member')
        const email = `${memberId.toLowerCase()}@example.com`
        await insertMember(tx, { memberId, ownerId: owner.ownerId, email, role: 'viewer', joinedAt: 0 })
      }
    })
    const body = { email: 'one-more@example.com', role: 'viewer' }
    const answer = await service.send('POST', '/v1/account/invitations', { key: session, body })
    expect(refusalOf(answer, 'forbidden')).toContain('50 members')
  })
})

function give(service: TestService, key: string, { memberId }: { memberId: string }, role: Role) {
  return service.send('PATCH', `/v1/account/members/${memberId}`, { key, body: { role, password: PASSWORD } })
}

function remove(service: TestService, key: string, { memberId }: { memberId: string }) {
  return service.send('DELETE', `/v1/account/members/${memberId}`, { key, body: { password: PASSWORD } })
}

/** `svc login`, confirmed by this member; returns the key. */
async function logIn(service: TestService, { session }: JoinedMember): Promise<string> {
  const { deviceCode, userCode } = (
    await service.send('POST', '/v1/auth/device', { body: { machine: 'laptop' } })
  ).json()
  const url = `/v1/account/devices/${userCode}`
  await service.send('POST', url, { key: session, body: { status: 'authorized' } })
  return (await service.send('POST', '/v1/auth/device/token', { body: { deviceCode } })).json().key
}
