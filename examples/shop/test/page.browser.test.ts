import { type RunningShop, startShop } from '@svc/example-shop'
import { describeCapabilities } from '@svc/sdk'
import { type LendOptions, lendPage, sharedChromium } from '@svc/testkit'
import { locate } from '@svc/testkit/needs'
import type {} from '@svc/widget/element'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { accessibilityFaults } from '../../../packages/dashboard/test/support/dashboard.ts'
import { demoModel } from '../../../packages/server/src/model/demo-model.ts'
import { findWebFiles } from '../../../packages/server/src/web/web-files.ts'
import { createTestClock } from '../../../packages/server/test/support/clock.ts'
import { describeEngine, useDatabase } from '../../../packages/server/test/support/engines.ts'
import { deployBody, PASSWORD, startService, type TestService } from '../../../packages/server/test/support/service.ts'
import runtime from '../.svc/runtime.ts'

// A browser is slow where the machine is busy with other things.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

// Their requests are tested on both engines elsewhere.
describeEngine('sqlite', 'a shop and its owner', (engine) => onThePage(useDatabase(engine)), 'chromium')

function onThePage(database: () => Parameters<typeof startService>[0]): void {
  let browser: Browser
  let service: TestService
  let shop: RunningShop
  let baseUrl = ''
  let dashboard: Page

  beforeAll(async () => {
    const clock = createTestClock(Date.now())
    const options = {
      clock,
      model: await demoModel(),
      web: findWebFiles(),
      // Known once it listens.
      get baseUrl() {
        return baseUrl
      },
    }
    ;[browser, service, shop] = await Promise.all([
      sharedChromium(locate('chromium')),
      startService(database(), options),
      startShop({ port: 0, databaseFile: ':memory:', now: clock.now }),
    ])
    baseUrl = await service.app.listen({ port: 0, host: '127.0.0.1' })
    dashboard = await browser.newPage()
    await signUp(dashboard)
    await connect(dashboard)
  })
  afterAll(async () => {
    await dashboard?.context().close()
    await shop?.close()
    await service?.close()
  })

  async function signUp(page: Page): Promise<void> {
    await page.goto(`${baseUrl}/dashboard/sign-up`)
    await page.getByLabel('E-mail').fill('owner@example.com')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign up' }).click()
  }

  // What the dashboard shows once is what the shop is started with, and what deploys its capabilities.
  async function connect(page: Page): Promise<void> {
    await page.getByRole('link', { name: 'Create your first runtime' }).click()
    await page.getByLabel('Name').fill('Hollow Pine')
    await page.getByLabel('Endpoint').fill(`${shop.url}/svc`)
    await page.getByRole('button', { name: 'Create runtime' }).click()
    const lines = await page.locator('pre', { hasText: 'SVC_API_KEY=' }).first().innerText()
    const env = new Map(lines.split('\n').map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)]))
    const shown = (name: string) => env.get(name) ?? ''
    const body = deployBody({ capabilities: describeCapabilities(runtime) })
    const deployed = await service.send('POST', '/v1/deployments', { key: shown('SVC_API_KEY'), body })
    expect(deployed.statusCode).toBe(201)
    shop.connect({
      runtimeId: shown('SVC_RUNTIME_ID'),
      secret: shown('SVC_RUNTIME_SECRET'),
      publicKey: shown('SVC_PUBLIC_KEY'),
      baseUrl: shown('SVC_BASE_URL'),
    })
    await page.getByText('Deployment 1 is active, with 10 capabilities.').waitFor()
  }

  async function open(options: LendOptions = {}): Promise<Page> {
    // The test sees into the chat, whose root is closed.
    const { page, giveBack } = await lendPage(browser, { ...options, initScript: OPEN_ROOTS })
    onTestFinished(({ task }) => giveBack(`${shop.url}/icon.svg`, { hasFailed: task.result?.state === 'fail' }))
    page.setDefaultTimeout(30_000)
    page.on('pageerror', (error) => expect.fail(`the page has a fault: ${error.message}`))
    await page.goto(shop.url)
    await page.locator('svc-chat .input').waitFor({ state: 'attached' })
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
    await log(page).getByRole('button', { name: 'Sign in' }).click()
    await fillSignIn(page)
    await page.getByText('Mira Lindqvist').waitFor()
  }

  async function fillSignIn(page: Page): Promise<void> {
    await page.getByLabel('Email').fill('mira@example.com')
    await page.getByLabel('Password').fill('mountain-air')
    await page.locator('#sign-in-form').getByRole('button', { name: 'Sign in' }).click()
  }

  test('a customer searches, puts into the cart, orders, pays on the shop’s own page, and hears of it', async () => {
    const page = await open()
    await ask(page, 'Do you have a lantern for under 30 euros?')
    const card = page.locator('svc-chat .card', { hasText: 'Trail Lantern' })
    await card.getByText('€24.90').waitFor()
    expect(await card.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
    await card.getByRole('link').click()
    await page.locator('#LGT-201.linked').waitFor()

    await card.getByRole('button', { name: 'Add to cart' }).click()
    await log(page).getByText('nobody is signed in').last().waitFor()

    // The refused call goes on without being asked for again.
    await signIn(page)
    await log(page).getByRole('button', { name: 'Order now' }).last().click()
    await log(page).getByText('Waiting for your payment …').waitFor()

    const [payPage] = await Promise.all([
      page.context().waitForEvent('page'),
      log(page)
        .getByRole('link', { name: /^Pay €/ })
        .click(),
    ])
    await payPage.getByRole('heading', { name: 'Order ORD-1004' }).waitFor()
    await payPage.getByRole('button', { name: /^Pay €/ }).click()
    await payPage.getByText('Thank you, it is paid.').waitFor()
    await payPage.close()

    await log(page).getByText('Your order is paid, and we are packing it').waitFor()
    await log(page).getByText('Done: your payment').waitFor()
    expect(
      await log(page)
        .getByRole('link', { name: /^Pay €/ })
        .count(),
    ).toBe(0)

    await page.reload()
    await log(page).getByText('Your order is paid, and we are packing it').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await expect.poll(() => page.locator('svc-chat .question').count()).toBe(0)
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))).toBe('{}')

    await dashboard.goto(`${baseUrl}/dashboard/executions`)
    const executions = dashboard.getByRole('table', { name: 'Executions' }).getByRole('row')
    await expect.poll(() => executions.count()).toBeGreaterThan(4)
  })

  test('a customer orders without the chat, by keyboard and on a phone, and the assistant knows of it', async () => {
    const page = await open({ viewport: { width: 390, height: 800 }, colorScheme: 'dark' })
    const press = (name: string) => page.getByRole('button', { name, exact: true }).press('Enter')
    const faults = [await accessibilityFaults(page)]
    await press('Add to cart: Enamel Mug')
    await fillSignIn(page)
    await page.getByRole('status').filter({ hasText: '1 in your cart' }).waitFor()
    await press('Cart (1)')
    const cart = page.getByRole('dialog', { name: 'Your cart' })
    await cart.getByRole('listitem').filter({ hasText: 'ORD-1002' }).waitFor()
    faults.push(await accessibilityFaults(page))
    await page.emulateMedia({ colorScheme: 'light' })
    faults.push(await accessibilityFaults(page))
    await press('Remove Enamel Mug')
    await cart.getByText('There is nothing in it yet.').waitFor()
    await page.keyboard.press('Escape')
    await press('Add to cart: Enamel Mug')
    await press('Cart (1)')

    await press('Order and pay')
    await page.getByRole('heading', { name: /^Order ORD-/ }).waitFor()
    const orderNumber = (await page.getByRole('heading').innerText()).slice('Order '.length)
    await page.goBack()
    await press('Open the chat')
    await ask(page, `Where is my order ${orderNumber}?`)
    await log(page).getByText('We have your order and wait for your payment').waitFor()
    await page.keyboard.press('Escape')
    await press('Cart')
    await cart
      .getByRole('listitem')
      .filter({ hasText: orderNumber })
      .getByRole('link', { name: /^Pay €/ })
      .waitFor()
    expect(faults).toEqual([[], [], []])

    // The order whose answer is lost stands among the orders.
    const payLinks = cart.getByRole('link', { name: /^Pay €/ })
    const unpaid = await payLinks.count()
    await page.keyboard.press('Escape')
    await press('Add to cart: Enamel Mug')
    await press('Cart (1)')
    await page.route('**/api/orders', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      await route.fetch()
      await route.abort()
    })
    await press('Order and pay')
    await cart.getByText('The shop cannot be reached.').waitFor()
    expect(await payLinks.count()).toBe(unpaid + 1)

    // Where they cannot be loaded, none of an earlier time are shown.
    await page.keyboard.press('Escape')
    await page.route('**/api/orders', (route) => route.abort())
    await press('Cart')
    await cart.getByText('The shop cannot be reached.').waitFor()
    expect(await page.locator('#orders li').count()).toBe(0)
    await page.unrouteAll()
    await page.keyboard.press('Escape')
    await press('Cart')
    await payLinks.nth(unpaid).waitFor()
    await page.keyboard.press('Escape')
    await press('Sign out')
    expect(await page.locator('#orders li').count()).toBe(0)
  })

  test('a session that ends leaves nothing of its customer, and a late answer changes nothing of the next one', async () => {
    const page = await open()
    const cartButton = page.locator('#cart')
    const signInAtTop = async () => {
      await page.locator('#sign-in').click()
      await fillSignIn(page)
      await page.getByText('Mira Lindqvist').waitFor()
      await page.getByRole('button', { name: 'Cart (2)' }).waitFor()
    }
    // Asks for the cart now, and gives what lets its answer through.
    const askForCart = async () => {
      let release: () => void = () => undefined
      const held = new Promise<void>((resolve) => (release = resolve))
      const answered = new Promise<void>((resolve) =>
        page.route(
          '**/api/cart',
          async (route) => {
            const response = await route.fetch()
            resolve()
            await held
            await route.fulfill({ response })
          },
          { times: 1 },
        ),
      )
      await page.evaluate(() => dispatchEvent(new Event('pageshow')))
      await answered
      return async () => {
        const heard = page.waitForResponse('**/api/cart')
        release()
        await (await heard).finished()
        await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)))
      }
    }
    const endSession = () =>
      page.evaluate(() => {
        const { token } = JSON.parse(sessionStorage.getItem('hollow-pine-session') ?? '{}')
        return fetch('/api/sessions', { method: 'DELETE', headers: { authorization: `Bearer ${token}` } })
      })

    await page.getByRole('button', { name: 'Add to cart: Enamel Mug' }).click()
    await fillSignIn(page)
    await page.getByRole('button', { name: 'Cart (1)' }).waitFor()
    const letOlderCartCome = await askForCart()
    await page.getByRole('button', { name: 'Add to cart: Enamel Mug' }).click()
    await page.getByRole('button', { name: 'Cart (2)' }).waitFor()
    await letOlderCartCome()
    expect(await cartButton.innerText()).toBe('Cart (2)')
    const letCartCome = await askForCart()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await letCartCome()
    expect(await cartButton.innerText()).toBe('Cart')

    await signInAtTop()
    await endSession()
    const letRefusalCome = await askForCart()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signInAtTop()
    await ask(page, 'Do you have a lantern for under 30 euros?')
    await letRefusalCome()
    expect([await cartButton.innerText(), await page.locator('svc-chat .question').count()]).toEqual(['Cart (2)', 1])

    await endSession()
    await page.evaluate(() => dispatchEvent(new Event('pageshow')))
    await expect.poll(() => page.locator('svc-chat .question').count()).toBe(0)
    expect([await cartButton.innerText(), await page.locator('#sign-in').isVisible()]).toEqual(['Cart', true])
  })

  test('a product’s own button asks about it, on a narrow screen, too', async () => {
    const page = await open({ viewport: { width: 390, height: 800 } })
    await page.getByRole('button', { name: 'Open the chat' }).waitFor()
    expect(await page.locator('svc-chat .panel').isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Ask about Enamel Mug' }).click()
    await page.locator('svc-chat .card', { hasText: 'Enamel Mug' }).waitFor()
    const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
    expect(isWide).toBe(false)
  })

  test('a question while another one is answered is not lost without a word', async () => {
    const page = await open()
    let finish: () => void = () => undefined
    await page.route('**/v1/runtime/execute', async (route) => {
      await new Promise<void>((resolve) => (finish = resolve))
      await route.continue()
    })
    await page.getByRole('button', { name: 'Ask about Enamel Mug' }).click()
    await page.locator('svc-chat .log[aria-busy=true]').waitFor()
    await page.getByRole('button', { name: 'Ask about Trail Lantern' }).click()
    await page.getByText('the assistant is still answering').waitFor()
    expect(await page.locator('svc-chat .question').count()).toBe(1)
    finish()
    await page.getByText('the assistant is still answering').waitFor({ state: 'hidden' })
  })

  test('a link to a product finds it, whatever category is chosen', async () => {
    const page = await open()
    await page.getByRole('button', { name: 'garden' }).click()
    await page.locator('#LGT-201').waitFor({ state: 'detached' })
    await page.evaluate(() => {
      location.hash = '#LGT-201'
    })
    await page.locator('#LGT-201.linked').waitFor()
    expect(await page.getByRole('button', { name: 'all', exact: true }).getAttribute('aria-pressed')).toBe('true')
  })
}

const OPEN_ROOTS = `
  const attach = Element.prototype.attachShadow
  Element.prototype.attachShadow = function (options) { return attach.call(this, { ...options, mode: 'open' }) }
`
