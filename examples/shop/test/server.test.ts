import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type RunningShop, startShop } from '@svc/example-shop'
import { afterEach, describe, expect, test } from 'vitest'
import { RUNTIME_ID, SECRET, signedRequest } from './support/signed-call.ts'
import { MIRA } from './support/test-store.ts'

const CONNECTION = {
  runtimeId: RUNTIME_ID,
  secret: SECRET,
  baseUrl: 'http://control.test:8787',
  publicKey: 'svc_pk_forthepage',
}

const running: RunningShop[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((shop) => shop.close()))
})

async function start(options: Partial<Parameters<typeof startShop>[0]> = {}): Promise<RunningShop> {
  const shop = await startShop({ port: 0, databaseFile: ':memory:', ...options })
  running.push(shop)
  return shop
}

async function signIn(shop: RunningShop, body: unknown): Promise<Response> {
  return fetch(`${shop.url}/api/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

describe('the capability endpoint', () => {
  test('answers 503 with a reason until the shop is connected, and serves from then on', async () => {
    const shop = await start()
    const call = () => signedRequest(`${shop.url}/svc`, { capability: 'store-info', now: Date.now() })
    const early = await fetch(await call())
    expect(early.status).toBe(503)
    expect(await early.json()).toEqual({ error: { message: expect.stringContaining('SVC_RUNTIME_ID') } })
    shop.connect(CONNECTION)
    const late = await fetch(await call())
    expect(late.status).toBe(200)
    expect(await late.json()).toMatchObject({ output: { name: 'Hollow Pine' } })
  })

  test('can be connected from the start', async () => {
    const shop = await start(CONNECTION)
    const response = await fetch(
      await signedRequest(`${shop.url}/svc`, {
        capability: 'get-product',
        input: { product: 'tent' },
        now: Date.now(),
      }),
    )
    expect(await response.json()).toMatchObject({ output: { sku: 'CMP-101' } })
  })

  test('answers the same signed request once only', async () => {
    const shop = await start(CONNECTION)
    const request = await signedRequest(`${shop.url}/svc`, { capability: 'store-info', now: Date.now() })
    const [first, second] = [await fetch(request.clone()), await fetch(request)]
    expect([first.status, second.status]).toEqual([200, 401])
    expect(await second.json()).toEqual({ error: 'nonce_replayed' })
  })

  test('takes the session that the page was given as its end user', async () => {
    const shop = await start(CONNECTION)
    const { token: endUserToken } = await (await signIn(shop, MIRA)).json()
    const call = await signedRequest(`${shop.url}/svc`, { capability: 'list-orders', endUserToken, now: Date.now() })
    expect((await (await fetch(call)).json()).output.orders).toHaveLength(2)
    await fetch(`${shop.url}/api/sessions`, { method: 'DELETE', headers: { authorization: `Bearer ${endUserToken}` } })
    const after = await signedRequest(`${shop.url}/svc`, { capability: 'list-orders', endUserToken, now: Date.now() })
    expect((await (await fetch(after)).json()).error.message).toContain('Please sign in again')
  })
})

test('a port that is taken fails the start', async () => {
  const { port } = new URL((await start()).url)
  await expect(startShop({ port: Number(port), databaseFile: ':memory:' })).rejects.toThrow('EADDRINUSE')
})

describe('the API of the page', () => {
  test('a session is given for the right password only', async () => {
    const shop = await start()
    const right = await signIn(shop, MIRA)
    expect(right.status).toBe(201)
    expect(right.headers.get('cache-control')).toBe('no-store')
    expect(await right.json()).toEqual({ token: expect.stringMatching(/^[\w-]{43}$/), name: 'Mira Lindqvist' })
    const wrong = await signIn(shop, { ...MIRA, password: 'river-stones' })
    const unknown = await signIn(shop, { ...MIRA, email: randomUUID() })
    expect([wrong.status, unknown.status]).toEqual([401, 401])
    expect(await wrong.json()).toEqual(await unknown.json())
  })

  test.each([
    ['no JSON', '{', 'The body must be JSON.'],
    ['no password', '{"email":"a@b.c"}', 'Please give an email address and a password.'],
    ['a list', '[]', 'Please give an email address and a password.'],
    ['20 KiB', JSON.stringify({ email: 'x'.repeat(20_000), password: '' }), 'The body is too large.'],
  ])('a sign-in with %s is refused as such', async (_what, body, message) => {
    const response = await signIn(await start(), body)
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({ error: { message } })
  })

  test('products are listed whole, by search and by category', async () => {
    const shop = await start()
    const read = async (query: string) => (await fetch(`${shop.url}/api/products${query}`)).json()
    const all = await read('')
    expect(all.products.length).toBeGreaterThanOrEqual(36)
    expect(all.categories).toHaveLength(8)
    expect((await read('?query=Lanterns')).products).toHaveLength(2)
    expect((await read('?query=&category=garden')).products).toHaveLength(5)
    expect((await fetch(`${shop.url}/api/products?category=cars`)).status).toBe(400)
  })

  test('the page is told the public half of the connection, never the secret', async () => {
    const shop = await start()
    const read = async () => (await fetch(`${shop.url}/api/connection`)).text()
    expect(await read()).toBe('null')
    shop.connect(CONNECTION)
    expect(JSON.parse(await read())).toEqual({ baseUrl: CONNECTION.baseUrl, publicKey: CONNECTION.publicKey })
  })

  test('ending a session needs one', async () => {
    const shop = await start()
    expect((await fetch(`${shop.url}/api/sessions`, { method: 'DELETE' })).status).toBe(401)
  })
})

describe('buying without the chat', () => {
  async function signedIn(shop: RunningShop) {
    const { token } = await (await signIn(shop, MIRA)).json()
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    async function send(method: string, path: string, body?: unknown) {
      const response = await fetch(shop.url + path, { method, headers, body: JSON.stringify(body) })
      return { status: response.status, body: await response.json() }
    }
    async function call(capability: string, input = {}) {
      const request = await signedRequest(`${shop.url}/svc`, {
        capability,
        input,
        endUserToken: token,
        now: Date.now(),
      })
      return (await (await fetch(request)).json()).output
    }
    return { send, call }
  }

  test('the cart and the orders are those of the capabilities', async () => {
    const { send, call } = await signedIn(await start(CONNECTION))
    await call('add-to-cart', { product: 'Enamel Mug' })
    const added = await send('POST', '/api/cart', { product: 'LGT-201', quantity: 2 })
    expect(added.body).toMatchObject({ itemCount: 3, items: [{ name: 'Enamel Mug' }, { name: 'Trail Lantern' }] })
    await send('DELETE', '/api/cart?sku=LGT-201')
    const { requestId, totalCents } = (await send('GET', '/api/cart')).body
    const [placed, again] = [
      await send('POST', '/api/orders', { requestId, totalCents }),
      await send('POST', '/api/orders', { requestId, totalCents }),
    ]
    expect(placed).toMatchObject({ status: 201, body: { orderNumber: 'ORD-1004', itemCount: 1, payment: 'open' } })
    expect(again).toEqual(placed)
    expect((await send('GET', '/api/orders')).body.orders[0]).toEqual(placed.body)
    expect((await call('list-orders')).orders).toMatchObject([{ orderNumber: 'ORD-1004' }, {}, {}])
    expect(await call('order-status', { orderNumber: 'ORD-1004' })).toMatchObject({
      summary: 'We have your order and wait for your payment.',
    })
  })

  test('an order is refused where the cart comes to another sum than the customer saw', async () => {
    const { send, call } = await signedIn(await start(CONNECTION))
    const { requestId, totalCents } = (await send('POST', '/api/cart', { product: 'Enamel Mug' })).body
    await call('add-to-cart', { product: 'Trail Lantern' })
    const refused = await send('POST', '/api/orders', { requestId, totalCents })
    expect(refused).toEqual({ status: 409, body: { error: { message: expect.stringContaining('now comes to €') } } })
    expect((await send('GET', '/api/orders')).body.orders).toHaveLength(2)
  })

  test.each([
    ['POST', '/api/cart', { product: 'LGT-201', quantity: 99 }, 409, 'There are only 3 of “Trail Lantern” left.'],
    ['POST', '/api/cart', { product: 'LGT-201', quantity: 0 }, 400, '“quantity” 1 to 99'],
    ['POST', '/api/orders', {}, 400, '“requestId” and “totalCents”'],
    ['POST', '/api/orders', { requestId: 'mine', totalCents: 0 }, 409, 'Your cart is empty'],
  ])('%s %s with %j is refused', async (method, path, body, status, message) => {
    const { send } = await signedIn(await start())
    expect(await send(method, path, body)).toEqual({
      status,
      body: { error: { message: expect.stringContaining(message) } },
    })
  })

  test('nothing of it is for a stranger', async () => {
    const shop = await start()
    const strangers = [{}, { authorization: 'Bearer nonsense' }]
    for (const route of [
      'GET /api/cart',
      'POST /api/cart',
      'DELETE /api/cart',
      'GET /api/orders',
      'POST /api/orders',
    ]) {
      const [method = '', path] = route.split(' ')
      for (const headers of strangers) expect((await fetch(shop.url + path, { method, headers })).status).toBe(401)
    }
  })
})

describe('paying', () => {
  const payment = (shop: RunningShop, code: string) => fetch(`${shop.url}/api/payment?code=${code}`)
  const pay = (shop: RunningShop, body: unknown) =>
    fetch(`${shop.url}/api/payment`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  async function call(shop: RunningShop, capability: string, input = {}) {
    const { token: endUserToken } = await (await signIn(shop, MIRA)).json()
    const request = await signedRequest(`${shop.url}/svc`, { capability, input, endUserToken, now: Date.now() })
    return (await (await fetch(request)).json()).output
  }

  test('an order offers its payment, is waited for, and is settled once it is paid on the shop’s page', async () => {
    const shop = await start(CONNECTION)
    await call(shop, 'add-to-cart', { product: 'Enamel Mug' })
    const order = await call(shop, 'place-order')
    expect(order).toMatchObject({
      orderNumber: 'ORD-1004',
      payment: 'open',
      svc: {
        actions: [{ type: 'link', style: 'primary', url: expect.stringContaining(`${shop.url}/pay?code=`) }],
        pending: { capability: 'order-status', input: { orderNumber: 'ORD-1004' } },
      },
    })
    const code = new URL(order.svc.actions[0].url).searchParams.get('code') ?? ''
    const status = () => call(shop, 'order-status', { orderNumber: 'ORD-1004' })
    expect(await status()).toMatchObject({ payment: 'open', svc: { settled: false } })
    expect(await (await payment(shop, code)).json()).toMatchObject({ orderNumber: 'ORD-1004', isPaid: false })
    for (let again = 0; again < 2; again += 1) {
      expect(await (await pay(shop, { code })).json()).toMatchObject({ isPaid: true, total: order.total })
    }
    expect(await status()).toMatchObject({
      summary: 'Your order is paid, and we are packing it.',
      payment: 'paid',
      svc: { settled: true },
    })
  })

  test('a code that is none pays nothing', async () => {
    const shop = await start()
    for (const code of ['nonsense', 'null', 'seed-1001']) {
      expect((await payment(shop, code)).status).toBe(404)
      expect((await pay(shop, { code })).status).toBe(404)
    }
    expect((await pay(shop, {})).status).toBe(400)
    expect((await payment(shop, '')).status).toBe(400)
  })
})

describe('the page', () => {
  test('every file that it names is there, with its type', async () => {
    const shop = await start()
    const html = await (await fetch(`${shop.url}/`)).text()
    const named = [...html.matchAll(/(?:href|src)="(\/[^"#]+)/g)].map((match) => match[1] ?? '')
    expect(named).toEqual(
      expect.arrayContaining(['/app.js', '/base.css', '/catalogue.css', '/ask.css', '/narrow.css', '/icons.svg']),
    )
    for (const path of [...named, '/cart.js', '/chat.js', '/pay', '/pay.js', '/picture-lighting.svg']) {
      const response = await fetch(shop.url + path)
      expect([path, response.status]).toEqual([path, 200])
      expect(response.headers.get('content-type')).toMatch(/^(text|image)\//)
    }
  })

  test('may speak to the shop and to the control plane and to nobody else', async () => {
    const shop = await start()
    const policy = async () => (await fetch(`${shop.url}/`)).headers.get('content-security-policy')
    expect(await policy()).toContain("connect-src 'self';")
    shop.connect(CONNECTION)
    expect(await policy()).toContain("connect-src 'self' http://control.test:8787;")
    expect(await policy()).toContain("default-src 'none'; script-src 'self' http://control.test:8787; style-src 'self'")
  })

  test.each(['/nothing', '/../package.json', '/..%2fpackage.json', '/api', '//', '/api/products/', '/constructor'])(
    '%s is not found: no file outside the page can be named',
    async (path) => {
      const shop = await start()
      // Sent as it is: fetch would take the dots out of the path first.
      const { hostname, port } = new URL(shop.url)
      const [response] = await once(request({ hostname, port, path }).end(), 'response')
      expect(response.resume().statusCode).toBe(404)
    },
  )
})

describe('the database file', () => {
  test('is not touched by loading the runtime, and keeps its orders over a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'shop-'))
    const databaseFile = join(folder, 'deep', 'shop.sqlite')
    try {
      openStore({ databaseFile }).close()
      expect(existsSync(databaseFile)).toBe(false)
      const first = openStore({ databaseFile })
      first.database.prepare(`UPDATE products SET stock = 1 WHERE sku = 'LGT-201'`).run()
      first.close()
      const second = openStore({ databaseFile })
      expect(second.database.prepare(`SELECT stock FROM products WHERE sku = 'LGT-201'`).pluck().get()).toBe(1)
      expect(second.database.prepare('SELECT count(*) FROM customers').pluck().get()).toBe(2)
      second.close()
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
