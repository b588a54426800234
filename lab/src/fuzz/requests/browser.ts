import type { Tier } from '@svc/contract'
import type { Random } from '../../support/random.ts'
import { runAdmin } from '../../support/server.ts'
import type { World } from '../../support/world.ts'
import type { Mutated } from './mutations.ts'
import type { RawRequest } from './raw.ts'
import { type ApiOperation, goodRequest, ofOperation, type Target } from './targets.ts'

/** A browser that is signed in: the service's own origin, and the cookie as a browser sends it back. */
export interface Browser {
  origin: string
  cookie: string
}

const PASSWORD = 'correct horse battery staple'

export async function openBrowser({ server, options }: World, email: string, tier: Tier): Promise<Browser> {
  const { url } = server
  await send(`${url}/v1/auth/sign-up`, { email, password: PASSWORD })
  await runAdmin(options, ['set-tier', '--email', email, '--tier', tier])
  const { headers } = await send(`${url}/v1/auth/sign-in`, { email, password: PASSWORD })
  const [cookie = ''] = headers.getSetCookie()[0]?.split(';') ?? []
  if (cookie === '') throw new Error('signing in gave no cookie')
  return { origin: new URL(url).origin, cookie }
}

export async function send(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`)
  return answer
}

/** The owner's operations by cookie. */
export function cookieTargets(operations: readonly ApiOperation[], port: number, owner: Browser): Target[] {
  return operations
    .filter(({ plane }) => plane === 'accountKey')
    .map((operation) => ({
      ...ofOperation(operation, port),
      name: `${operation.operationId} by cookie`,
      isByCookie: true,
      request: (scenery, random) => goodRequest(operation, scenery, { headers: browserHeaders(owner, random) }),
    }))
}

type Headers = RawRequest['headers']

/** Mostly of a page of the service's own; else of another page, of none, or with a cookie that opens nothing. */
function browserHeaders({ origin, cookie }: Browser, random: Random): Headers {
  const same = ['sec-fetch-site', 'same-origin'] as const
  const own: readonly [Headers, ...Headers[]] = [[['origin', origin]], [same], [['origin', origin], same]]
  const from = random.chance(0.85) ? random.pick(own) : otherPage(origin, random)
  const sent = random.chance(0.95) ? cookie : random.pick([`${cookie}x`, cookie.slice(0, -1), 'svc_session=', ''])
  return [...from, ['cookie', random.chance(0.8) ? sent : `theme=dark; ${sent}; a="b"`]]
}

function otherPage(origin: string, random: Random): Headers {
  const other = random.pick([
    'https://evil.example',
    ...['null', '', `${origin}.evil.example`, `${origin}/`, `${origin}, ${origin}`, origin.replace('http:', 'https:')],
    origin.replace('127.0.0.1', 'localhost'),
    `http://user@${origin.slice('http://'.length)}`,
  ])
  const site = random.pick(['cross-site', 'same-site', 'none', 'same-origin, cross-site', ''])
  return random.pick<Headers>([
    [],
    [['origin', other]],
    [
      ['origin', other],
      ['sec-fetch-site', 'same-origin'],
    ],
    [
      ['origin', origin],
      ['origin', other],
    ],
    [['sec-fetch-site', site]],
  ])
}

/** Whether a change was let in that a page of another site may have made a browser send. */
export function isLetInFromElsewhere({ request, isFramingBroken }: Mutated, status: number, origin: string): boolean {
  const isChange = ['POST', 'PUT', 'PATCH', 'DELETE'].includes(request.method)
  if (isFramingBroken || !isChange || status < 200 || status >= 300) return false
  const valuesOf = (wanted: string) =>
    request.headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value.trim())
  if (valuesOf('cookie').length === 0 || valuesOf('authorization').length > 0) return false
  const origins = valuesOf('origin')
  return origins.length === 0 ? valuesOf('sec-fetch-site').join() !== 'same-origin' : origins.join() !== origin
}
