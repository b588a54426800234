import { expect, test } from 'vitest'
import { fails, json, openStream, refuses, says, writeEvents } from './support/answers.ts'
import { describeInBrowser } from './support/browser.ts'

const PRODUCTS = {
  capability: 'search-products',
  output: {
    found: 1,
    svc: {
      cards: [{ type: 'product', title: 'Trail Lantern', price: '€24.90', url: 'https://shop.example.com/lantern' }],
      actions: [
        { type: 'reply', label: 'Add it to my cart', value: 'Add the Trail Lantern to my cart' },
        { type: 'link', label: 'See all', url: 'https://shop.example.com/all' },
      ],
    },
  },
}

describeInBrowser('the chat in a page', ({ service, open }) => {
  void service
  test('placeholder', async () => {
    const page = await open()
    expect(await page.title()).toBe('Page')
  })
  void [fails, json, openStream, refuses, says, writeEvents, PRODUCTS]
})
