import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import type { CapabilityHandler } from '@svc/sdk'
import { signRequest } from '@svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { sampleOf } from '../support/doc-samples.ts'
import { sampleFolder } from '../support/sample-folder.ts'

const PAGE = 'docs/guides/end-users.md'
const IDENTITY = { runtimeId: 'rt_exampleShop', secret: 'the-signing-secret-of-the-example-shop' }
const NOW = Date.UTC(2026, 2, 1)

const aFunction = (value: unknown) => typeof value === 'function'
const Tokens = z.object({
  subjectOf: z.custom<(check: object, token: string, now: Date) => Promise<string>>(aFunction),
})
const Server = z.object({
  serve: z.custom<(shop: object, identity: typeof IDENTITY) => CapabilityHandler>(aFunction),
})

/** A module of the page, with all others beside it. */
async function load(title: string): Promise<unknown> {
  const titles = ['`sessions.ts`', '`verify-token.ts`', '`runtime.ts`', '`serve.ts`']
  const folder = sampleFolder(titles.map((each) => sampleOf(PAGE, each)))
  return import(join(folder, title))
}

describe('the token check of the page', () => {
  const KEY = 'a key of thirty-two characters..'
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const sign = (claims: object, { alg = 'HS256', key = KEY } = {}) => {
    const signed = `${encode({ alg, typ: 'JWT' })}.${encode(claims)}`
    return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`
  }
  const CLAIMS = { iss: 'https://shop.example.com', aud: 'shop-assistant', sub: 'user-ü', exp: NOW / 1000 + 60 }

  async function start() {
    const { subjectOf } = Tokens.parse(await load('verify-token.ts'))
    const key = await crypto.subtle.importKey('raw', Buffer.from(KEY), { name: 'HMAC', hash: 'SHA-256' }, false, [
      'verify',
    ])
    const check = { key, issuer: CLAIMS.iss, audience: CLAIMS.aud }
    return (token: string) => subjectOf(check, token, new Date(NOW))
  }

  test('knows the user of a good token', async () => {
    const subjectOf = await start()
    expect(await subjectOf(sign(CLAIMS))).toBe('user-ü')
  })

  const [header = '', payload = '', signature = ''] = sign(CLAIMS).split('.')
  const bad: [string, string][] = [
    ['another key', sign(CLAIMS, { key: 'another key of 32 characters....' })],
    ['no signature', `${header}.${payload}.`],
    ['the algorithm none', `${encode({ alg: 'none' })}.${payload}.`],
    ['an algorithm that was not named', sign(CLAIMS, { alg: 'HS512' })],
    ['other claims under the signature', `${header}.${encode({ ...CLAIMS, sub: 'admin' })}.${signature}`],
    ['a further part', `${sign(CLAIMS)}.x`],
    ['another maker', sign({ ...CLAIMS, iss: 'https://other.example.com' })],
    ['another purpose', sign({ ...CLAIMS, aud: 'shop-api' })],
    ['an end that has come', sign({ ...CLAIMS, exp: NOW / 1000 })],
    ['no end', sign({ iss: CLAIMS.iss, aud: CLAIMS.aud, sub: CLAIMS.sub })],
    ['nobody', sign({ ...CLAIMS, sub: undefined })],
    ['no object', sign([])],
    ['no form at all', 'hello'],
    ['nothing', ''],
    ['a signature of other letters', `${header}.${payload}.!!!!`],
    ['a signature that was cut', sign(CLAIMS).slice(0, -2)],
  ]

  test.each(bad)('refuses a token with %s', async (_, token) => {
    const subjectOf = await start()
    await expect(subjectOf(token)).rejects.toThrow('The user has to sign in again.')
  })
})

describe('the shop of the page', () => {
  const users = {
    alice: { id: 'u1', permissions: [] },
    clerk: { id: 'u2', permissions: ['orders:refund'] },
    ghost: { id: 'u3', permissions: ['orders:refund'] },
  }

  async function start() {
    const { serve } = Server.parse(await load('serve.ts'))
    const refunds: unknown[] = []
    const shop = {
      async find(token: string) {
        const user = new Map(Object.entries(users)).get(token)
        return user ? { user, expiresAt: new Date(token === 'ghost' ? 0 : Date.now() + 86_400_000) } : null
      },
      findOrder: async (userId: string, number: string) =>
        userId === 'u1' && number === 'A-1' ? { status: 'sent' } : null,
      refund: async (number: string, request: object) => {
        refunds.push([number, request])
      },
    }
    const handler = serve(shop, IDENTITY)
    const call = async (capability: string, number: string, endUserToken?: string) => {
      const input = { number }
      const request = await signRequest({ ...IDENTITY, capability, input, callId: 'call_1', endUserToken })
      const answer = await handler(request)
      const { output, error } = z
        .object({ output: z.unknown(), error: z.object({ code: z.string() }).optional() })
        .parse(await answer.json())
      return error?.code ?? output
    }
    return { call, refunds }
  }

  test('shows users their own orders, and nobody anybody else’s', async () => {
    const { call } = await start()
    expect(await call('order-status', 'A-1', 'alice')).toEqual({ status: 'sent' })
    expect(await call('order-status', 'A-1', 'clerk')).toBe('capability_error')
    expect(await call('order-status', 'A-1', 'stranger')).toBe('capability_error')
    expect(await call('order-status', 'A-1')).toBe('end_user_required')
  })

  test('lets those refund who may, and refuses the others before anything has happened', async () => {
    const { call, refunds } = await start()
    expect(await call('refund-order', 'A-1', 'alice')).toBe('permission_denied')
    expect(await call('refund-order', 'A-1', 'ghost')).toBe('capability_error')
    expect(await call('refund-order', 'A-1')).toBe('end_user_required')
    expect(refunds).toEqual([])
    expect(await call('refund-order', 'A-1', 'clerk')).toEqual({ refunded: 'A-1' })
    expect(refunds).toEqual([['A-1', { by: 'u2', callId: 'call_1' }]])
  })
})
