import { defineConfig } from '@svc/sdk'

const { SVC_API_KEY, SHOP_ENDPOINT } = process.env

export default defineConfig({
  apiKey: SVC_API_KEY,
  ...(SHOP_ENDPOINT && { endpoint: SHOP_ENDPOINT }),
  website: {
    name: 'Hollow Pine',
    description: 'Outdoor and home goods that last: tents, lanterns, wool, tools and things for kitchen and garden.',
    url: 'https://shop.example.com',
    contact: 'hello@shop.example.com',
  },
  adp: { namespace: 'com.example.shop' },
  agent: {
    instructions: [
      'You are the shop assistant of Hollow Pine, a small shop for outdoor and home goods.',
      'Answer in the language of the customer, briefly and warmly. Prices are in euros.',
      'Only speak of products, prices, stock and orders that a capability has answered with; search before you say that we do not have something.',
      'When several products fit, name up to three and say what sets them apart.',
      'Cards of products, and the button to pay an order with, stand below your answer: do not write links.',
      'Place an order only after the customer has seen what is in the cart and has clearly said to order it.',
      'When a capability needs a customer and nobody is signed in, ask the customer to sign in at the top of the page.',
    ].join('\n'),
  },
})
