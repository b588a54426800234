import { createServer } from 'node:http'
import { lendPage, listenOnFreePort, sharedChromium } from '@svc/testkit'
import { locate, needs } from '@svc/testkit/needs'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** What a page sees of its window. */
const SEEN = "[innerWidth, matchMedia('(prefers-color-scheme: dark)').matches]"

needs('chromium')('a page that is lent', () => {
  let browser: Browser
  let server: Awaited<ReturnType<typeof listenOnFreePort>>
  beforeAll(async () => {
    const pages = createServer((request, response) => {
      response.setHeader('content-type', 'text/html')
      if (request.url === '/late') setTimeout(() => response.setHeader('set-cookie', 'late=1').end(), 50)
      else response.end('<!doctype html><title>Page</title>')
    })
    ;[browser, server] = await Promise.all([sharedChromium(locate('chromium')), listenOnFreePort(pages)])
  })
  afterAll(() => server.close())

  test('is the same one again, and has nothing of the test before', async () => {
    const { url } = server
    const { page, giveBack } = await lendPage(browser, { colorScheme: 'dark', viewport: { width: 400, height: 300 } })
    const heard: string[] = []
    page.on('request', (request) => heard.push(request.url()))
    await page.goto(url)
    expect(await page.evaluate(SEEN)).toEqual([400, true])
    await page.evaluate("localStorage.a = sessionStorage.a = document.cookie = 'a=1'")
    await page.route('**/*', (route) => route.abort())
    await page.context().setOffline(true)
    await giveBack(`${url}/rest`)
    heard.length = 0

    const next = await lendPage(browser)
    expect(next.page).toBe(page)
    await page.goto(url)
    expect(heard).toEqual([])
    expect(await page.evaluate(SEEN)).toEqual([1280, false])
    const kept = '[document.cookie, localStorage.length, sessionStorage.length, navigator.onLine]'
    expect(await page.evaluate(kept)).toEqual(['', 0, 0, true])
    await next.giveBack(`${url}/rest`)
  })

  test('has no cookie that came while it was given back', async () => {
    const { page, giveBack } = await lendPage(browser)
    await page.goto(server.url)
    await page.evaluate("void fetch('/late', { keepalive: true })")
    await giveBack(`${server.url}/late`)
    expect(await page.context().cookies()).toEqual([])
  })

  test.each<[string, (page: Awaited<ReturnType<typeof lendPage>>['page']) => Promise<unknown>, boolean]>([
    ['a test that failed', async () => {}, true],
    ['a clock of its own', (page) => page.clock.install(), false],
    ['a page beside it', (page) => page.context().newPage(), false],
  ])('is closed after %s', async (_, act, hasFailed) => {
    const { page, giveBack } = await lendPage(browser)
    await page.goto(server.url)
    await act(page)
    await giveBack(server.url, { hasFailed })
    expect(page.isClosed()).toBe(true)
    const next = await lendPage(browser)
    expect(next.page).not.toBe(page)
    await next.giveBack(server.url)
  })

  test('is another one where its profile differs', async () => {
    const { page, giveBack } = await lendPage(browser)
    await page.goto(server.url)
    await giveBack(server.url)
    const next = await lendPage(browser, { initScript: 'globalThis.isPrepared = true' })
    expect(next.page).not.toBe(page)
    await next.page.goto(server.url)
    expect(await next.page.evaluate('isPrepared')).toBe(true)
    await next.giveBack(server.url)
  })
})
