import { createServer } from 'node:http'
import { listenOnFreePort } from '@svc/testkit'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { describeScreens } from './support/dashboard.ts'

describeScreens('the chat on a page of the owner’s own', (scene) => {
  test('answers there with the two lines that are shown, until its origin is none of those listed', async () => {
    const account = await scene.signIn()
    const { page } = account
    const { runtimeId } = await scene.deployedRuntime(account)
    await page.goto(`${scene.url}/dashboard/runtimes/${runtimeId}/origins`)
    const card = page.getByRole('region', { name: 'Put the chat on your page' })
    await card.getByRole('button', { name: 'Show code' }).waitFor()
    // An abbreviated key in them would be a 401 for every visitor.
    expect(await card.getByText('svc_pk_').count()).toBe(0)
    expect(await card.getByRole('button', { name: /Copy/ }).count()).toBe(0)
    await card.getByRole('button', { name: 'Show code' }).click()
    const site = await serve(await card.locator('pre').innerText())

    const visitor = await visit(page, site)
    await visitor.getByRole('button', { name: 'Open the chat' }).click()
    await ask(visitor, 'search products for mug')
    await visitor.getByText('Blue mug').first().waitFor()

    await page.getByLabel('Origins, one per line').fill('https://shop.example.com')
    await page.getByRole('button', { name: 'Save origins' }).click()
    await page.getByText('Origins saved.').first().waitFor()
    await ask(visitor, 'search products for mug')
    await visitor.getByText('The assistant cannot be reached').first().waitFor()

    await page.getByLabel('Origins, one per line').fill(site)
    await page.getByRole('button', { name: 'Save origins' }).click()
    await expect.poll(() => account.call('GET', `/v1/runtimes/${runtimeId}`)).toMatchObject({ allowedOrigins: [site] })
    await visitor.reload()
    await visitor.getByRole('button', { name: 'Open the chat' }).click()
    await ask(visitor, 'search products for mug')
    await visitor.getByText('Blue mug').first().waitFor()
  })

  test('is chosen and seen before it is copied, and what was typed stays a text', async () => {
    const account = await scene.signIn({ initScript: OPEN_ROOTS })
    const { page } = account
    const { runtimeId } = await scene.deployedRuntime(account)
    await page.goto(`${scene.url}/dashboard/runtimes/${runtimeId}/origins`)
    const card = page.getByRole('region', { name: 'Put the chat on your page' })
    await card.getByRole('button', { name: 'Show code' }).click()
    const preview = card.getByRole('region', { name: 'Preview' })
    await card.getByLabel('Position').selectOption('page')
    await card.getByLabel('Heading').fill('Ask <b>us</b>')
    await card.getByLabel('Colour').fill('#2b5a43')
    await preview.getByRole('heading', { name: 'Ask <b>us</b>' }).waitFor()
    const color = () => preview.locator('.send').evaluate((button) => getComputedStyle(button).backgroundColor)
    // The preview is drawn anew with each letter.
    await expect.poll(color).toBe('rgb(43, 90, 67)')
    expect(await card.locator('pre').innerText()).toContain('heading="Ask &lt;b&gt;us&lt;/b&gt;"')
    await card.getByLabel('Code for', { exact: true }).selectOption('react')
    expect(await card.locator('pre').innerText()).toContain('heading: "Ask <b>us</b>"')
  })

  test('asks for a new key where the public one is revoked', async () => {
    const account = await scene.signIn()
    const { page, call } = account
    const { runtimeId } = await scene.deployedRuntime(account)
    await call('POST', `/v1/runtimes/${runtimeId}/revoke-key`, { type: 'public' })
    await page.goto(`${scene.url}/dashboard/runtimes/${runtimeId}/origins`)
    const card = page.getByRole('region', { name: 'Put the chat on your page' })
    await card.getByText('The public key is revoked').waitFor()
    await card.getByRole('link', { name: 'Keys' }).click()
    await page.getByRole('region', { name: 'Public key' }).getByRole('button', { name: 'Create a new key' }).waitFor()
  })
})

/** A site with these lines on its page; its origin. */
async function serve(lines: string): Promise<string> {
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A shop</title></head><body>${lines}</body></html>`
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(html))
  const { url, close } = await listenOnFreePort(server)
  onTestFinished(close)
  return url
}

// The chat’s root is closed to scripts; a visitor, and this test, look into it.
const OPEN_ROOTS = `
  const attach = Element.prototype.attachShadow
  Element.prototype.attachShadow = function (options) { return attach.call(this, { ...options, mode: 'open' }) }
`

async function visit(owner: Page, site: string): Promise<Page> {
  const visitor = await owner.context().newPage()
  await visitor.addInitScript(OPEN_ROOTS)
  await visitor.goto(site)
  return visitor
}

async function ask(visitor: Page, question: string): Promise<void> {
  await visitor.getByRole('textbox').fill(question)
  await visitor.getByRole('textbox').press('Enter')
  await visitor.getByText(question).last().waitFor()
  await visitor.locator('svc-chat .log[aria-busy=false]').waitFor()
}
