import { ChangePasswordRequest, CreatedAccountKey, type Tier } from '@svc/contract'
import type { Random } from '../../support/random.ts'
import { runAdmin } from '../../support/server.ts'
import type { RawAnswer } from '../support/raw-http.ts'
import type { RawRequest } from '../support/raw-request.ts'
import type { Stage } from '../support/stage.ts'
import type { ApiOperation } from './api-operations.ts'
import type { Mutated } from './mutate.ts'
import { goodRequest, ofOperation, type Target } from './targets.ts'

/** A browser that is signed in, and the pages that it may be on. */
export interface Browser {
  /** The service's own. */
  origin: string
  /** Name and value, as a browser sends it back. */
  cookie: string
}

const PASSWORD = 'correct horse battery staple'

/** Opens an account and signs in to it, the way that the dashboard does. */
export async function openBrowser(stage: Stage, email: string, tier: Tier): Promise<Browser> {
  const { url } = stage.server
  const credentials = { email, password: PASSWORD }
  await post(`${url}/v1/auth/sign-up`, credentials)
  await runAdmin(stage.options, ['set-tier', '--email', email, '--tier', tier])
  const { headers } = await post(`${url}/v1/auth/sign-in`, credentials)
  const cookie = pairOf(headers.getSetCookie()[0])
  if (cookie === null) throw new Error('signing in gave no cookie')
  return { origin: new URL(url).origin, cookie }
}

/** An API key of the browser's account. */
export async function mintKey({ server }: Stage, { origin, cookie }: Browser): Promise<string> {
  const answer = await post(`${server.url}/v1/account/keys`, { name: 'Harness' }, { origin, cookie })
  return CreatedAccountKey.parse(await answer.json()).key
}

/** What a browser keeps of the header: the pair before the attributes, unless it is told to forget. */
function pairOf(header: string | undefined): string | null {
  const pair = header?.split(';')[0] ?? ''
  return pair === '' || pair.endsWith('=') ? null : pair
}

async function post(url: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`)
  return answer
}

/** A change of the password ends every session of its account: that one has an account of its own. */
const CHANGE_PASSWORD = 'changePassword'

/** The owner's operations by the cookie of a session. */
export function cookieTargets(
  operations: readonly ApiOperation[],
  port: number,
  browsers: { owner: Browser; changer: Browser },
): Target[] {
  const owned = operations.filter(({ plane }) => plane === 'accountKey')
  return owned.map((operation) => {
    const isChange = operation.operationId === CHANGE_PASSWORD
    return isChange ? changeTarget(operation, port, browsers.changer) : cookieTarget(operation, port, browsers.owner)
  })
}

function cookieTarget(operation: ApiOperation, port: number, browser: Browser): Target {
  return {
    ...ofOperation(operation, port),
    name: `${operation.operationId} by cookie`,
    isByCookie: true,
    request: (scenery, random) => goodRequest(operation, scenery, { headers: browserHeaders(browser, random) }),
  }
}

/** With the password that the last change made, which need not be the one that was asked for, and its session's cookie. */
function changeTarget(operation: ApiOperation, port: number, browser: Browser): Target {
  let { cookie } = browser
  let password = PASSWORD
  return {
    ...ofOperation(operation, port),
    name: `${operation.operationId} by cookie`,
    isByCookie: true,
    request(scenery, random) {
      const example = { currentPassword: password, newPassword: password }
      const headers = browserHeaders({ ...browser, cookie }, random)
      return goodRequest({ ...operation, example }, scenery, { headers })
    },
    hear(request: RawRequest, answer: RawAnswer) {
      const given = pairOf(answer.headers.get('set-cookie')?.[0])
      if (answer.status !== 200 || given === null) return
      cookie = given
      password = newPasswordIn(request)
    },
  }
}

// Throws where a change was answered that nobody asked for.
function newPasswordIn({ body }: RawRequest): string {
  const text = new TextDecoder().decode(body ?? Buffer.alloc(0))
  return ChangePasswordRequest.parse(JSON.parse(text)).newPassword
}

type Headers = RawRequest['headers']

/** Mostly of a page of the service's own; else of a page elsewhere, of none, or with a cookie that opens nothing. */
function browserHeaders({ origin, cookie }: Browser, random: Random): Headers {
  const from = random.chance(0.85) ? ownPage(origin, random) : otherPage(origin, random)
  const sent = random.chance(0.95) ? cookie : random.pick([`${cookie}x`, cookie.slice(0, -1), 'svc_session=', ''])
  return [...from, ['cookie', random.chance(0.8) ? sent : `theme=dark; ${sent}; a="b"`]]
}

function ownPage(origin: string, random: Random): Headers {
  return random.pick<Headers>([
    [['origin', origin]],
    [['sec-fetch-site', 'same-origin']],
    [
      ['origin', origin],
      ['sec-fetch-site', 'same-origin'],
    ],
  ])
}

function otherPage(origin: string, random: Random): Headers {
  const other = random.pick([
    'https://evil.example',
    'null',
    '',
    `${origin}.evil.example`,
    `${origin}/`,
    `${origin}, ${origin}`,
    origin.replace('http:', 'https:'),
    origin.replace('127.0.0.1', 'localhost'),
    `http://user@${origin.slice('http://'.length)}`,
  ])
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
    [['sec-fetch-site', random.pick(['cross-site', 'same-site', 'none', 'same-origin, cross-site', ''])]],
  ])
}

const CHANGING = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Whether a change was let in that a browser may have been made to send by a page of somebody else's. */
export function isLetInFromElsewhere({ request, isFramingBroken }: Mutated, status: number, origin: string): boolean {
  if (isFramingBroken || !CHANGING.has(request.method) || status < 200 || status >= 300) return false
  const valuesOf = (wanted: string) =>
    request.headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value.trim())
  if (valuesOf('cookie').length === 0 || valuesOf('authorization').length > 0) return false
  const [origins, sites] = [valuesOf('origin'), valuesOf('sec-fetch-site')]
  const isOwn = origins.length === 0 ? sites.join() === 'same-origin' : origins.join() === origin
  return !isOwn
}
