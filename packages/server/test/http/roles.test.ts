import { Role } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { refusalOf } from '../support/answers.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { joinAs } from '../support/members.ts'
import { setScene } from '../support/scene.ts'
import { startForTest, type TestOwner, type TestService } from '../support/service.ts'

/** The operations that are not what their method says: reads are for viewers, changes for developers. */
const OWNERS_OWN = [
  ...['changeMember', 'removeMember', 'listInvitations', 'inviteMember', 'revokeInvitation', 'createAccountKey'],
  ...['startCheckout', 'verifyCheckout', 'deleteAccount'],
]
const ABOUT_ONESELF = [
  ...['changePassword', 'revokeSession', 'revokeOtherSessions', 'startTwoFactor', 'confirmTwoFactor', 'stopTwoFactor'],
  ...['answerDevice', 'revokeAccountKey', 'leaveAccount'],
]
const RANKS = { viewer: 1, developer: 2, owner: 3 }

interface OwnerOperation {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  operationId: string
  description?: string
}

describeEngine('sqlite', 'roles', (engine) => {
  const database = useDatabase(engine)

  // holds MEM-01
  test('every operation of the owner plane lets in those of its role and above, and tells others which it needs', async () => {
    const service = await startForTest(database())
    const owner = await service.owner('enterprise')
    const operations = await ownerOperations(service)
    expect(operations.length).toBeGreaterThan(60)
    for (const role of Role.options) {
      const key = await keyWith(service, owner, role)
      for (const { method, path, operationId, description = '' } of operations) {
        const least = leastOf({ method, operationId })
        const url = path.replaceAll(/\{\w+\}/g, 'absent_1')
        const answer = await service.send(method, url, { key, ...(method !== 'GET' && { body: {} }) })
        const isRoleRefused = /^(?:This needs the role|No role allows)/
        const refused = answer.statusCode === 403 && isRoleRefused.test(answer.json().error.message)
        expect([role, operationId, refused]).toEqual([role, operationId, RANKS[role] < RANKS[least]])
        if (refused) {
          const message = `This needs the role “${least}”. Yours is “${role}”: ask an owner of the account.`
          expect(refusalOf(answer, 'forbidden')).toBe(message)
          expect(description).toContain(`Needs the role \`${least}\`.`)
        }
      }
    }
    // Two hundred requests.
  }, 60_000)

  // holds MEM-02
  test('a session has the role of its member, before a body is looked at', async () => {
    const { service, owner, runtime } = await setScene(database())
    const reveal = `/v1/runtimes/${runtime.runtimeId}/reveal-key`
    const statuses = async (role: Role) => {
      const { session: key } = await joinAs(service, owner, role)
      const answers = await Promise.all([
        service.send('GET', '/v1/runtimes', { key }),
        service.send('POST', reveal, { key, body: { type: 'public' } }),
        service.send('POST', '/v1/account/invitations', { key, body: { broken: true } }),
      ])
      return answers.map(({ statusCode }) => statusCode)
    }
    expect(await statuses('viewer')).toEqual([200, 403, 403])
    expect(await statuses('developer')).toEqual([200, 200, 403])
    expect(await statuses('owner')).toEqual([200, 200, 400])
  })

  // holds MEM-03
  test('what a viewer reads holds no secret', async () => {
    const { service, owner, runtime } = await setScene(database())
    const { session: key } = await joinAs(service, owner, 'viewer')
    for (const { method, path } of await ownerOperations(service)) {
      if (method !== 'GET') continue
      const { body } = await service.send(method, path.replace('{runtimeId}', runtime.runtimeId), { key })
      for (const secret of [runtime.secret, runtime.deployKey, runtime.publicKey, owner.apiKey])
        expect(body).not.toContain(secret)
    }
  })

  test('a viewer sees of webhooks the origin of their URL alone, whose path may be a secret', async () => {
    const { service, owner } = await setScene(database())
    const url = 'https://chat.example.com/hooks/T0/hush?token=hush'
    const body = { url, events: ['key.revealed'] }
    const { webhookId } = (await service.send('POST', '/v1/webhooks', { key: owner.apiKey, body })).json()
    for (const role of Role.options) {
      const { session: key } = await joinAs(service, owner, role)
      const [listed] = (await service.send('GET', '/v1/webhooks', { key })).json().webhooks
      const read = (await service.send('GET', `/v1/webhooks/${webhookId}`, { key })).json()
      const shown = role === 'viewer' ? 'https://chat.example.com' : url
      expect([role, listed.url, read.url]).toEqual([role, shown, shown])
    }
  })

  describe('of API keys', () => {
    // holds MEM-04
    test('stand in the answer, and hold until the key is revoked', async () => {
      const service = await startForTest(database())
      const owner = await service.owner('pro')
      const key = await keyWith(service, owner, 'viewer')
      expect((await service.send('GET', '/v1/account', { key })).json()).toMatchObject({ role: 'viewer', member: null })
      refusalOf(await service.send('POST', '/v1/account/keys', { key, body: { name: 'More' } }), 'forbidden')
      refusalOf(await service.send('DELETE', '/v1/auth/sessions', { key }), 'forbidden')
      const { keys } = (await service.send('GET', '/v1/account/keys', { key })).json()
      expect(keys).toMatchObject([{ name: 'A viewer', role: 'viewer' }])
      const end = (keyId: string) => service.send('POST', `/v1/account/keys/${keyId}/revoke`, { key })
      const [other] = (await service.send('GET', '/v1/account/keys', { key: owner.apiKey }))
        .json()
        .keys.filter((each: { name: string }) => each.name !== 'A viewer')
      refusalOf(await end(other.keyId), 'not_found')
      expect((await end(keys[0].keyId)).statusCode).toBe(200)
      expect((await service.send('GET', '/v1/account', { key })).statusCode).toBe(401)
    })
  })
})

function leastOf({ method, operationId }: Pick<OwnerOperation, 'method' | 'operationId'>): Role {
  if (OWNERS_OWN.includes(operationId)) return 'owner'
  return method === 'GET' || ABOUT_ONESELF.includes(operationId) ? 'viewer' : 'developer'
}

async function keyWith(service: TestService, owner: TestOwner, role: Role): Promise<string> {
  const body = { name: `A ${role}`, role }
  return (await service.send('POST', '/v1/account/keys', { key: owner.apiKey, body })).json().key
}

async function ownerOperations(service: TestService): Promise<OwnerOperation[]> {
  const { paths } = (await service.send('GET', '/openapi.json')).json()
  const described = Object.entries<Record<string, object>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...Object(operation),
      method: method.toUpperCase(),
      path,
    })),
  )
  return described.filter(({ security }) => JSON.stringify(security).includes('accountKey'))
}
