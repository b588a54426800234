import type { Page } from 'playwright-core'
import { DEMO_CUSTOMERS } from '../../../../examples/shop/src/index.ts'
import type { Picture } from './picture.ts'

/** The chat on the shop’s page, for a customer who is signed in: an order waits for its payment, or for approval. */
export const SHOP_PICTURES: readonly Picture[] = [
  {
    name: 'shop-payment-wide',
    size: { width: 1440, height: 900 },
    async show(page, { shopUrl }) {
      await page.goto(shopUrl)
      await signIn(page)
      await ask(page, 'Do you have a lantern for under 30 euros?')
      await ask(page, 'Add the Enamel Mug to my cart')
      await ask(page, 'Place the order')
      await page.locator('svc-chat .wait').last().waitFor()
    },
  },
  {
    name: 'shop-approval-narrow',
    size: { width: 390, height: 844 },
    async show(page, { shopUrl }) {
      await page.goto(shopUrl)
      await signIn(page)
      await page.getByRole('button', { name: 'Open the chat' }).click()
      await ask(page, 'Add the Ridgeline Two-Person Tent to my cart')
      await ask(page, 'Place the order')
      await page.locator('svc-chat .approval').waitFor()
    },
  },
]

async function signIn(page: Page): Promise<void> {
  const [{ email, password }] = DEMO_CUSTOMERS
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.locator('#sign-in-form').getByRole('button', { name: 'Sign in' }).click()
  await page.locator('#sign-out').waitFor()
}

async function ask(page: Page, text: string): Promise<void> {
  await page.locator('svc-chat .input').fill(text)
  await page.locator('svc-chat .input').press('Enter')
  await page.locator('svc-chat .question-text', { hasText: text }).waitFor()
  await page.locator('svc-chat .log[aria-busy=false]').waitFor()
}
