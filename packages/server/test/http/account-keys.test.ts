import { randomUUID } from 'node:crypto'
import { AccountKey, AccountKeyList, abbreviateKey, CreatedAccountKey } from '@svc/contract'
import { expect, test } from 'vitest'
import { createOwner } from '../../src/accounts/accounts.ts'
import { faultsIn, refusalOf, steadyHeaders } from '../support/answers.ts'
import { createTestClock } from '../support/clock.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { firstMember } from '../support/members.ts'
import { dumpTables } from '../support/scene.ts'
import { startForTest, type TestOwner, type TestService } from '../support/service.ts'

const URL = '/v1/account/keys'

describeEngines('an account’s API keys', (engine) => {
  const database = useDatabase(engine)

  // holds KEY-23
  test('a new key is shown in full once, opens the owner plane, and is listed abbreviated', async () => {
    const lines: string[] = []
    const service = await startForTest(database(), { log: (line) => lines.push(line) })
    const owner = await service.owner()
    service.clock.advance(1_000)
    const created = await create(service, owner, '  Continuous integration ')
    const { key, ...shown } = created
    expect(shown).toEqual({
      keyId: created.keyId,
      name: 'Continuous integration',
      prefix: abbreviateKey(key),
      role: 'owner',
      member: null,
      createdAt: new Date(service.clock.now()).toISOString(),
      lastUsedAt: null,
      revokedAt: null,
    })
    expect(await opens(service, key)).toBe(true)
    const listed = await service.send('GET', URL, { key })
    expect(AccountKeyList.parse(listed.json()).keys[0]).toEqual({ ...shown, lastUsedAt: shown.createdAt })
    const kept = [await dumpTables(database()), lines.join('\n'), listed.body].join('\n')
    expect(kept).not.toContain(key)
    const row = await database()
      .db.selectFrom('credentials')
      .select(['sealed', 'hash'])
      .where('credential_id', '=', created.keyId)
      .executeTakeFirstOrThrow()
    expect(row).toEqual({ sealed: null, hash: service.deps.keyring.hash(key) })
  })

  test('a key that an operator created with the account is named after the command', async () => {
    const service = await startForTest(database())
    const owner = await service.owner()
    expect((await list(service, owner)).keys).toMatchObject([
      { name: 'create-owner', prefix: abbreviateKey(owner.apiKey), revokedAt: null },
    ])
  })

  // holds SES-04
  test('a key’s last use is known to the minute, and stored once a minute', async () => {
    const service = await startForTest(database())
    const owner = await service.owner()
    const lastUsed = async () => (await list(service, owner)).keys[0]?.lastUsedAt
    const first = new Date(service.clock.now()).toISOString()
    expect(await lastUsed()).toBe(first)
    service.clock.advance(59_999)
    expect(await lastUsed()).toBe(first)
    service.clock.advance(1)
    expect(await lastUsed()).toBe(new Date(service.clock.now()).toISOString())
  })

  // holds KEY-27
  test('of 200 concurrent requests for keys, 50 succeed; revoking a key makes room for another', async () => {
    const service = await startForTest(database())
    const owner = await service.owner()
    const ask = () => service.send('POST', URL, { key: owner.apiKey, body: { name: 'one of many' } })
    const answers = await Promise.all(Array.from({ length: 200 }, ask))
    // A database that so many wait for refuses some of them, too.
    expect(answers.filter(({ statusCode }) => ![201, 403, 429].includes(statusCode))).toEqual([])
    const made = answers.filter(({ statusCode }) => statusCode === 201).length
    // The operator's command made the first.
    for (let count = made; count < 49; count += 1) expect((await ask()).statusCode).toBe(201)
    expect(refusalOf(await ask(), 'forbidden')).toMatch(/50 API keys/)
    await expect(createOwner(service.deps, { email: owner.email, tier: 'free' })).rejects.toThrow(/50 API keys/)
    const [first] = answers.filter(({ statusCode }) => statusCode === 201)
    const { keyId } = CreatedAccountKey.parse(first?.json())
    await service.send('POST', `${URL}/${keyId}/revoke`, { key: owner.apiKey })
    expect((await ask()).statusCode).toBe(201)
    expect((await ask()).statusCode).toBe(403)
  })

  test('the last 50 revoked keys stay on the list', async () => {
    const service = await startForTest(database())
    const owner = await service.owner()
    for (let index = 0; index < 60; index += 1) {
      service.clock.advance(1)
      const { keyId } = await create(service, owner, `key ${index}`)
      await service.send('POST', `${URL}/${keyId}/revoke`, { key: owner.apiKey })
    }
    const { keys } = AccountKeyList.parse((await service.send('GET', `${URL}?limit=200`, { key: owner.apiKey })).json())
    expect(keys.length).toBe(1 + 51)
    expect(keys[0]?.name).toBe('key 59')
  })

  // holds KEY-25
  test('keys are listed newest first, page by page, each once, without other owners’ keys', async () => {
    const service = await startForTest(database())
    const [owner, other] = [await service.owner(), await service.owner()]
    await service.runtime(owner)
    await create(service, other, 'another’s')
    const names: string[] = []
    for (let index = 0; index < 7; index += 1) {
      // Pairs of the same millisecond.
      if (index % 2 === 0) service.clock.advance(1)
      names.unshift((await create(service, owner, `key ${index}`)).name)
    }
    const seen: string[] = []
    let query = '?limit=3'
    for (;;) {
      const page = await list(service, owner, query)
      seen.push(...page.keys.map(({ name }) => name))
      if (page.nextCursor === null) break
      query = `?limit=3&cursor=${page.nextCursor}`
    }
    expect(seen).toEqual([...names, 'create-owner'])
    expect((await list(service, owner)).keys).toHaveLength(8)
  })

  // holds KEY-26
  test('a revoked key stops at once on every replica, and stays on the list', async () => {
    const service = await startForTest(database())
    const { masterKey } = service
    const behind = createTestClock(service.clock.now() - 60_000)
    const replica = await startForTest(database(), { masterKey, clock: behind })
    const owner = await service.owner()
    const { key, keyId } = await create(service, owner, 'leaked')
    expect(await opens(replica, key)).toBe(true)
    const revoked = await revoke(service, owner, keyId)
    expect(revoked.revokedAt).toBe(new Date(service.clock.now()).toISOString())
    expect([await opens(service, key), await opens(replica, key)]).toEqual([false, false])
    expect(await opens(service, owner.apiKey)).toBe(true)
    expect((await list(service, owner)).keys.find((listed) => listed.keyId === keyId)).toEqual(revoked)
  })

  test('revoking a key again changes nothing and answers the same', async () => {
    const service = await startForTest(database())
    const owner = await service.owner()
    const { keyId } = await create(service, owner, 'leaked')
    const first = await revoke(service, owner, keyId)
    service.clock.advance(5_000)
    const again = await Promise.all(Array.from({ length: 10 }, () => revoke(service, owner, keyId)))
    expect(again).toEqual(again.map(() => first))
  })

  test('a key may revoke itself, and opens nothing afterwards; the log says by which key or by whom', async () => {
    const lines: string[] = []
    const service = await startForTest(database(), { log: (line) => lines.push(line) })
    const owner = await service.owner()
    const { key, keyId } = await create(service, owner, 'mine')
    expect((await revoke(service, { ...owner, apiKey: key }, keyId)).keyId).toBe(keyId)
    expect(await opens(service, key)).toBe(false)
    const second = await create(service, owner, 'another')
    await revoke(service, { ...owner, apiKey: await service.signedIn(owner) }, second.keyId)
    const { memberId } = await firstMember(service, owner)
    const logged = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'an API key was revoked')
    const { ownerId } = owner
    expect(logged).toMatchObject([
      { ownerId, keyId, byKey: keyId },
      { ownerId, keyId: second.keyId, by: memberId },
    ])
    expect(logged.map(({ by, byKey }) => [by === undefined, byKey === undefined])).toEqual([
      [true, false],
      [false, true],
    ])
  })

  test('a key’s name has 1 to 100 characters', async () => {
    const service = await startForTest(database())
    const owner = await service.owner()
    for (const name of ['', '   ', 'x'.repeat(101)]) {
      const answer = await service.send('POST', URL, { key: owner.apiKey, body: { name } })
      expect(Object.keys(faultsIn(answer))).toEqual(['name'])
    }
    expect(await create(service, owner, 'x'.repeat(100))).toMatchObject({ name: 'x'.repeat(100) })
    expect((await list(service, owner)).keys).toHaveLength(2)
  })

  test('another owner’s key and a runtime’s key answer 404 and stay unchanged', async () => {
    const service = await startForTest(database())
    const [holder, otherOwner] = [await service.owner(), await service.owner()]
    const { runtimeId, deployKey } = await service.runtime(otherOwner)
    const { keyId, key } = await create(service, holder, 'mine')
    const ofRuntime = await database()
      .db.selectFrom('credentials')
      .select('credential_id')
      .where('runtime_id', '=', runtimeId)
      .where('kind', '=', 'deploy')
      .executeTakeFirstOrThrow()
    const ask = (id: string) => service.send('POST', `${URL}/${id}/revoke`, { key: otherOwner.apiKey })
    const random = await ask(`key_${randomUUID()}`)
    expect(refusalOf(random, 'not_found')).toBe('The key was not found.')
    for (const id of [keyId, ofRuntime.credential_id]) {
      const answer = await ask(id)
      expect([answer.body, steadyHeaders(answer)]).toEqual([random.body, steadyHeaders(random)])
    }
    expect(await opens(service, key)).toBe(true)
    expect((await service.send('GET', '/v1/runtime/status', { key: deployKey })).statusCode).toBe(200)
  })
})

async function create(service: TestService, owner: TestOwner, name: string): Promise<CreatedAccountKey> {
  const answer = await service.send('POST', URL, { key: owner.apiKey, body: { name } })
  const sent: unknown = answer.json()
  expect([answer.statusCode, answer.headers['cache-control']]).toEqual([201, 'no-store'])
  const created = CreatedAccountKey.parse(sent)
  expect(sent).toEqual(created)
  return created
}

async function list(service: TestService, owner: TestOwner, query = ''): Promise<AccountKeyList> {
  const answer = await service.send('GET', `${URL}${query}`, { key: owner.apiKey })
  const sent: unknown = answer.json()
  const page = AccountKeyList.parse(sent)
  expect(sent).toEqual(page)
  return page
}

async function revoke(service: TestService, owner: TestOwner, keyId: string): Promise<AccountKey> {
  const answer = await service.send('POST', `${URL}/${keyId}/revoke`, { key: owner.apiKey })
  const sent: unknown = answer.json()
  expect(answer.statusCode).toBe(200)
  expect(AccountKey.parse(sent)).toEqual(sent)
  return AccountKey.parse(sent)
}

async function opens(service: TestService, key: string): Promise<boolean> {
  const answer = await service.send('GET', '/v1/runtimes', { key })
  if (answer.statusCode !== 200) refusalOf(answer, 'unauthorized')
  return answer.statusCode === 200
}
