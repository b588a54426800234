import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { describeDashboard, type SignedIn } from './support/dashboard.ts'

describeDashboard('what ran', (scene) => {
  test('is listed live, filtered by the address, and paged', async () => {
    const account = await scene.openSignedIn('')
    const { page } = account
    const { runtimeId } = await scene.deployedRuntime(account)
    await page.goto(`${scene.url}/dashboard/executions`)
    await page.getByText('Nothing ran yet').waitFor()
    await askTimes(account, runtimeId, 1)
    // The page asks by itself every few seconds.
    await page.getByRole('row', { name: /completed/ }).waitFor()

    await page.getByRole('button', { name: 'Live' }).click()
    await askTimes(account, runtimeId, 51)
    await page.reload()
    await page.getByRole('button', { name: 'Show earlier ones' }).click()
    await expect.poll(() => page.getByRole('row', { name: /completed/ }).count(), { timeout: 20_000 }).toBe(52)

    await page.getByLabel('Status').selectOption('failed')
    await page.getByText('Nothing matches these filters').waitFor()
    expect(new URL(page.url()).searchParams.get('status')).toBe('failed')
    await page.goBack()
    await page
      .getByRole('row', { name: /completed/ })
      .first()
      .waitFor()
    await page.goto(`${scene.url}/dashboard/executions?status=running&runtimeId=${runtimeId}`)
    await page.getByText('Nothing matches these filters').waitFor()
    expect(await page.getByLabel('Status').inputValue()).toBe('running')
  })

  test('a failed call is told in plain words, with the likely fix', async () => {
    const account = await scene.openSignedIn('')
    const { page } = account
    const { runtimeId } = await scene.deployedRuntime(account)
    scene.endpoint.trust({ secrets: ['another secret altogether'] })
    const { executionId } = await ask(account, runtimeId, 'search products for mug')
    await page.goto(`${scene.url}/dashboard/executions/${executionId}`)
    await page.getByRole('alert').getByText('The endpoint answered with status 401.').waitFor()
    await page.getByText('did not accept the signature').waitFor()
    await page.getByRole('link', { name: 'search-products' }).waitFor()
  })

  test('is counted, within what the plan shows, and saved as a table', async () => {
    const account = await scene.openSignedIn('')
    const { page } = account
    const { runtimeId } = await scene.deployedRuntime(account)
    await askTimes(account, runtimeId, 3)
    await page.goto(`${scene.url}/dashboard/analytics?range=30d`)
    await page.getByText('Your plan does not look back that far.').waitFor()
    await page
      .getByRole('img', { name: /^Executions over time/ })
      .locator('svg')
      .first()
      .waitFor()
    await page.getByRole('row', { name: 'search-products 3 0' }).waitFor()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save svc-capabilities.csv' }).click()
    const lines = (await readFile(await (await saved).path(), 'utf8')).split('\r\n')
    expect(lines[0]).toBe('capability,calls,failed,p50DurationMs,p95DurationMs')
    expect(lines[1]).toMatch(/^search-products,3,0,/)
    await page.getByLabel('Range').selectOption('Last 24 hours')
    await page.getByText('Your plan does not look back that far.').waitFor({ state: 'hidden' })
  })
})

async function ask({ call }: SignedIn, runtimeId: string, content: string): Promise<{ executionId: string }> {
  const messages = [{ role: 'user', parts: [{ type: 'text', content }] }]
  const answer = await call('POST', '/v1/executions', { runtimeId, messages })
  return { executionId: '', ...Object(answer) }
}

async function askTimes(account: SignedIn, runtimeId: string, times: number): Promise<void> {
  for (let asked = 0; asked < times; asked += 1) await ask(account, runtimeId, 'search products for mug')
}
