import { ChangePasswordRequest } from '@svc/contract'
import { expect, test } from 'vitest'
import type { ApiOperation } from '../../src/fuzz/requests/api-operations.ts'
import { cookieTargets } from '../../src/fuzz/requests/browser.ts'
import { mutate } from '../../src/fuzz/requests/mutate.ts'
import type { Scenery } from '../../src/fuzz/requests/scenery.ts'
import type { RawAnswer } from '../../src/fuzz/support/raw-http.ts'
import type { RawRequest } from '../../src/fuzz/support/raw-request.ts'
import { createRandom } from '../../src/support/random.ts'

const CHANGE: ApiOperation = {
  operationId: 'changePassword',
  method: 'POST',
  path: '/v1/account/password',
  plane: 'accountKey',
  pathParameters: [],
  queryParameters: [],
  example: {},
}
const SCENERY: Scenery = {
  keys: { public: undefined, accountKey: undefined, deployKey: undefined, publicKey: undefined },
  values: new Map(),
  inPaths: new Map(),
}
const BROWSER = { origin: 'http://127.0.0.1:1', cookie: 'svc_session=0' }

function bodyOf({ body }: RawRequest): ChangePasswordRequest | null {
  try {
    return ChangePasswordRequest.parse(JSON.parse(body?.toString() ?? ''))
  } catch {
    return null
  }
}

/** An account that changes its password as the service does. */
function openAccount() {
  const account = { password: 'correct horse battery staple', cookie: BROWSER.cookie, changes: 0 }
  const answer = (status: number, headers: RawAnswer['headers'] = new Map()) => ({ status, headers, body: '', size: 0 })
  const ask = (request: RawRequest): RawAnswer => {
    const isKnown = request.headers.some(([name, value]) => name === 'cookie' && value.includes(account.cookie))
    const given = bodyOf(request)
    if (!isKnown || request.method !== CHANGE.method || request.target !== CHANGE.path) return answer(401)
    if (given?.currentPassword !== account.password) return answer(400)
    account.changes += 1
    account.password = given.newPassword
    account.cookie = `svc_session=${account.changes}`
    return answer(200, new Map([['set-cookie', [`${account.cookie}; Path=/; HttpOnly`]]]))
  }
  return { account, ask }
}

test('changes of a password go on, whatever the last one that was let in has made it', () => {
  for (let seed = 1; seed <= 10; seed += 1) {
    const random = createRandom(seed)
    const { account, ask } = openAccount()
    const [target] = cookieTargets([CHANGE], 1, { owner: BROWSER, changer: BROWSER })
    if (target === undefined) throw new Error('there is no target')
    const passwords = new Set<string>()
    for (let sent = 0; sent < 450; sent += 1) {
      const { request, isFramingBroken } = mutate(target.request(SCENERY, random), random, [])
      if (!isFramingBroken) target.hear?.(request, ask(request))
      passwords.add(account.password)
    }
    // It became another one, and the next good request names that.
    expect(passwords.size).toBeGreaterThan(1)
    expect(bodyOf(target.request(SCENERY, random))?.currentPassword).toBe(account.password)
  }
})
