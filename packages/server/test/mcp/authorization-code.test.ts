import { createServer, type RequestListener } from 'node:http'
import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { listenOnFreePort } from '@svc/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { createTestClock } from '../support/clock.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { MODERN, mcpPath } from '../support/mcp.ts'
import { CLIENT_ID, REDIRECT_URI, signInAt, startOidcIssuer } from '../support/oidc-issuer.ts'
import { deployed, setScene } from '../support/scene.ts'
import { capability } from '../support/service.ts'

/** A host that remembers what it is given while a test runs. */
class Host implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT_URI
  readonly clientMetadata = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' }
  authorizationUrl: URL | undefined
  #tokens: Awaited<ReturnType<OAuthClientProvider['tokens']>>
  #verifier = ''
  #discovery: Awaited<ReturnType<NonNullable<OAuthClientProvider['discoveryState']>>>

  clientInformation = () => ({ client_id: CLIENT_ID })
  tokens = () => this.#tokens
  saveTokens: OAuthClientProvider['saveTokens'] = (tokens) => {
    this.#tokens = tokens
  }
  discoveryState = () => this.#discovery
  saveDiscoveryState: NonNullable<OAuthClientProvider['saveDiscoveryState']> = (state) => {
    this.#discovery = state
  }
  redirectToAuthorization(url: URL) {
    this.authorizationUrl = url
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier
  }
  codeVerifier = () => this.#verifier
}

describeEngine('sqlite', 'the protocol’s client and an authorization server that many run', (engine) => {
  const database = useDatabase(engine)

  // holds MCP-34
  test('go from a refused call by a code with PKCE to the same call as a user', async () => {
    let answer: RequestListener = () => undefined
    const { url, close } = await listenOnFreePort(createServer((request, response) => answer(request, response)))
    onTestFinished(close)
    const handle = { mine: () => ({ output: { orders: 1 } }) }
    const scene = await setScene(database(), { baseUrl: url, clock: createTestClock(Date.now()), handle })
    await scene.service.app.ready()
    answer = scene.service.app.routing
    const resource = `${url}${mcpPath(scene)}`
    const issuer = await startOidcIssuer(resource, 'orders:read')
    const capabilities = [capability('mine', { requiresEndUser: true })]
    await deployed(scene.service, scene.runtime, { capabilities, endUsers: { issuer, scopes: ['orders:read'] } })

    const host = new Host()
    const transport = new StreamableHTTPClientTransport(new URL(resource), { authProvider: host })
    const extensions = { 'io.modelcontextprotocol/oauth-client-credentials': {} }
    const options = { capabilities: { extensions }, versionNegotiation: { mode: { pin: MODERN } } }
    const client = new Client({ name: 'test', version: '1.0.0' }, options)
    await client.connect(transport)
    onTestFinished(() => client.close())
    await expect(client.callTool({ name: 'mine' })).rejects.toThrow('Unauthorized')
    expect(scene.endpoint.effects).toEqual([])
    const asked = host.authorizationUrl
    expect(asked?.searchParams.get('code_challenge_method')).toBe('S256')
    if (!asked) throw new Error('the host was not sent to an authorization server')
    await transport.finishAuth(await signInAt(asked))
    expect(await client.callTool({ name: 'mine' })).toMatchObject({ structuredContent: { orders: 1 } })
    const users = scene.endpoint.effects.map(({ endUser }) => endUser)
    expect(users).toMatchObject([{ issuer, subject: 'alice', scopes: ['orders:read'] }])
  })
})
