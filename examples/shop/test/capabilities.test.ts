import { previewHash } from '@svc/contract'
import { createShopRuntime } from '@svc/example-shop'
import { createHandler, describeCapabilities } from '@svc/sdk'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Call, RUNTIME_ID, SECRET, signedRequest } from './support/signed-call.ts'
import { JONAS, MIRA, openTestStore, tokenOf } from './support/test-store.ts'

const InputSchema = z.object({
  type: z.literal('object'),
  properties: z.record(z.string(), z.object({ description: z.string() })),
})

function openShop() {
  const store = openTestStore()
  const logged: unknown[] = []
  const handler = createHandler({
    runtime: createShopRuntime(store),
    runtimeId: RUNTIME_ID,
    secret: SECRET,
    clock: store,
    onError: (error) => logged.push(error),
  })
  async function call(request: Call & { secret?: string }) {
    const response = await handler(await signedRequest('http://shop.test/svc', { now: store.now(), ...request }))
    return { status: response.status, body: await response.json() }
  }
  return { store, call, logged }
}

describe('what is published', () => {
  test('every capability has a description and an input schema whose fields are described', () => {
    const capabilities = describeCapabilities(createShopRuntime(openTestStore()))
    expect(capabilities).toHaveLength(10)
    for (const { description, actions } of capabilities) {
      expect(description.length).toBeGreaterThan(40)
      const schema = InputSchema.parse(actions[0]?.inputSchema)
      for (const field of Object.values(schema.properties)) expect(field.description.length).toBeGreaterThan(10)
    }
  })

  test('exactly the capabilities that touch a customer’s own things require an end user', () => {
    const capabilities = describeCapabilities(createShopRuntime(openTestStore()))
    const personal = capabilities.filter(({ requiresEndUser }) => requiresEndUser).map(({ name }) => name)
    expect(personal).toEqual(['view-cart', 'add-to-cart', 'place-order', 'list-orders', 'order-status'])
  })
})

describe('for anybody', () => {
  test('search-products answers with names, prices as people read them and availability', async () => {
    const { body } = await openShop().call({
      capability: 'search-products',
      input: { query: 'lantern', maxPrice: 24.9 },
    })
    expect(body).toEqual({
      output: {
        found: 1,
        products: [
          {
            name: 'Trail Lantern',
            sku: 'LGT-201',
            category: 'lighting',
            price: '€24.90',
            priceCents: 2490,
            availability: 'only 3 left',
            inStock: true,
          },
        ],
        svc: {
          cards: [
            {
              type: 'product',
              title: 'Trail Lantern',
              price: '€24.90',
              description: expect.stringContaining('.'),
              actions: [{ type: 'reply', label: 'Add to cart', value: 'Add the Trail Lantern to my cart' }],
            },
          ],
        },
      },
    })
  })

  test('with a site, cards lead to its pages, and pictures come from it', async () => {
    const store = openTestStore()
    const runtime = createShopRuntime(store, { url: () => 'https://hollow-pine.example' })
    const handler = createHandler({ runtime, runtimeId: RUNTIME_ID, secret: SECRET, clock: store })
    const call = { capability: 'get-product', input: { product: 'LGT-201' }, now: store.now() }
    const { output } = await (await handler(await signedRequest('http://shop.test/svc', call))).json()
    expect(output.svc.cards).toMatchObject([
      {
        url: 'https://hollow-pine.example/#LGT-201',
        image: { url: 'https://hollow-pine.example/picture-lighting.svg' },
      },
    ])
  })

  test('what is sold out is shown as such, and not offered', async () => {
    const input = { product: 'Coffee Dripper Set' }
    const { body } = await openShop().call({ capability: 'get-product', input })
    expect(body.output.svc.cards).toMatchObject([{ price: 'sold out' }])
    expect(body.output.svc.cards[0].actions).toBeUndefined()
  })

  test('search-products shows the best eight and says how many there are', async () => {
    const { body } = await openShop().call({ capability: 'search-products' })
    expect(body.output.products).toHaveLength(8)
    expect(body.output.found).toBeGreaterThanOrEqual(36)
  })

  test.each([
    ['get-product', { product: 'thermal flask' }, { name: 'Thermal Flask', price: '€29.90', stock: 22 }],
    ['list-categories', {}, { categories: expect.arrayContaining([{ name: 'camping', products: 6 }]) }],
    ['shipping-quote', { country: 'France', total: 150 }, { country: 'France', price: 'free', freeFrom: '€120.00' }],
    ['shipping-quote', { country: 'France' }, { price: '€9.90', priceCents: 990 }],
    [
      'store-info',
      {},
      { openingHours: expect.stringContaining('Saturday'), returns: expect.stringContaining('30 days') },
    ],
  ])('%s answers %j', async (capability, input, expected) => {
    const { status, body } = await openShop().call({ capability, input })
    expect(status).toBe(200)
    expect(body.output).toMatchObject(expected)
  })

  test('an unknown product fails in a sentence, and the owner’s log stays quiet', async () => {
    const { call, logged } = openShop()
    const { status, body } = await call({ capability: 'get-product', input: { product: 'helicopter' } })
    expect(status).toBe(200)
    expect(body).toEqual({
      output: null,
      error: { code: 'capability_error', message: 'We have no product called “helicopter”.' },
    })
    expect(logged).toEqual([])
  })

  test('input that does not fit the schema never reaches the shop', async () => {
    const { body } = await openShop().call({ capability: 'search-products', input: { query: 'x', maxPrice: -1 } })
    expect(body.output).toBeNull()
    expect(body.error.message).toContain('maxPrice')
  })
})

describe('for a signed-in customer', () => {
  test('a whole purchase: add, look, order, track', async () => {
    const { store, call } = openShop()
    const endUserToken = tokenOf(store, MIRA)
    const added = await call({
      capability: 'add-to-cart',
      input: { product: 'trail lantern', quantity: 2 },
      endUserToken,
    })
    expect(added.body.output).toMatchObject({ added: '2 × Trail Lantern', cart: { total: '€54.70' } })
    const cart = await call({ capability: 'view-cart', endUserToken })
    expect(cart.body.output).toMatchObject({ itemCount: 2, subtotal: '€49.80', shipping: '€4.90', totalCents: 5470 })
    const order = await call({ capability: 'place-order', endUserToken })
    expect(order.body.output).toMatchObject({ orderNumber: 'ORD-1004', status: 'placed', placedOn: '2025-06-02' })
    const status = await call({ capability: 'order-status', input: { orderNumber: 'ORD-1004' }, endUserToken })
    expect(status.body.output).toMatchObject({
      summary: 'We have your order and wait for your payment.',
      total: '€54.70',
    })
    const list = await call({ capability: 'list-orders', endUserToken })
    expect(list.body.output.orders).toHaveLength(3)
    const product = await call({ capability: 'get-product', input: { product: 'LGT-201' } })
    expect(product.body.output).toMatchObject({ stock: 1, availability: 'only 1 left' })
  })

  test('an order above 100 euros is asked about, and refused where a price has changed meanwhile', async () => {
    const { store, call } = openShop()
    const endUserToken = tokenOf(store, MIRA)
    const order = { capability: 'place-order', endUserToken }
    await call({ capability: 'add-to-cart', input: { product: 'CMP-101' }, endUserToken })
    expect((await call(order)).body.error).toMatchObject({ code: 'approval_required' })
    const preview = (await call({ ...order, mode: 'preview' })).body.output
    expect(preview).toEqual({
      title: 'Place this order',
      lines: ['1 × Ridgeline Two-Person Tent, €249.00 each', 'Free shipping'],
      amount: { value: 249, currency: 'EUR' },
      confirm: true,
    })
    const approved = { ...order, approvalId: 'apr_1', previewHash: await previewHash(preview) }
    const setPrice = (cents: number) =>
      store.database.prepare("UPDATE products SET price_cents = ? WHERE sku = 'CMP-101'").run(cents)
    setPrice(29_900)
    expect((await call(approved)).body.error).toMatchObject({ code: 'preview_changed' })
    setPrice(24_900)
    expect((await call(approved)).body.output).toMatchObject({ orderNumber: 'ORD-1004', total: '€249.00' })
  })

  test('what is asked about adds up: the shipping is shown, and that there is more than fits', async () => {
    const { store, call } = openShop()
    const endUserToken = tokenOf(store, JONAS)
    const preview = async () => (await call({ capability: 'place-order', endUserToken, mode: 'preview' })).body.output
    for (const product of ['Ash Hand Trowel', 'Alder Pocket Knife', 'Brass Compass']) {
      await call({ capability: 'add-to-cart', input: { product }, endUserToken })
    }
    const { lines, amount } = await preview()
    expect([lines.at(-1), amount.value]).toEqual(['Shipping, €9.90', 112.4])
    store.database.exec('INSERT OR IGNORE INTO cart_items SELECT 2, id, 1 FROM products WHERE stock > 0 LIMIT 30')
    const { lines: many } = await preview()
    expect(many).toHaveLength(20)
    expect(many.at(-2)).toMatch(/^… and \d+ more$/)
  })

  test('a call that is tried again with the same id buys once', async () => {
    const { store, call } = openShop()
    const endUserToken = tokenOf(store, MIRA)
    await call({ capability: 'add-to-cart', input: { product: 'Enamel Mug' }, endUserToken })
    const [first, second] = [
      await call({ capability: 'place-order', endUserToken, callId: 'call_again' }),
      await call({ capability: 'place-order', endUserToken, callId: 'call_again' }),
    ]
    expect(first.body.output.orderNumber).toBe('ORD-1004')
    expect(second.body).toEqual(first.body)
  })

  test.each(['view-cart', 'add-to-cart', 'place-order', 'list-orders', 'order-status'])(
    '%s is refused before anything happens when nobody is signed in',
    async (capability) => {
      const input = { product: 'Enamel Mug', orderNumber: 'ORD-1001' }
      const { status, body } = await openShop().call({ capability, input })
      expect(status).toBe(200)
      expect(body.output).toBeNull()
      expect(body.error.message).toMatch(/nobody is signed in/)
    },
  )

  test('a made-up session and one that has ended fail in a sentence that says what to do', async () => {
    const { store, call } = openShop()
    const endUserToken = tokenOf(store, MIRA)
    store.pass(12 * 60 * 60 * 1000)
    for (const token of [endUserToken, 'made-up-session-token']) {
      const { body } = await call({ capability: 'view-cart', endUserToken: token })
      expect(body.error).toEqual({
        code: 'capability_error',
        message: 'You are not signed in any more. Please sign in again.',
      })
    }
  })

  test('another customer’s order reads as absent', async () => {
    const { store, call } = openShop()
    const endUserToken = tokenOf(store, JONAS)
    const { body } = await call({ capability: 'order-status', input: { orderNumber: 'ORD-1001' }, endUserToken })
    expect(body.error.message).toContain('There is no order “ORD-1001” on your account.')
  })

  test('too many pieces fail with how many are left', async () => {
    const { store, call } = openShop()
    const endUserToken = tokenOf(store, MIRA)
    const input = { product: 'Trail Lantern', quantity: 4 }
    const { body } = await call({ capability: 'add-to-cart', input, endUserToken })
    expect(body.error.message).toBe('There are only 3 of “Trail Lantern” left.')
  })
})

describe('when things go wrong', () => {
  test('a fault of the database reaches the owner’s log whole and the customer as a general sentence', async () => {
    const { store, call, logged } = openShop()
    store.database.exec('DROP TABLE product_words')
    const { body } = await call({ capability: 'search-products', input: { query: 'lantern' } })
    expect(body.error.message).toMatch(/^The capability failed\./)
    expect(logged).toEqual([expect.objectContaining({ code: 'SQLITE_ERROR' })])
  })

  test('a call that somebody else signed is refused', async () => {
    const { status, body } = await openShop().call({ capability: 'store-info', secret: 'not-the-secret' })
    expect([status, body]).toEqual([401, { error: 'signature_mismatch' }])
  })
})
