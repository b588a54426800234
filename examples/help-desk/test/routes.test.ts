import { createFakeControlPlane } from '@svc/sdk/testing'
import { NextRequest } from 'next/server.js'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { POST as chatToken } from '../src/app/api/chat-token/route.ts'
import { POST as signIn, DELETE as signOut } from '../src/app/api/session/route.ts'
import { POST as svc } from '../src/app/svc/route.ts'
import { DEMO_USERS } from '../src/store/seed.ts'

const IDENTITY = { runtimeId: 'rt_help', secret: 'the-signing-secret-of-the-help-desk' }
const [NOOR, TOMAS] = DEMO_USERS

// Next.js reads these variables when it starts; the help desk opens at the first request.
beforeAll(() => {
  vi.stubEnv('HELP_DESK_DATABASE', ':memory:')
  vi.stubEnv('SVC_RUNTIME_ID', IDENTITY.runtimeId)
  vi.stubEnv('SVC_RUNTIME_SECRET', IDENTITY.secret)
})
afterAll(() => {
  vi.unstubAllEnvs()
})

const controlPlane = createFakeControlPlane(svc, IDENTITY)

const request = (method: string, { body, cookie }: { body?: unknown; cookie?: string | undefined } = {}) =>
  new NextRequest('http://help.test/', {
    method,
    ...(cookie !== undefined && { headers: { cookie } }),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })

/** The cookie of a new session, as a browser would send it back. */
async function cookieOf({ email, password }: { email: string; password: string }): Promise<string> {
  const response = await signIn(request('POST', { body: { email, password } }))
  expect(response.status).toBe(201)
  const set = response.headers.get('set-cookie') ?? ''
  expect(set).toMatch(/HttpOnly/i)
  return set.split(';')[0] ?? ''
}

async function tokenOf(cookie?: string): Promise<string | null> {
  return (await (await chatToken(request('POST', { cookie }))).json()).token
}

test('anybody searches the articles; words that are none of theirs find nothing', async () => {
  const found = await controlPlane.callByName('search-articles', { query: 'resetting my password' })
  expect(found).toHaveProperty('output.articles.0.slug', 'reset-password')
  expect(await controlPlane.callByName('search-articles', { query: 'zebra "OR*' })).toMatchObject({
    output: { articles: [] },
  })
})

test('a user of the application opens a ticket once, and nobody else sees it', async () => {
  const token = await tokenOf(await cookieOf(NOOR))
  const problem = { subject: 'The projector is dark', description: 'Room 4, since Monday.' }
  const opened = await controlPlane.callByName('open-ticket', problem, { endUserToken: token ?? '' })
  expect(opened).toMatchObject({ ok: true, output: { ticket: 'T-1002', status: 'open' } })
  expect(await controlPlane.repeat()).toEqual(opened)
  const status = (endUserToken: string) =>
    controlPlane.callByName('ticket-status', { ticket: 't-1002' }, { endUserToken })
  expect(await status(token ?? '')).toMatchObject({ output: problem })
  const other = await tokenOf(await cookieOf(TOMAS))
  expect(await status(other ?? '')).toMatchObject({ ok: false, message: 'You have no ticket t-1002.' })
})

test('the chat’s token comes of the session alone, opens nothing else, and ends with it', async () => {
  expect(await tokenOf()).toBeNull()
  expect(await tokenOf('help-desk-session=guess')).toBeNull()
  const cookie = await cookieOf(NOOR)
  const token = await tokenOf(cookie)
  expect(await tokenOf(`help-desk-session=${token}`)).toBeNull()
  await signOut(request('DELETE', { cookie }))
  const call = (endUserToken: string) =>
    controlPlane.callByName('ticket-status', { ticket: 'T-1001' }, { endUserToken })
  for (const ended of [token ?? '', cookie.slice(cookie.indexOf('=') + 1)]) {
    expect(await call(ended)).toMatchObject({
      code: 'capability_error',
      message: expect.stringContaining('sign in again'),
    })
  }
  expect(await controlPlane.callByName('ticket-status', { ticket: 'T-1001' })).toMatchObject({
    code: 'end_user_required',
  })
})

test('a wrong password and an unknown address are refused alike, and a body that is none', async () => {
  const tries = [
    { ...NOOR, password: 'guess' },
    { ...NOOR, email: 'nobody@example.com' },
  ]
  const answers = await Promise.all(tries.map((body) => signIn(request('POST', { body }))))
  expect(answers.map(({ status }) => status)).toEqual([401, 401])
  expect(await answers[0]?.json()).toEqual(await answers[1]?.json())
  expect((await signIn(request('POST', { body: 'x' }))).status).toBe(400)
})
