import { needs } from '@svc/testkit/needs'
import type { FrameLocator } from 'playwright-core'
import { expect, test } from 'vitest'
import { makeCardsPage } from '../scripts/cards-page.js'
import { hostileCases } from './support/hostile-cases.ts'
import { type McpHost, openHost } from './support/mcp-host.ts'

const LANTERN = {
  type: 'product',
  title: 'Lantern',
  price: '€24.90',
  url: 'https://shop.example.com/lantern',
  image: { url: 'https://shop.example.com/lantern.png', alt: 'A lantern' },
}
const ADD = { type: 'reply', label: 'Add it', value: 'Add the lantern' }
const PAY = { type: 'link', label: 'Pay', url: 'https://pay.example.com/1', style: 'primary' }

needs('chromium')('the page that MCP hosts show cards in', () => {
  // holds MCP-42
  test('draws the cards and buttons of a result, in the look of its host, with pictures of the website alone', async () => {
    const host = await openHost({ domains: 'https://shop.example.com' })
    const [greeting] = await host.said('ui/initialize')
    expect(greeting?.params).toMatchObject({ protocolVersion: '2026-01-26', appInfo: { name: 'svc-cards' } })
    await host.show({ cards: [LANTERN], actions: [ADD, PAY] })
    const card = view(host).locator('.card')
    expect(await card.innerText()).toMatch(/Lantern.*€24\.90/s)
    await expect.poll(() => card.locator('img').evaluate((image) => Reflect.get(image, 'naturalWidth'))).toBe(1)
    expect(await card.evaluate((element) => getComputedStyle(element).color)).toBe('rgb(1, 2, 3)')
    expect(await view(host).locator('main').getAttribute('theme')).toBe('dark')
    expect([host.faults, host.requested]).toEqual([[], [LANTERN.image.url]])
    await host.show({ cards: [{ ...LANTERN, image: { url: 'https://elsewhere.example/a.png' } }] })
    await expect.poll(() => card.locator('img').count()).toBe(0)
    expect(host.requested).toEqual([LANTERN.image.url])
  })

  // holds MCP-42
  test('tells its height, and is none where a result shows nothing', async () => {
    const host = await openHost()
    // A picture that does not load goes, and its height with it.
    const { image: _, ...plain } = LANTERN
    const heights = async () =>
      (await host.said('ui/notifications/size-changed')).map(({ params }) => Number(params?.['height']))
    await host.show({ cards: [plain] })
    await expect.poll(async () => (await heights()).at(-1)).toBeGreaterThan(40)
    const one = (await heights()).at(-1) ?? 0
    await host.show({ cards: [plain, plain, plain, plain] })
    await expect.poll(async () => (await heights()).at(-1)).toBeGreaterThan(one)
    for (const nothing of [{ isError: true }, { _meta: undefined }]) {
      await host.show({ cards: [plain] })
      await expect.poll(async () => (await heights()).at(-1)).toBe(one)
      await host.show({ cards: [plain] }, nothing)
      await expect.poll(async () => (await heights()).at(-1)).toBe(0)
    }
  })

  // holds MCP-42
  test('asks its host to say a reply and to open a link, and says where it refuses', async () => {
    const host = await openHost()
    await host.show({ cards: [LANTERN], actions: [ADD, PAY] })
    await view(host).getByRole('button', { name: 'Add it' }).click()
    await expect
      .poll(() => host.said('ui/message'))
      .toMatchObject([{ params: { role: 'user', content: [{ type: 'text', text: 'Add the lantern' }] } }])
    await view(host).locator('a.action').click()
    await view(host).locator('.card-title a').click({ button: 'middle' })
    const opened = async () => (await host.said('ui/open-link')).map(({ params }) => params?.['url'])
    await expect.poll(opened).toEqual(['https://pay.example.com/1', 'https://shop.example.com/lantern'])
    expect(host.page.context().pages()).toHaveLength(1)
    await host.answer('ui/open-link', { error: { code: -32000, message: 'Denied' } })
    await view(host).locator('a.action').click()
    await view(host).getByRole('status').getByText('That did not work here.', { exact: true }).waitFor()
  })

  test('calls what an output waits for when somebody asks for it, and not before', async () => {
    const host = await openHost()
    const pending = { capability: 'order-status', input: { orderId: 'o1' } }
    await host.show({ pending, actions: [PAY] })
    const again = view(host).getByRole('button', { name: 'Check again' })
    await host.answer('tools/call', { result: { content: [], _meta: { svc: { pending } } } })
    await again.click()
    await expect
      .poll(() => host.said('tools/call'))
      .toMatchObject([{ params: { name: 'order-status', arguments: { orderId: 'o1' } } }])
    await host.answer('tools/call', { result: { content: [], _meta: { svc: { settled: true } } } })
    await again.click()
    await expect.poll(() => view(host).locator('.wait').innerText()).toContain('Done: order status')
    expect(await view(host).locator('.action').count()).toBe(0)
    expect(await host.said('tools/call')).toHaveLength(2)
  })

  test('answers its host, and hears nobody else', async () => {
    const host = await openHost()
    await host.tell('ui/resource-teardown', { reason: 'gone' }, 7)
    await host.tell('sampling/createMessage', {}, 8)
    const answers = async () => (await host.said()).filter(({ method }) => method === undefined)
    await expect.poll(answers).toEqual([
      { jsonrpc: '2.0', id: 7, result: {} },
      { jsonrpc: '2.0', id: 8, error: { code: -32601, message: 'Method not found' } },
    ])
    const inner = host.page.frames().find((frame) => frame.url() === 'about:srcdoc')
    await inner?.evaluate(() => {
      const params = { _meta: { svc: { cards: [{ type: 'product', title: 'Forged' }] } } }
      window.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/tool-result', params }, '*')
      return new Promise((resolve) => setTimeout(resolve))
    })
    expect(await view(host).locator('.card').count()).toBe(0)
  })

  // holds MCP-42
  test('keeps outputs that mean harm inert: nothing runs, is asked for or said', async () => {
    const host = await openHost({ domains: 'https://images.example' })
    const cases = hostileCases().flatMap(({ title, events }) => {
      const [output] = events.flatMap((event) =>
        event.type === 'done'
          ? event.messages.flatMap(({ parts }) =>
              parts.flatMap((part) => (part.type === 'tool_result' ? [part.output] : [])),
            )
          : [],
      )
      return output === undefined ? [] : [{ title, svc: Object(output).svc }]
    })
    expect(cases.length).toBeGreaterThan(90)
    let drawn = 0
    for (const { title, svc } of cases) {
      await host.show(svc)
      const found = await view(host).locator('main').evaluate(LOOK)
      expect({ title, ...found }).toEqual({
        title,
        ran: null,
        polluted: false,
        unexpected: [],
        nodes: expect.any(Number),
      })
      expect(found.nodes).toBeLessThan(200)
      if (found.nodes > 0) drawn += 1
    }
    expect(drawn).toBeGreaterThan(60)
    const said = new Set((await host.said()).map(({ method }) => method))
    expect([...said]).toEqual(['ui/initialize', 'ui/notifications/initialized', 'ui/notifications/size-changed'])
    expect(host.requested.filter((url) => url !== 'https://images.example/a.png')).toEqual([])
    expect(host.faults.filter((fault) => !fault.includes('img-src'))).toEqual([])
  }, 120_000)

  test('holds nothing that turns text into markup or code, and lets no other script run', async () => {
    const page = await makeCardsPage(['@svc/source'])
    expect(
      page.match(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|new Function|\beval\b|fetch\(|XMLHttp/g),
    ).toBeNull()
    expect(page).toMatch(/content="default-src 'none'; script-src 'sha256-[\w+/=]{44}';/)
    expect(page.match(/<script/g)).toHaveLength(1)
    expect(page.length).toBeLessThan(40_000)
  })
})

function view({ page }: McpHost): FrameLocator {
  return page.frameLocator('iframe').frameLocator('iframe')
}

/** What the page looks like inside. */
const LOOK = (main: Element) => {
  const root = main.shadowRoot
  if (!root) throw new Error('the page has no root that could be looked into')
  const elements = [...root.querySelectorAll('*')]
  const isExpected = (element: Element) =>
    /^(div|span|ul|li|p|button|a|img)$/i.test(element.tagName) &&
    element.getAttributeNames().every((name) => !name.startsWith('on') && name !== 'style') &&
    (!(element instanceof HTMLAnchorElement) || element.href.startsWith('https://')) &&
    (!(element instanceof HTMLImageElement) || element.src.startsWith('https://'))
  return {
    ran: Reflect.get(globalThis, 'ran') ?? null,
    polluted: 'polluted' in {} || (root.textContent ?? '').includes('polluted'),
    unexpected: elements.filter((element) => !isExpected(element)).map(({ outerHTML }) => outerHTML.slice(0, 200)),
    nodes: elements.length,
  }
}
