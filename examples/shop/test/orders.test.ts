import { describe, expect, test } from 'vitest'
import { addToCart, viewCart } from '../src/store/carts.ts'
import type { Store } from '../src/store/open-store.ts'
import { findOrder, findPayment, listOrders, payOrder, placeOrder } from '../src/store/orders.ts'
import { findProduct } from '../src/store/products.ts'
import type { Customer } from '../src/store/sessions.ts'
import { quoteShipping } from '../src/store/shipping.ts'
import { ShopError } from '../src/store/shop-error.ts'
import { customerOf, JONAS, MIRA, openTestStore } from './support/test-store.ts'

const put = (store: Store, customer: Customer, name: string, quantity = 1) =>
  addToCart(store, customer, { product: findProduct(store, name), quantity })
const stockOf = (store: Store, name: string) => findProduct(store, name).stock

function attempt<T>(action: () => T): T | undefined {
  try {
    return action()
  } catch (error) {
    expect(error).toBeInstanceOf(ShopError)
    return undefined
  }
}

describe('carts', () => {
  test('a cart adds up, with shipping to the customer’s country', () => {
    const store = openTestStore()
    const mira = customerOf(store, MIRA)
    put(store, mira, 'Trail Lantern')
    const cart = put(store, mira, 'Hiker Socks', 2)
    expect(cart).toMatchObject({ itemsCents: 5790, shippingCents: 490, totalCents: 6280 })
    expect(put(store, mira, 'Pine Forest Soap')).toMatchObject({ itemsCents: 6540, shippingCents: 0, totalCents: 6540 })
    expect(viewCart(store, customerOf(store, JONAS)).lines).toEqual([])
  })

  test('a cart never holds more than there is, also when it fills step by step', () => {
    const store = openTestStore()
    const mira = customerOf(store, MIRA)
    put(store, mira, 'Trail Lantern', 2)
    expect(() => put(store, mira, 'Trail Lantern', 2)).toThrow('There are only 3 of “Trail Lantern” left.')
    expect(viewCart(store, mira).lines).toMatchObject([{ name: 'Trail Lantern', quantity: 2 }])
    expect(() => put(store, mira, 'Coffee Dripper Set')).toThrow('“Coffee Dripper Set” is sold out.')
  })
})

describe('orders', () => {
  test('placing an order takes the goods from stock and empties the cart', () => {
    const store = openTestStore()
    const mira = customerOf(store, MIRA)
    const socks = stockOf(store, 'Hiker Socks')
    put(store, mira, 'Hiker Socks', 3)
    const order = placeOrder(store, mira, { requestId: 'call_1' })
    expect(order).toMatchObject({ number: 'ORD-1004', status: 'placed', itemsCents: 4950, totalCents: 5440 })
    expect(stockOf(store, 'Hiker Socks')).toBe(socks - 3)
    expect(viewCart(store, mira).lines).toEqual([])
    expect(findOrder(store, mira, order.number)).toEqual(order)
  })

  test('stock never goes below zero, however many orders compete for it', () => {
    const store = openTestStore()
    const customers = [customerOf(store, MIRA), customerOf(store, JONAS)]
    const before = stockOf(store, 'Everyday Multi-Tool')
    let sold = 0
    for (let round = 0; round < 5; round += 1) {
      // Both fill their carts while there is enough for either, then both order.
      for (const customer of customers) attempt(() => put(store, customer, 'Everyday Multi-Tool'))
      for (const customer of customers) {
        const order = attempt(() => placeOrder(store, customer, { requestId: `call_${round}` }))
        sold += order?.lines.reduce((sum, line) => sum + line.quantity, 0) ?? 0
        expect(stockOf(store, 'Everyday Multi-Tool')).toBe(before - sold)
      }
    }
    expect(sold).toBe(before)
    expect(stockOf(store, 'Everyday Multi-Tool')).toBe(0)
  })

  test('an order that fails for one product changes nothing at all', () => {
    const store = openTestStore()
    const mira = customerOf(store, MIRA)
    const jonas = customerOf(store, JONAS)
    put(store, mira, 'Enamel Mug', 2)
    put(store, mira, 'Trail Lantern', 3)
    put(store, jonas, 'Trail Lantern', 1)
    placeOrder(store, jonas, { requestId: 'call_jonas' })
    const mugs = stockOf(store, 'Enamel Mug')
    expect(() => placeOrder(store, mira, { requestId: 'call_mira' })).toThrow(
      'There are only 2 of “Trail Lantern” left.',
    )
    expect(stockOf(store, 'Enamel Mug')).toBe(mugs)
    expect(viewCart(store, mira).lines).toHaveLength(2)
    expect(listOrders(store, mira)).toHaveLength(2)
  })

  test('the same call again answers with the order it placed and places no second one', () => {
    const store = openTestStore()
    const mira = customerOf(store, MIRA)
    put(store, mira, 'Enamel Mug')
    const first = placeOrder(store, mira, { requestId: 'call_same' })
    put(store, mira, 'Hiker Socks')
    expect(placeOrder(store, mira, { requestId: 'call_same' })).toEqual(first)
    expect(viewCart(store, mira).lines).toHaveLength(1)
  })

  test('an order is paid once, by its own code', () => {
    const store = openTestStore()
    const mira = customerOf(store, MIRA)
    put(store, mira, 'Enamel Mug')
    const { number, paymentCode, paidAt } = placeOrder(store, mira, { requestId: 'call_1' })
    expect(paidAt).toBeNull()
    const first = payOrder(store, paymentCode ?? '')
    expect(first).toMatchObject({ number, paidAt: store.now() })
    store.pass(60_000)
    expect(payOrder(store, paymentCode ?? '')).toEqual(first)
    expect(findPayment(store, paymentCode ?? '')).toEqual(findOrder(store, mira, number))
    expect(() => payOrder(store, 'nonsense')).toThrow('This payment link is not known.')
  })

  test('an empty cart cannot be ordered', () => {
    const store = openTestStore()
    const mira = customerOf(store, MIRA)
    expect(() => placeOrder(store, mira, { requestId: 'call_1' })).toThrow('Your cart is empty')
  })

  test('a later price does not change what an order cost', () => {
    const store = openTestStore()
    const mira = customerOf(store, MIRA)
    put(store, mira, 'Enamel Mug')
    const order = placeOrder(store, mira, { requestId: 'call_1' })
    store.database.prepare(`UPDATE products SET price_cents = 9900 WHERE name = 'Enamel Mug'`).run()
    expect(findOrder(store, mira, order.number).totalCents).toBe(order.totalCents)
  })

  test('customers see their own orders only, newest first', () => {
    const store = openTestStore()
    const mira = customerOf(store, MIRA)
    expect(listOrders(store, mira).map((order) => order.number)).toEqual(['ORD-1002', 'ORD-1001'])
    for (const spelling of ['ORD-1002', 'ord-1002', '#1002', '1002', 'order 1002']) {
      expect(findOrder(store, mira, spelling).number).toBe('ORD-1002')
    }
    for (const notMine of ['ORD-1003', 'ORD-9999', 'ORD-', '1002 OR 1=1']) {
      expect(() => findOrder(store, mira, notMine)).toThrow(`There is no order “${notMine}” on your account.`)
    }
  })
})

describe('shipping', () => {
  test.each([
    ['Germany', 0, { country: 'Germany', priceCents: 490 }],
    ['de', 6000, { country: 'Germany', priceCents: 0 }],
    [' france ', 5999, { country: 'France', priceCents: 990 }],
    ['Holland', 12_000, { country: 'Netherlands', priceCents: 0 }],
    ['UK', 99_999, { country: 'United Kingdom', priceCents: 1490, freeFromCents: null }],
    ['the United States', 0, { country: 'United States', priceCents: 2490 }],
  ])('to %s for %i cents of goods', (country, itemsCents, expected) => {
    expect(quoteShipping({ country, itemsCents })).toMatchObject(expected)
  })

  test('a country that is not served is refused in a sentence that says which are', () => {
    expect(() => quoteShipping({ country: 'Atlantis', itemsCents: 0 })).toThrow(
      'We do not ship to “Atlantis”. We ship to Germany',
    )
  })
})
