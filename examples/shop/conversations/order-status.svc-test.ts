import { defineTest } from '@svc/sdk/testing'

const placed = { orderNumber: 'ORD-1001', status: 'shipped', summary: 'Your order is on its way.' }

export default defineTest({
  name: 'where an order is, and which there are',
  mocks: { 'list-orders': { output: { orders: [placed] } }, 'order-status': { output: placed } },
  turns: [
    {
      user: 'What did I order?',
      model: [{ call: 'list-orders' }, { say: 'One order, ORD-1001.' }],
      expect: { calls: [{ capability: 'list-orders', times: 1 }] },
    },
    {
      user: 'Where is it?',
      model: [{ call: 'order-status', input: { orderNumber: 'ORD-1001' } }, { say: placed.summary }],
      expect: {
        calls: [{ capability: 'order-status', input: { orderNumber: placed.orderNumber } }],
        answer: { equals: placed.summary },
      },
    },
  ],
})
