import { expect, test } from 'vitest'
import { accessibilityFaults, describeScreens } from './support/dashboard.ts'

const TABS = ['', '/capabilities', '/deployments', '/try', '/origins', '/keys', '/manifest']

describeScreens('every screen', (scene) => {
  test.each([
    ['light', 1440],
    ['dark', 1440],
    ['dark', 390],
    ['light', 1024],
  ] as const)('has no fault that axe knows and fits, %s, %i pixels wide', async (colorScheme, width) => {
    const account = await scene.openSignedIn('', { colorScheme, viewport: { width, height: 900 } })
    const { page, call } = account
    expect(await faultsOf()).toEqual([])
    const { runtimeId } = await scene.deployedRuntime(account)
    const messages = [{ role: 'user', parts: [{ type: 'text', content: 'cancel order number 1234' }] }]
    const { executionId } = {
      executionId: '',
      ...Object(await call('POST', '/v1/executions', { runtimeId, messages })),
    }
    const screens = [
      '',
      '/runtimes/new',
      ...TABS.map((tab) => `/runtimes/${runtimeId}${tab}`),
      '/executions',
      `/executions/${executionId}`,
      '/analytics',
      '/projects',
      '/billing',
      '/account',
      '/nothing/here',
    ]
    for (const path of screens) {
      await page.goto(`${scene.url}/dashboard${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count(), { timeout: 20_000 }).toBe(0)
      expect([path, await faultsOf()]).toEqual([path, []])
    }

    async function faultsOf(): Promise<string[]> {
      const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
      return [...(await accessibilityFaults(page)), ...(isWide === true ? ['it is wider than the window'] : [])]
    }
  })

  test('can be used without a mouse: past the menu, through a dialog and back', async () => {
    const account = await scene.openSignedIn('/projects')
    const { page } = account
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    await page.keyboard.press('Tab')
    await page.getByRole('link', { name: 'Skip to the content' }).press('Enter')
    await page.keyboard.press('Tab')
    const opener = page.getByRole('button', { name: 'New project' })
    expect(await opener.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await opener.evaluate((element) => element === document.activeElement)).toBe(true)
  })
})
