// Pictures of the shop's page for docs/, of the demo as it stands:
//   npm run demo -- --serve                                                     in one terminal
//   npm run screenshots --workspace @svc/example-shop -- <the shop's address>   in another
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'

const [address = 'http://127.0.0.1:8788'] = process.argv.slice(2)
const folder = join(import.meta.dirname, '../../../docs/images')
const SIZES = /** @type {const} */ ([
  ['wide', { width: 1440, height: 900 }],
  ['middle', { width: 1024, height: 800 }],
  ['narrow', { width: 390, height: 844 }],
])

// The chat's root is closed to scripts of the page; a person, and this script, look into it.
const OPEN_ROOTS = `
  const attach = Element.prototype.attachShadow
  Element.prototype.attachShadow = function (options) { return attach.call(this, { ...options, mode: 'open' }) }
`

mkdirSync(folder, { recursive: true })
const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
try {
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    for (const [name, viewport] of SIZES) await take({ name, viewport, colorScheme })
  }
} finally {
  await browser.close()
}

/** @param {{ name: string, viewport: { width: number, height: number }, colorScheme: 'light' | 'dark' }} screen */
async function take({ name, viewport, colorScheme }) {
  const context = await browser.newContext({ viewport, colorScheme })
  await context.addInitScript(OPEN_ROOTS)
  const page = await context.newPage()
  await page.goto(address)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('Email').fill('mira@example.com')
  await page.getByLabel('Password').fill('mountain-air')
  await page.locator('#sign-in-form').getByRole('button', { name: 'Sign in' }).click()
  await page.locator('#sign-out').waitFor()
  await ask('Do you have a lantern for under 30 euros?')
  await page.screenshot({ path: join(folder, `shop-cards-${name}-${colorScheme}.png`) })
  await ask('Add the Enamel Mug to my cart')
  await ask('Place the order')
  await page.locator('svc-chat .wait').last().waitFor()
  await page.screenshot({ path: join(folder, `shop-payment-${name}-${colorScheme}.png`) })
  await context.close()

  /** @param {string} text */
  async function ask(text) {
    await page.locator('svc-chat .input').fill(text)
    await page.locator('svc-chat .input').press('Enter')
    await page.locator('svc-chat .question-text', { hasText: text }).waitFor()
    await page.locator('svc-chat .log[aria-busy=false]').waitFor()
  }
}
