import { type IssuerDouble, startIssuerDouble } from '@svc/testkit'
import { SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, onTestFinished, test } from 'vitest'
import { APPROVING, dispatched } from '../support/approvals.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { callTool, mcpPath, sendLegacy, sendModern } from '../support/mcp.ts'
import { callWith, deployedWith, type SignInScene, setSignInScene } from '../support/mcp-sign-in.ts'
import { deployed, dumpTables } from '../support/scene.ts'

// Tokens are judged before a store is asked, which then takes one more kind of call.
describeEngine('sqlite', 'a user who signed in', (engine) => {
  const database = useDatabase(engine)

  // holds MCP-30
  test('is told to the endpoint, without the token, and to nobody else', async () => {
    const lines: string[] = []
    const scene = await setSignInScene(database(), {
      endUsers: { scopes: ['orders:read'] },
      log: (line) => lines.push(line),
    })
    const token = await scene.token({ scope: 'orders:read openid', email: 'alice@example.com', __proto__: { a: 1 } })
    const answer = await callWith(scene, token)
    expect(answer.json().result).toMatchObject({ isError: false, structuredContent: { orders: 1 } })
    const [call] = scene.endpoint.effects
    expect(call?.endUser).toMatchObject({
      issuer: scene.issuer.issuer,
      subject: 'alice',
      scopes: ['orders:read', 'openid'],
      claims: { sub: 'alice', aud: scene.resource, email: 'alice@example.com' },
    })
    expect(JSON.stringify(call)).not.toContain(token)
    expect(call).not.toHaveProperty('endUserToken')
    const list = await scene.service.send('GET', '/v1/executions', { key: scene.owner.apiKey })
    const [{ executionId }] = list.json().executions
    expect(await scene.trace(executionId)).toMatchObject({ kind: 'capability', surface: 'mcp', status: 'completed' })
    expect(await scene.usage()).toMatchObject({ executions: 1, anonymous: 0 })
    const kept = `${await dumpTables(scene.database)}${lines.join('')}`
    for (const secret of ['alice', token, token.split('.')[1] ?? '']) expect(kept).not.toContain(secret)
  })

  test.each(['RS256', 'EdDSA'] as const)('may come with a token that is signed with %s', async (alg) => {
    const scene = await setSignInScene(database(), { issuerOptions: { alg } })
    expect((await callWith(scene, await scene.token())).json().result).toMatchObject({ isError: false })
  })

  describe('is refused', () => {
    const later = (scene: SignInScene, seconds: number) => Math.floor(scene.service.clock.now() / 1000) + seconds
    const hostile: Readonly<Record<string, (scene: SignInScene) => Promise<string> | string>> = {
      'no signature': ({ issuer, resource }) => unsigned({ iss: issuer.issuer, aud: resource }),
      'the public key as a secret': (scene) => signedWithPublicKey(scene),
      'another resource': ({ token }) => token({ aud: 'https://svc.test/v1/mcp/rt_other' }),
      'no resource': ({ issuer }) => issuer.sign(),
      'another issuer': ({ token }) => token({ iss: 'https://login.example.com' }),
      'another issuer’s key': ({ service, issuer, resource }) => signedByAnother(service.clock.now, issuer, resource),
      'an end that is past': (scene) => scene.token({ exp: later(scene, -60) }),
      'a beginning to come': (scene) => scene.token({ nbf: later(scene, 60) }),
      'a forged kid': ({ token }) => token({}, { kid: '../../key' }),
      'no end': ({ token }) => token(Object({ exp: undefined })),
      'no subject': ({ token }) => token(Object({ sub: undefined })),
      'a subject that is no text': ({ token }) => token(Object({ sub: { a: 1 } })),
      'more than 8 KiB': ({ token }) => token({ much: 'x'.repeat(9_000) }),
      'a missing piece': async ({ token }) => (await token()).slice(0, -9),
      'a key of the service': () => 'svc_pk_abc',
    }
    // holds MCP-31
    test('with a token of any other kind, whatever is asked for', async () => {
      const scene = await setSignInScene(database())
      const charged = await scene.charged()
      for (const [name, make] of Object.entries(hostile)) {
        const token = await make(scene)
        const headers = { authorization: `Bearer ${token}` }
        const answers = [await callWith(scene, token, 'echo'), await sendModern(scene, 'tools/list', { headers })]
        for (const answer of answers) {
          const { code, message } = answer.json().error ?? {}
          const refused = {
            name,
            status: answer.statusCode,
            code,
            message,
            challenge: answer.headers['www-authenticate'],
          }
          const description = expect.stringMatching(/^The access token is refused: /)
          expect(refused).toEqual({ name, status: 401, code: 401, message: description, challenge: expect.any(String) })
          const parameters = [`error="invalid_token"`, `error_description="${message}"`]
          const where = `resource_metadata="${metadataUrl(scene)}"`
          expect(refused.challenge).toBe(`Bearer ${[...parameters, where].join(', ')}`)
        }
      }
      expect(scene.endpoint.effects).toEqual([])
      expect(await scene.charged()).toEqual(charged)
    })

    // holds MCP-31
    test('while its issuer’s keys cannot be had', async () => {
      const scene = await setSignInScene(database(), { limits: { issuerMs: 100 } })
      const { issuer, jwksUri, documents, requests } = scene.issuer
      documents.set('/slow', () => undefined)
      documents.set('/large', { keys: [{ kty: 'x'.repeat(70_000) }] })
      documents.set('/other', { keys: 'all' })
      documents.set('/redirected', (response) => response.writeHead(302, { location: '/jwks' }).end())
      const metadata = '/.well-known/oauth-authorization-server'
      documents.set(`${metadata}/private`, { issuer: `${issuer}/private`, jwks_uri: 'https://169.254.169.254/jwks' })
      documents.set(`${metadata}/plain`, { issuer: `${issuer}/plain`, jwks_uri: 'http://keys.example.com/jwks' })
      documents.set(`${metadata}/stolen`, { issuer, jwks_uri: jwksUri })
      const rows = [
        ...['/slow', '/large', '/other', '/redirected', '/none'].map((path) => ({ issuer, jwksUri: issuer + path })),
        ...['https://10.0.0.1/jwks', 'https://[::ffff:127.0.0.1]/jwks'].map((uri) => ({ issuer, jwksUri: uri })),
        ...['/private', '/plain', '/stolen', '/none'].map((path) => ({ issuer: issuer + path })),
      ]
      for (const endUsers of rows) {
        await deployedWith(scene, endUsers)
        const answer = await callWith(scene, await scene.token({ iss: endUsers.issuer }))
        const { message } = answer.json().error ?? {}
        const expected = expect.stringContaining('the keys of its issuer cannot be read')
        expect({ endUsers, status: answer.statusCode, message }).toEqual({ endUsers, status: 401, message: expected })
      }
      expect(requests).not.toContain('/jwks')
      expect(scene.endpoint.effects).toEqual([])
    })

    test('with 403 where the token lacks a scope that all need', async () => {
      const scene = await setSignInScene(database(), { endUsers: { scopes: ['orders:read', 'orders:write'] } })
      const answer = await callWith(scene, await scene.token({ scp: ['orders:read'] }))
      expect([answer.statusCode, answer.json().error.code]).toEqual([403, 403])
      const challenge = answer.headers['www-authenticate']
      expect(challenge).toMatch(/^Bearer error="insufficient_scope", .*, scope="orders:read orders:write"$/)
    })

    test('where the runtime signs users in elsewhere by now', async () => {
      const scene = await setSignInScene(database())
      const token = await scene.token()
      await callWith(scene, token)
      await deployedWith(scene, { issuer: 'https://login.example.com' })
      expect((await callWith(scene, token)).statusCode).toBe(401)
      await deployedWith(scene, undefined)
      // Nobody signs in there: a token is what it was before, nothing.
      expect((await callWith(scene, token, 'echo')).json().result).toMatchObject({ isError: false })
      expect(scene.endpoint.effects).toHaveLength(2)
    })
  })

  // holds MCP-32
  test('is known by a key that is new, once 5 seconds have passed since the keys were asked for', async () => {
    const scene = await setSignInScene(database())
    const asked = () => scene.issuer.requests.filter((path) => path === '/jwks').length
    const before = await scene.token()
    const status = async (token: string) => (await callWith(scene, token)).statusCode
    expect(await status(before)).toBe(200)
    await scene.issuer.rotate()
    const after = await scene.token()
    expect(await Promise.all([status(after), status(after), status(before)])).toEqual([401, 401, 200])
    expect(asked()).toBe(1)
    scene.service.clock.advance(5_000)
    expect(await Promise.all([status(after), status(after)])).toEqual([200, 200])
    expect(await status(before)).toBe(401)
    expect(asked()).toBe(2)
    scene.issuer.documents.set('/jwks', {})
    scene.service.clock.advance(5_000)
    expect([await status(await scene.token({}, { kid: 'forged' })), await status(after)]).toEqual([401, 200])
    expect(asked()).toBe(3)
  })

  test('is known by the keys of an issuer that describes itself in any place that is agreed on', async () => {
    const scene = await setSignInScene(database())
    const { documents, jwksUri } = scene.issuer
    documents.delete('/.well-known/oauth-authorization-server')
    const places = [
      ['/one', '/.well-known/oauth-authorization-server/one'],
      ['/two/', '/.well-known/openid-configuration/two'],
      ['/three', '/three/.well-known/openid-configuration'],
      ['/', '/.well-known/openid-configuration'],
    ] as const
    for (const [path, document] of places) {
      const issuer = `${scene.issuer.issuer}${path}`
      documents.set(document, { issuer, jwks_uri: jwksUri })
      await deployedWith(scene, { issuer })
      expect([path, (await callWith(scene, await scene.token({ iss: issuer }))).statusCode]).toEqual([path, 200])
    }
  })

  test('is known without the name of a key, while its issuer has several', async () => {
    const scene = await setSignInScene(database())
    const { documents } = scene.issuer
    const before = Object(documents.get('/jwks')).keys
    await scene.issuer.rotate()
    documents.set('/jwks', { keys: [...before, ...Object(documents.get('/jwks')).keys] })
    const unnamed = Object({ kid: undefined })
    expect((await callWith(scene, await scene.token({}, unnamed))).statusCode).toBe(200)
    const forged = await signedByAnother(scene.service.clock.now, scene.issuer, scene.resource, unnamed)
    expect((await callWith(scene, forged)).statusCode).toBe(401)
  })

  // holds MCP-32
  test('is known by a new key without a name, which is asked for once a minute', async () => {
    const scene = await setSignInScene(database())
    const asked = () => scene.issuer.requests.filter((path) => path === '/jwks').length
    const unnamed = Object({ kid: undefined })
    const status = async (token: string) => (await callWith(scene, token)).statusCode
    const pass = async (ms: number) => {
      scene.service.clock.advance(ms)
      await scene.service.renew()
    }
    expect(await status(await scene.token({}, unnamed))).toBe(200)
    await scene.issuer.rotate()
    const after = await scene.token({}, unnamed)
    await pass(59_999)
    expect([await status(after), asked()]).toEqual([401, 1])
    await pass(1)
    expect(await Promise.all([status(after), status(after), status(after)])).toEqual([200, 200, 200])
    expect(asked()).toBe(2)
    const forged = await signedByAnother(scene.service.clock.now, scene.issuer, scene.resource, unnamed)
    expect([await status(forged), await status(forged), await status(after), asked()]).toEqual([401, 401, 200, 2])
    await pass(60_000)
    expect([await status(forged), await status(forged), await status(after), asked()]).toEqual([401, 401, 200, 3])
    scene.issuer.documents.set('/jwks', {})
    await pass(60_000)
    expect([await status(forged), await status(forged), await status(after), asked()]).toEqual([401, 401, 200, 4])
  })

  test('may have a token for the audience that the deployment names', async () => {
    const scene = await setSignInScene(database(), { endUsers: { audience: 'shop-api' } })
    expect((await callWith(scene, await scene.token({ aud: ['other', 'shop-api'] }))).statusCode).toBe(200)
  })

  test('is asked to approve alone: another user’s state is not told apart from a wrong one', async () => {
    const scene = await setSignInScene(database(), APPROVING)
    const as = async (sub: string | null, params: object = {}) => {
      const headers = sub === null ? {} : { authorization: `Bearer ${await scene.token({ sub })}` }
      return callTool(
        scene,
        'pay',
        { value: 120 },
        { headers, capabilities: { elicitation: {} }, params: { ...params } },
      )
    }
    const repeat = (state: string) => ({
      requestState: state,
      inputResponses: { approval: { action: 'accept', content: { approve: true } } },
    })
    const [{ requestState: alices }, { requestState: nobodys }] = [
      (await as('alice')).json().result,
      (await as(null)).json().result,
    ]
    for (const answer of [
      await as('bob', repeat(alices)),
      await as(null, repeat(alices)),
      await as('alice', repeat(nobodys)),
    ]) {
      expect(answer.json().error).toMatchObject({ code: -32602, message: expect.stringContaining('requestState') })
    }
    expect(dispatched(scene.endpoint)).toEqual([])
    expect((await as('alice', repeat(alices))).json().result).toMatchObject({ structuredContent: { paid: 120 } })
    expect(dispatched(scene.endpoint)).toMatchObject([{ endUser: { subject: 'alice' } }])
    expect(await dumpTables(scene.database)).not.toContain('alice')
  })

  test('does not get the recorded answer of another one', async () => {
    const scene = await setSignInScene(database())
    const as = async (sub: string) => {
      const authorization = `Bearer ${await scene.token({ sub })}`
      return callTool(scene, 'mine', {}, { headers: { authorization, 'idempotency-key': 'order-0001' } })
    }
    expect((await as('alice')).json().result).toEqual((await as('alice')).json().result)
    expect((await as('bob')).statusCode).toBe(400)
    expect(scene.endpoint.effects).toHaveLength(1)
    await deployedWith(scene, { issuer: 'https://login.example.com' })
    expect((await as('alice')).statusCode).toBe(401)
  })

  test('is needed to approve what nobody signed in for, once a later deployment needs one', async () => {
    const scene = await setSignInScene(database(), APPROVING)
    const pay = (params: object = {}) =>
      callTool(scene, 'pay', { value: 120 }, { capabilities: { elicitation: {} }, params: { ...params } })
    const { requestState } = (await pay()).json().result
    const [, first] = APPROVING.manifest?.capabilities ?? []
    const capabilities = [Object({ ...first, requiresEndUser: true })]
    await deployed(scene.service, scene.runtime, { capabilities, endUsers: { issuer: scene.issuer.issuer } })
    const inputResponses = { approval: { action: 'accept', content: { approve: true } } }
    expect((await pay({ requestState, inputResponses })).json().error).toMatchObject({ code: -32602 })
    expect(dispatched(scene.endpoint)).toEqual([])
  })

  test('is one visitor; without one the network is, whatever the body names', async () => {
    const scene = await setSignInScene(database(), { tier: 'free' })
    const ping = (remoteAddress: string, headers: object = {}, more: object = {}) =>
      scene.service.inject({
        method: 'POST',
        url: mcpPath(scene),
        remoteAddress,
        headers: { 'mcp-protocol-version': '2025-11-25', ...headers },
        payload: { jsonrpc: '2.0', id: 1, method: 'ping', ...more },
      })
    await ping('203.0.113.1')
    const statuses: number[] = []
    // One after the other: those of one network that are not judged yet share its part.
    for (let index = 0; index < 35; index += 1) {
      statuses.push((await ping('203.0.113.2', {}, { endUserToken: `user-${index}` })).statusCode)
    }
    expect(statuses.filter((status) => status === 429)).toHaveLength(5)
    const authorization = `Bearer ${await scene.token()}`
    expect((await ping('203.0.113.2', { authorization })).statusCode).toBe(200)
  })
})

describeEngine('sqlite', 'a tool for signed-in users, called without a token', (engine) => {
  const database = useDatabase(engine)
  const signsIn = (name: string) => ({ capabilities: { extensions: { [name]: {} } } })

  // holds MCP-33
  test.each([
    ['an extension for OAuth', signsIn('io.modelcontextprotocol/oauth-client-credentials')],
    ['one for enterprises', signsIn('io.modelcontextprotocol/enterprise-managed-authorization')],
    ['a header', { headers: { 'x-svc-sign-in': 'transport' } }],
  ])('asks a client that names %s by the transport', async (_, client) => {
    const scene = await setSignInScene(database(), { endUsers: { scopes: ['orders:read'] } })
    const charged = await scene.charged()
    const answer = await callTool(scene, 'mine', {}, client)
    expect([answer.statusCode, answer.json()]).toMatchObject([401, { id: 1, error: { code: 401 } }])
    const challenge = `Bearer resource_metadata="${metadataUrl(scene)}", scope="orders:read"`
    expect(answer.headers['www-authenticate']).toBe(challenge)
    expect((await callTool(scene, 'echo', {}, client)).json().result).toMatchObject({ isError: false })
    expect(await scene.charged()).not.toEqual(charged)
  })

  test.each([
    ['nothing', {}],
    ['another extension', signsIn('io.modelcontextprotocol/ui')],
    ['extensions that are none', { capabilities: { extensions: ['io.modelcontextprotocol/oauth'] } }],
  ])('asks a client that names %s in a result', async (_, client) => {
    const scene = await setSignInScene(database())
    const answers = [await callTool(scene, 'mine', {}, client), await sendLegacy(scene, 'tools/call', legacyCall)]
    for (const answer of answers) {
      expect(answer.statusCode).toBe(200)
      const { isError, content, _meta } = answer.json().result
      expect([isError, content[0].text]).toEqual([true, expect.stringContaining('sign in first')])
      const [challenge] = _meta['mcp/www_authenticate']
      expect(challenge).toMatch(/^Bearer error="insufficient_scope", error_description="[^"]+", resource_metadata="/)
      expect(_meta).toHaveProperty(['io.modelcontextprotocol/serverInfo'])
    }
  })

  // holds MCP-33
  test('says where its users sign in', async () => {
    const scene = await setSignInScene(database(), { endUsers: { scopes: ['orders:read'] } })
    const path = metadataUrl(scene).slice('https://svc.test'.length)
    const answer = await scene.service.send('GET', path)
    expect(answer.headers).toMatchObject({ 'access-control-allow-origin': '*' })
    expect(answer.json()).toEqual({
      resource: scene.resource,
      authorization_servers: [scene.issuer.issuer],
      scopes_supported: ['orders:read'],
      bearer_methods_supported: ['header'],
      resource_name: 'Test shop',
    })
    const detail = await scene.service.send('GET', `/v1/runtimes/${scene.runtime.runtimeId}`, {
      key: scene.owner.apiKey,
    })
    expect(detail.json().endUsers).toEqual({ issuer: scene.issuer.issuer, scopes: ['orders:read'] })
    await deployedWith(scene, undefined)
    expect((await scene.service.send('GET', path)).statusCode).toBe(404)
  })
})

const legacyCall = { params: { name: 'mine' } }

function metadataUrl(scene: SignInScene): string {
  return `https://svc.test/.well-known/oauth-protected-resource${mcpPath(scene)}`
}

function unsigned({ iss, aud }: { iss: string; aud: string }): string {
  return new UnsecuredJWT({ iss, aud, sub: 'alice', exp: 9_999_999_999 }).encode()
}

async function signedByAnother(now: () => number, { issuer }: IssuerDouble, aud: string, header = {}): Promise<string> {
  const other = await startIssuerDouble({ now })
  onTestFinished(() => other.close())
  return other.sign({ iss: issuer, aud }, header)
}

async function signedWithPublicKey({ issuer, resource }: SignInScene): Promise<string> {
  const claims = { iss: issuer.issuer, aud: resource, sub: 'alice', exp: 9_999_999_999 }
  const secret = new TextEncoder().encode(await issuer.publicKey())
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'key-1' }).sign(secret)
}
