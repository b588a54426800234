import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { describeScreens } from './support/dashboard.ts'

const MARKUP = '<img src=x onerror="window.hit = 1"><script>window.hit = 1</script><svg onload="window.hit = 1">'
const MANY = 10_000

describeScreens('what others wrote', (scene) => {
  test('is text in a trace, however much there is of it', async () => {
    const account = await scene.signIn()
    const { page } = account
    const { runtimeId } = await scene.deployedRuntime(account)
    scene.endpoint.script('search-products', () => ({
      output: {
        title: MARKUP,
        reversed: '\u202e0.00 ecirp',
        address: 'javascript:window.hit=1',
        '\u202ekey': 'turned',
        [MARKUP]: { constructor: { prototype: 1 } },
        list: Array.from({ length: MANY }, (_, number) => number),
      },
    }))
    const messages = [{ role: 'user', parts: [{ type: 'text', content: 'search products for mug' }] }]
    const executed = await account.call('POST', '/v1/executions', { runtimeId, messages, metadata: { page: MARKUP } })
    const { executionId } = { executionId: '', ...Object(executed) }
    await page.goto(`${scene.url}/dashboard/executions/${executionId}`)
    const output = page.getByRole('region', { name: 'Output of search-products' })
    await output.getByText('[ 10,000 ]').waitFor()
    await output.getByText('and 9,900 more').waitFor()
    // What turns the text around it is shown, and turns nothing.
    await output.getByText('"\\u202e0.00 ecirp"').waitFor()
    await output.getByText('\\u202ekey:').waitFor()
    expect(await output.innerText()).not.toMatch(/[\u202a-\u202e]/)
    await expectInert(page)
  })

  test('is text in a talk: no markup, no image, no link that is not https', async () => {
    const account = await scene.signIn()
    const { page } = account
    const { runtimeId } = await scene.deployedRuntime(account)
    const title = `${MARKUP} [one](javascript:window.hit=1) [two](data:text/html,x) ![three](https://x.example/a.png) **bold**`
    scene.endpoint.script('search-products', () => ({ output: { products: [{ title }], total: 1 } }))
    await page.goto(`${scene.url}/dashboard/runtimes/${runtimeId}/try`)
    await page.getByLabel('Your question').fill('search products for mug')
    await page.getByRole('button', { name: 'Ask' }).click()
    await page.getByRole('link', { name: 'View trace' }).waitFor()
    await page.getByRole('log').locator('strong', { hasText: 'bold' }).waitFor()
    await expectInert(page)
  })

  test('is text in a capability’s description and schema', async () => {
    const account = await scene.signIn()
    const { page } = account
    const properties = { [MARKUP]: { type: 'string', description: MARKUP, enum: [MARKUP] } }
    const actions = [{ name: 'look', inputSchema: { type: 'object', properties } }]
    const { runtimeId } = await scene.deployedRuntime(account, {
      capabilities: [{ name: 'look', version: '1.0.0', description: MARKUP, actions }],
      website: { name: MARKUP, url: 'https://shop.example.com' },
    })
    for (const tab of ['capabilities', 'manifest', 'deployments']) {
      await page.goto(`${scene.url}/dashboard/runtimes/${runtimeId}/${tab}`)
      await page
        .getByText('onerror')
        .first()
        .waitFor({ state: tab === 'deployments' ? 'hidden' : 'visible' })
      await expectInert(page)
    }
  })
})

async function expectInert(page: Page): Promise<void> {
  expect(await page.evaluate('window.hit')).toBeUndefined()
  expect(await page.locator('#root img, #root script, a[href^="javascript:"], a[href^="data:"]').count()).toBe(0)
  expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
}
