import { type RunningShop, startShop } from '@svc/example-shop'
import { describeCapabilities } from '@svc/sdk'
import { findChromium, launchChromium } from '@svc/testkit'
import type {} from '@svc/widget/element'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { demoModel } from '../../../packages/server/src/model/demo-model.ts'
import { findWebFiles } from '../../../packages/server/src/web/web-files.ts'
import { createTestClock } from '../../../packages/server/test/support/clock.ts'
import { describeEngines, useDatabase } from '../../../packages/server/test/support/engines.ts'
import { startService, type TestService } from '../../../packages/server/test/support/service.ts'
import runtime from '../.svc/runtime.ts'

// A browser is slow where the machine is busy with other things.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const chromium = findChromium(process.env)

if (chromium === null) describe.skip('the shop’s page (no Chromium)')
else describeEngines('the shop’s page', (engine) => onThePage(chromium, useDatabase(engine)))

function onThePage(executable: string, database: () => Parameters<typeof startService>[0]): void {
  let browser: Browser
  let service: TestService
  let shop: RunningShop

  beforeAll(async () => {
    const clock = createTestClock()
    const model = demoModel({ clock })
    ;[browser, service, shop] = await Promise.all([
      launchChromium(executable),
      startService(database(), { clock, model, web: findWebFiles() }),
      startShop({ port: 0, databaseFile: ':memory:', now: clock.now }),
    ])
    const baseUrl = await service.app.listen({ port: 0, host: '127.0.0.1' })
    const owner = await service.owner('pro')
    const created = await service.runtime(owner, { endpoint: `${shop.url}/svc` })
    const deployed = await service.deploy(created, { capabilities: describeCapabilities(runtime) })
    expect(deployed.statusCode).toBe(201)
    shop.connect({ ...created, baseUrl })
  })
  afterAll(async () => {
    await browser?.close()
    await shop?.close()
    await service?.close()
  })

  async function open(options: BrowserContextOptions = {}): Promise<Page> {
    // The test sees into the chat, whose root is closed.
    const context = await browser.newContext(options)
    onTestFinished(() => context.close())
    await context.addInitScript(OPEN_ROOTS)
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    page.on('pageerror', (error) => expect.fail(`the page has a fault: ${error.message}`))
    await page.goto(shop.url)
    await page.locator('svc-chat .input').waitFor()
    return page
  }

  const log = (page: Page) => page.locator('svc-chat .log')
  const answered = (page: Page) => page.locator('svc-chat .log[aria-busy=false]').waitFor()

  async function ask(page: Page, text: string): Promise<void> {
    await answered(page)
    await page.locator('svc-chat .input').fill(text)
    await page.keyboard.press('Enter')
    await page.locator('svc-chat .question-text', { hasText: text }).last().waitFor()
    await answered(page)
  }

  async function signIn(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Email').fill('mira@example.com')
    await page.getByLabel('Password').fill('mountain-air')
    await page.locator('#sign-in-form').getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Mira Lindqvist').waitFor()
  }

  test('a customer searches, puts into the cart, orders, pays on the shop’s own page, and hears of it', async () => {
    const page = await open()
    await ask(page, 'Do you have a lantern for under 30 euros?')
    const card = page.locator('svc-chat .card', { hasText: 'Trail Lantern' })
    await card.getByText('€24.90').waitFor()
    expect(await card.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
    await card.getByRole('link').click()
    await page.locator('#LGT-201.linked').waitFor()

    await log(page).getByRole('button', { name: 'Add Trail Lantern to the cart' }).click()
    await log(page).getByText('nobody is signed in').last().waitFor()

    await signIn(page)
    await ask(page, 'Add the Trail Lantern to my cart')
    await log(page).getByRole('button', { name: 'Order now' }).last().click()
    await log(page).getByText('Waiting for order status …').waitFor()

    const [payPage] = await Promise.all([
      page.context().waitForEvent('page'),
      log(page).getByRole('link', { name: /^Pay €/ }).click(),
    ])
    await payPage.getByRole('heading', { name: 'Order ORD-1004' }).waitFor()
    await payPage.getByRole('button', { name: /^Pay €/ }).click()
    await payPage.getByText('Thank you, it is paid.').waitFor()
    await payPage.close()

    await log(page).getByText('Your order is paid, and we are packing it').waitFor()
    await log(page).getByText('Done: order status').waitFor()
    expect(await log(page).getByRole('link', { name: /^Pay €/ }).count()).toBe(0)

    await page.reload()
    await log(page).getByText('Your order is paid, and we are packing it').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await expect.poll(() => page.locator('svc-chat .question').count()).toBe(0)
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))).toBe('{}')
  })

  test('a product’s own button asks about it, on a narrow screen, too', async () => {
    const page = await open({ viewport: { width: 390, height: 800 } })
    await page.getByRole('button', { name: 'Ask about Enamel Mug' }).click()
    await page.locator('svc-chat .card', { hasText: 'Enamel Mug' }).waitFor()
    const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
    expect(isWide).toBe(false)
  })
}

const OPEN_ROOTS = `
  const attach = Element.prototype.attachShadow
  Element.prototype.attachShadow = function (options) { return attach.call(this, { ...options, mode: 'open' }) }
`
