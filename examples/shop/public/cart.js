import { byId, element } from './element.js'

/** The customer’s cart and orders. Nobody needs the chat to order. */
export function startCart(session) {
  const dialog = byId('cart-dialog')
  const { refresh, change } = cartRequests(session, show)
  let cart

  async function refreshOrders() {
    const { orders } = await session.send('GET', '/api/orders')
    byId('orders').replaceChildren(...orders.map(orderLine))
  }

  async function refreshQuietly() {
    const token = session.currentToken()
    await refresh().catch(() => session.currentToken() === token && show(null))
  }

  function show(given) {
    cart = given
    if (!cart) byId('orders').replaceChildren()
    const { items = [], itemCount = 0, shipping = '', total = '' } = cart ?? {}
    byId('cart').textContent = itemCount > 0 ? `Cart (${itemCount})` : 'Cart'
    byId('cart-lines').replaceChildren(...items.map(cartLine))
    byId('cart-empty').hidden = itemCount > 0
    for (const id of ['cart-sum', 'order']) byId(id).hidden = itemCount === 0
    byId('cart-shipping').textContent = shipping
    byId('cart-total').textContent = total
  }

  function cartLine({ sku, name, quantity, lineTotal }) {
    const remove = element('button', { className: 'quiet small', text: 'Remove' })
    remove.type = 'button'
    remove.setAttribute('aria-label', `Remove ${name}`)
    remove.addEventListener('click', async () => {
      await attempt(() => change('DELETE', `/api/cart?sku=${encodeURIComponent(sku)}`))
      // The button that had the focus is gone.
      byId('cart-title').focus()
    })
    return lineOf(`${quantity} × ${name}`, element('span', { text: lineTotal }), remove)
  }

  async function open() {
    if (!(await session.ensure())) return
    byId('orders').replaceChildren()
    dialog.showModal()
    await attempt(() => Promise.all([refresh(), refreshOrders()]))
  }

  async function order() {
    byId('order').disabled = true
    await attempt(async () => {
      const { requestId, totalCents } = cart
      location.assign(payAddress(await session.send('POST', '/api/orders', { requestId, totalCents })))
    })
    byId('order').disabled = false
  }

  // What failed is told beside the cart and the orders as they are now: a price may have changed, or an order’s answer was lost.
  async function attempt(work) {
    byId('cart-problem').textContent = ''
    try {
      await work()
    } catch ({ message }) {
      await Promise.allSettled([refresh(), refreshOrders()])
      byId('cart-problem').textContent = message
    }
  }

  byId('cart').addEventListener('click', open)
  byId('cart-close').addEventListener('click', () => dialog.close())
  byId('order').addEventListener('click', order)
  // Also after the way back from paying.
  window.addEventListener('pageshow', refreshQuietly)
  return {
    refresh: refreshQuietly,
    /** Puts one piece of a product into the cart. Gives a sentence that tells what became of it. */
    async add({ sku }) {
      if (!(await session.ensure())) return ''
      try {
        await change('POST', '/api/cart', { product: sku })
        return `${cart.items.find((item) => item.sku === sku).quantity} in your cart`
      } catch ({ message }) {
        void refreshQuietly()
        return message
      }
    },
  }
}

function cartRequests(session, show) {
  let changes = 0
  return {
    async refresh() {
      const before = changes
      const given = session.currentToken() ? await session.send('GET', '/api/cart') : null
      // The answer to a change that was made meanwhile is newer.
      if (before === changes) show(given)
    },
    async change(method, path, body) {
      changes += 1
      try {
        show(await session.send(method, path, body))
      } finally {
        changes += 1
      }
    },
  }
}

function orderLine(order) {
  const { orderNumber, placedOn, status, total } = order
  if (order.paymentCode === null) return lineOf(`${orderNumber}, ${placedOn}`, element('span', { text: status }))
  const pay = element('a', { text: `Pay ${total}` })
  pay.href = payAddress(order)
  return lineOf(`${orderNumber}, ${placedOn}`, pay)
}

function payAddress({ paymentCode }) {
  return `/pay?code=${encodeURIComponent(paymentCode)}`
}

function lineOf(what, ...rest) {
  return element('li', { className: 'line' }, element('span', { className: 'what', text: what }), ...rest)
}
