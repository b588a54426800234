import { byId, element } from './element.js'

const code = new URLSearchParams(location.search).get('code') ?? ''

await show(await fetch(`/api/payment?code=${encodeURIComponent(code)}`).catch(() => null))

byId('pay-form').addEventListener('submit', async (event) => {
  event.preventDefault()
  byId('pay').disabled = true
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ code })
  await show(await fetch('/api/payment', { method: 'POST', headers, body }).catch(() => null))
  byId('pay').disabled = false
})

async function show(response) {
  const answer = (await response?.json().catch(() => null)) ?? null
  byId('problem').textContent = response?.ok ? '' : (answer?.error?.message ?? 'The shop cannot be reached just now.')
  if (response?.ok) showPayment(answer)
}

function showPayment({ orderNumber, items, shipping, total, isPaid }) {
  byId('title').textContent = `Order ${orderNumber}`
  byId('lines').replaceChildren(
    ...items.map(({ quantity, name, lineTotal }) => lineOf(`${quantity} × ${name}`, lineTotal)),
  )
  byId('shipping').textContent = shipping
  byId('total').textContent = total
  byId('pay').textContent = `Pay ${total}`
  byId('pay-form').hidden = isPaid
  byId('paid').textContent = isPaid ? 'Thank you, it is paid. You can go back to the shop: the assistant knows.' : ''
  byId('payment').hidden = false
}

function lineOf(label, amount) {
  return element('li', { className: 'line' }, element('span', { text: label }), element('span', { text: amount }))
}
