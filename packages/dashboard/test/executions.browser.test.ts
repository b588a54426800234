import { readFile } from 'node:fs/promises'
import { ExecuteResponse } from '@svc/contract'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { CAPABILITIES, describeScreens, type SignedIn } from './support/dashboard.ts'

describeScreens('what ran', (scene) => {
  test('is listed live, filtered by the address, and paged', async () => {
    const account = await scene.signIn()
    const { page } = account
    const { runtimeId } = await scene.deployedRuntime(account)
    await page.goto(`${scene.url}/dashboard/executions`)
    await page.getByText('No executions yet').waitFor()
    await askTimes(account, runtimeId, 1)
    // The page asks by itself every few seconds.
    await page.getByRole('row', { name: /Completed/ }).waitFor()

    await page.getByRole('button', { name: 'Live' }).click()
    await askTimes(account, runtimeId, 51)
    await page.reload()
    await page.getByRole('button', { name: 'Load more' }).click()
    await expect.poll(() => page.getByRole('row', { name: /Completed/ }).count(), { timeout: 20_000 }).toBe(52)

    await page.getByLabel('Status').selectOption('failed')
    await page.getByText('No executions match these filters').waitFor()
    expect(new URL(page.url()).searchParams.get('status')).toBe('failed')
    await page.goBack()
    await page
      .getByRole('row', { name: /Completed/ })
      .first()
      .waitFor()
    await page.goto(`${scene.url}/dashboard/executions?status=running&runtimeId=${runtimeId}`)
    await page.getByText('No executions match these filters').waitFor()
    expect(await page.getByLabel('Status').inputValue()).toBe('running')
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByLabel('Name').fill('Running here')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('link', { name: 'All', exact: true }).click()
    await page.getByRole('link', { name: 'Running here' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('runtimeId')).toBe(runtimeId)
    // What the service does not answer any more is said, and what was loaded stays.
    await page.getByRole('link', { name: 'All', exact: true }).click()
    await page
      .getByRole('row', { name: /Completed/ })
      .first()
      .waitFor()
    await page.route(/\/v1\/executions\?/, (route) => route.abort())
    await page.getByRole('status').getByText('Offline').waitFor()
    expect(await page.getByRole('row', { name: /Completed/ }).count()).toBe(50)
  })

  test('says so when so much of the list is shown that it does not renew itself any more', async () => {
    const account = await scene.signIn()
    const { page } = account
    const { runtimeId } = await scene.deployedRuntime(account)
    await askTimes(account, runtimeId, 1)
    let asked = 0
    // A list without an end.
    await page.route(/\/v1\/executions\?/, async (route) => {
      asked += 1
      const answer = await route.fetch({ url: `${scene.url}/v1/executions?limit=1` })
      const { executions = [] } = Object(await answer.json())
      const [execution] = executions
      await route.fulfill({
        json: { executions: [{ ...execution, executionId: `exec_${asked}` }], nextCursor: `after-${asked}` },
      })
    })
    await page.goto(`${scene.url}/dashboard/executions`)
    for (let pages = 1; pages <= 3; pages += 1) {
      expect(await page.getByText('Paused').count()).toBe(0)
      await page.getByRole('button', { name: 'Load more' }).click()
      await expect.poll(() => page.getByRole('row', { name: /Completed/ }).count(), { timeout: 20_000 }).toBe(pages + 1)
    }
    await page.getByRole('status').getByText('Paused: more than three pages are loaded').waitFor()
    await page.getByRole('button', { name: 'Live' }).click()
    await page.getByText('Paused').waitFor({ state: 'hidden' })
  })

  test('a failed call is told in plain words, with the likely fix', async () => {
    const account = await scene.signIn()
    const { page } = account
    const { runtimeId } = await scene.deployedRuntime(account)
    scene.endpoint.trust({ secrets: ['another secret altogether'] })
    const { executionId } = await ask(account, runtimeId, 'search products for mug')
    await page.goto(`${scene.url}/dashboard/executions/${executionId}`)
    await page.getByRole('alert').getByText('The endpoint answered with status 401.').waitFor()
    await page.getByText('did not accept the signature').waitFor()
    await page.getByRole('link', { name: 'search-products' }).waitFor()
  })

  test('an execution that completed behind a failed call is marked in amber, and found by that', async () => {
    const account = await scene.signIn()
    const { page } = account
    const { runtimeId } = await scene.deployedRuntime(account)
    await ask(account, runtimeId, 'search products for mug')
    scene.endpoint.script('search-products', () => ({ fault: 'status', status: 503 }))
    onTestFinished(() => scene.endpoint.script('search-products', () => ({ output: {} })))
    const { executionId } = await ask(account, runtimeId, 'search products for mug')
    await page.goto(`${scene.url}/dashboard/executions`)
    const badges = page.getByRole('row').getByText(/^Completed/)
    await badges.first().waitFor()
    expect(await badges.allInnerTexts()).toEqual(['Completed, 1 call failed', 'Completed'])
    const colour = (at: number) => badges.nth(at).evaluate((badge) => getComputedStyle(badge).color)
    expect(await colour(0)).not.toBe(await colour(1))

    await page.getByLabel('Calls').selectOption('failed')
    await expect.poll(() => badges.allInnerTexts()).toEqual(['Completed, 1 call failed'])
    expect(new URL(page.url()).searchParams.get('calls')).toBe('failed')
    // Anywhere on the row.
    await page
      .getByRole('row', { name: executionId.slice(-8) })
      .getByRole('cell')
      .nth(2)
      .click()
    await page.getByText('Completed, 1 call failed').waitFor()
    await page.getByText('The endpoint answered with status 503.').waitFor()
    await page.goto(`${scene.url}/dashboard/runtimes/${runtimeId}`)
    await page.getByText('The last call or probe failed. The endpoint answered with status 503.').waitFor()
  })

  test('a call that waits for a person is shown above the list and in its trace, until it is decided', async () => {
    const account = await scene.signIn()
    const { page, call } = account
    const [search, ...others] = CAPABILITIES
    if (!search) throw new Error('the scene has a capability')
    const { runtimeId } = await scene.deployedRuntime(account, {
      capabilities: [{ ...search, confirm: true }, ...others],
    })
    await page.goto(`${scene.url}/dashboard/executions`)
    await page.getByText('No executions yet').waitFor()
    const { executionId, approvals } = await ask(account, runtimeId, 'search products for mug')
    const [approval] = approvals ?? []
    if (!approval) throw new Error('nobody was asked')
    const { approvalId, approvalKey } = approval
    // By itself: the page stood open before.
    await page.getByRole('heading', { name: 'Waiting for approval' }).waitFor()
    await page.getByText('query: mug').waitFor()
    await page.getByRole('link', { name: 'View execution' }).click()
    await page.getByRole('heading', { name: 'Approvals' }).waitFor()
    await page.getByText('Waiting for approval', { exact: true }).waitFor()
    await page.getByText('Pending', { exact: true }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/dashboard/executions/${executionId}`)
    await call('POST', `/v1/executions/approvals/${approvalId}`, { decision: 'decline', approvalKey })
    await page.getByText('Declined', { exact: true }).waitFor()
    expect(await page.getByText('Waiting for approval').count()).toBe(0)
    await page.getByRole('main').getByRole('link', { name: 'Executions', exact: true }).click()
    await page.getByRole('heading', { name: 'Executions' }).waitFor()
    await page.goBack()
    await page.getByText('Declined', { exact: true }).waitFor()
    expect(await page.content()).not.toContain(approvalKey)
    await page.goto(`${scene.url}/dashboard/executions`)
    await page.getByRole('row', { name: /Completed/ }).waitFor()
    expect(await page.getByText('Waiting for approval').count()).toBe(0)
  })

  test('a single call that failed is told once', async () => {
    const account = await scene.signIn()
    const { page, call } = account
    const { runtimeId } = await scene.deployedRuntime(account)
    const body = { input: { orderNumber: 'A-1' } }
    const answer = await scene.service.send('POST', `/v1/capabilities/${runtimeId}/cancel-order`, { body })
    expect(answer.statusCode).toBe(502)
    const { executions } = Object(await call('GET', '/v1/executions'))
    await page.goto(`${scene.url}/dashboard/executions/${executions[0].executionId}`)
    await page.getByRole('region', { name: 'Input of cancel-order' }).waitFor()
    expect(await page.getByRole('alert').allInnerTexts()).toEqual([expect.stringContaining('The order is on its way.')])
  })

  test('is counted, within what the plan shows, and saved as a table', async () => {
    const account = await scene.signIn()
    const { page } = account
    const { runtimeId } = await scene.deployedRuntime(account)
    await askTimes(account, runtimeId, 3)
    await page.goto(`${scene.url}/dashboard/analytics?range=30d`)
    await page.getByText('Your plan keeps a shorter history.').waitFor()
    await page
      .getByRole('img', { name: /^Executions over time/ })
      .locator('svg')
      .first()
      .waitFor()
    await page.getByRole('row', { name: 'search-products 3 0' }).waitFor()
    const capabilities = await savedLines(page, 'svc-capabilities.csv')
    expect(capabilities[0]).toBe('capability,calls,failed,unknown,p50DurationMs,p95DurationMs')
    expect(capabilities[1]).toMatch(/^search-products,3,0,0,/)
    const runtimes = await savedLines(page, 'svc-runtimes.csv')
    expect(runtimes[0]).toBe(
      'runtimeId,executions,failed,failedCalls,unknownCalls,totalTokens,p50DurationMs,p95DurationMs',
    )
    expect(runtimes[1]).toMatch(new RegExp(`^${runtimeId},3,0,0,0,\\d+,\\d+,\\d+$`))
    const series = await savedLines(page, 'svc-analytics.csv')
    expect(series[0]).toMatch(/^at,executions,completed,failed,capabilityCalls,/)
    expect(series.at(-2)).toMatch(/^\d{4}-\d\d-\d\dT00:00:00.000Z,3,3,0,3,/)
    await page.getByLabel('Range').selectOption('Last 24 hours')
    await page.getByText('Your plan keeps a shorter history.').waitFor({ state: 'hidden' })
  })

  test('charts are left alone for as long as their figures are the same', async () => {
    const account = await scene.signIn()
    const { page } = account
    const { runtimeId } = await scene.deployedRuntime(account)
    await askTimes(account, runtimeId, 1)
    await page.clock.install()
    await page.goto(`${scene.url}/dashboard/analytics`)
    const chart = page.getByRole('img', { name: /^Executions over time/ })
    await chart.locator('svg').first().waitFor()
    await page.getByRole('img', { name: /^Capability calls/ }).hover()
    await page.clock.runFor(3_000)
    await page.evaluate(
      "window.changes = 0; new MutationObserver((found) => { window.changes += found.length }).observe(document.querySelector('main'), { subtree: true, childList: true, attributes: true, characterData: true })",
    )
    await page.clock.runFor(10_000)
    expect(await page.evaluate('window.changes')).toBe(0)
  })
})

async function savedLines(page: Page, file: string): Promise<string[]> {
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: `Save ${file}` }).click()
  return (await readFile(await (await saved).path(), 'utf8')).split('\r\n')
}

async function ask({ call }: SignedIn, runtimeId: string, content: string): Promise<ExecuteResponse> {
  const messages = [{ role: 'user', parts: [{ type: 'text', content }] }]
  return ExecuteResponse.parse(await call('POST', '/v1/executions', { runtimeId, messages }))
}

async function askTimes(account: SignedIn, runtimeId: string, times: number): Promise<void> {
  for (let asked = 0; asked < times; asked += 1) await ask(account, runtimeId, 'search products for mug')
}
