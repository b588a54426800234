import { createServer } from 'node:http'
import { listenOnFreePort } from '@svc/testkit'
import { type GrantContext, Provider } from 'oidc-provider'
import { onTestFinished } from 'vitest'

export const CLIENT_ID = 'agent-host'
export const REDIRECT_URI = 'http://127.0.0.1/callback'

/** An authorization server that many run, for one resource and one scope. Everybody is `alice` at once, and consents. */
export async function startOidcIssuer(resource: string, scope: string): Promise<string> {
  let answer: ReturnType<Provider['callback']> = () => undefined
  const server = createServer((request, response) => answer(request, response))
  const { url, close } = await listenOnFreePort(server)
  onTestFinished(close)
  const provider = new Provider(url, {
    clients: [
      {
        client_id: CLIENT_ID,
        redirect_uris: [REDIRECT_URI],
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    cookies: { keys: ['a key of a test'] },
    findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
    interactions: { url: () => '/login' },
    features: {
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({ scope, audience: resource, accessTokenFormat: 'jwt', accessTokenTTL: 300 }),
      },
    },
    loadExistingGrant: async ({ oidc: { client, session, provider: own } }: GrantContext) => {
      const grant = new own.Grant({ clientId: client.clientId, accountId: session.accountId })
      grant.addResourceScope(resource, scope)
      await grant.save()
      return grant
    },
    ttl: { AccessToken: 300, AuthorizationCode: 60, Grant: 300, IdToken: 300, Interaction: 60, Session: 300 },
  })
  const serve = provider.callback()
  answer = (request, response) => {
    if (request.url !== '/login') return serve(request, response)
    provider.interactionFinished(request, response, { login: { accountId: 'alice' } }).catch(() => response.destroy())
  }
  return url
}

/** Follows redirects as a browser does, up to the one that leads to the client, and returns what it says. */
export async function signInAt(authorizationUrl: URL): Promise<URLSearchParams> {
  const cookies = new Map<string, string>()
  let url = authorizationUrl
  for (let left = 10; !url.href.startsWith(REDIRECT_URI); left -= 1) {
    if (left === 0) throw new Error(`the issuer leads round in a circle: ${url}`)
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      cookies.set(name, value)
    }
    const location = answer.headers.get('location')
    if (location === null) throw new Error(`the issuer answered ${answer.status}: ${await answer.text()}`)
    url = new URL(location, url)
  }
  return url.searchParams
}
