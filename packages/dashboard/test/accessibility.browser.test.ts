import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { accessibilityFaults, describeScreens, show } from './support/dashboard.ts'

const TABS = ['', '/capabilities', '/deployments', '/try', '/connect', '/origins', '/keys', '/manifest', '/settings']

describeScreens('every screen', (scene) => {
  test('of a runtime has no fault that axe knows in either theme, and fits at any width', async () => {
    const account = await scene.openSignedIn('')
    const { runtimeId } = await scene.deployedRuntime(account)
    await expectNoFaults(
      account.page,
      TABS.map((tab) => `/runtimes/${runtimeId}${tab}`),
    )
  })

  test('of what ran, and of an address that is nowhere, has none either', async () => {
    const account = await scene.openSignedIn('')
    const { runtimeId } = await scene.deployedRuntime(account)
    const messages = [{ role: 'user', parts: [{ type: 'text', content: 'cancel order number 1234' }] }]
    const { executionId } = {
      executionId: '',
      ...Object(await account.call('POST', '/v1/executions', { runtimeId, messages })),
    }
    const ran = ['', '/executions', `/executions/${executionId}`, '/analytics']
    await expectNoFaults(account.page, [...ran, '/runtimes/rt_unknown', '/executions/exec_unknown', '/nothing/here'])
  })

  test('of an account has none either', async () => {
    const { page } = await scene.openSignedIn('')
    expect(await faultsByWidth(page)).toEqual([])
    const device = await scene.service.send('POST', '/v1/auth/device', { body: { machine: 'ada-laptop' } })
    const devices = ['/device', `/device?code=${device.json().userCode}`, '/device?code=BBBB-BBBB']
    await expectNoFaults(page, [
      '/runtimes/new',
      '/projects',
      '/members',
      '/events',
      '/webhooks',
      '/billing',
      '/account',
      ...devices,
    ])
  })

  async function expectNoFaults(page: Page, paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      await show(page, path)
      expect([path, await faultsByWidth(page)]).toEqual([path, []])
    }
  }

  test('without a session has none either', async () => {
    const page = await scene.open('/sign-in')
    // A screen between the last two: to change what follows “#” alone shows nothing anew.
    for (const path of ['/sign-in', '/new-password', '/forgot-password', '/new-password#token']) {
      await show(page, path)
      expect([path, await faultsByWidth(page)]).toEqual([path, []])
    }
  })
})

// One page load for all widths: what axe finds differs from one layout to the next, and 1024 has that of 1440. Colours are the
// same at any width.
async function faultsByWidth(page: Page): Promise<string[]> {
  const faults: string[] = []
  for (const width of [1440, 1024, 390]) {
    await page.setViewportSize({ width, height: 900 })
    // A chart is drawn anew in a frame after the window has changed.
    // `waitForFunction` would evaluate text in the page, which its policy refuses.
    const isWide = await expect
      .poll(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth'), { timeout: 10_000 })
      .toBe(true)
      .then(
        () => false,
        () => true,
      )
    const found = width === 1024 ? [] : await accessibilityFaults(page, width === 390 ? 'all but colours' : 'all')
    faults.push(...[...found, ...(isWide ? ['it is wider than the window'] : [])].map((fault) => `${width}: ${fault}`))
  }
  return [...faults, ...(await darkFaults(page))]
}

// The themes differ in colours alone.
async function darkFaults(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'dark' })
  const faults = await accessibilityFaults(page, 'colours')
  await page.emulateMedia({ colorScheme: 'light' })
  return faults.map((fault) => `dark: ${fault}`)
}

describeScreens('a screen in use', (scene) => {
  test('dialogs, the first steps and a talk have none either', async () => {
    const account = await scene.openSignedIn('/runtimes/new')
    const { page } = account
    const expectNoFaults = async () => {
      expect([...(await accessibilityFaults(page)), ...(await darkFaults(page))]).toEqual([])
    }
    await page.getByLabel('Name').fill('Mug shop')
    await page.getByRole('button', { name: 'Create runtime' }).click()
    await page.getByText('Waiting for the first deployment').waitFor()
    await expectNoFaults()

    await page.getByRole('link', { name: 'Open the runtime' }).click()
    await page.getByRole('link', { name: 'Keys' }).first().click()
    const key = page.getByRole('region', { name: 'Deploy key' })
    await key.getByRole('button', { name: 'Rotate' }).click()
    await page.getByRole('dialog').waitFor()
    await expectNoFaults()
    await page.keyboard.press('Escape')
    await key.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').waitFor()
    await expectNoFaults()
    await page.keyboard.press('Escape')

    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Go to' }).fill('mug try')
    await page.getByRole('option', { name: 'Mug shop: Try it' }).waitFor()
    await expectNoFaults()
    await page.keyboard.press('Enter')
    await page.getByLabel('Your question').fill('What can you do?')
    await page.getByRole('button', { name: 'Ask' }).click()
    await page.getByRole('link', { name: 'View trace' }).waitFor()
    await expectNoFaults()
  })

  test('keeps the theme that was chosen, whatever the system says', async () => {
    const { page } = await scene.openSignedIn('', { colorScheme: 'light' })
    const brightness = () =>
      page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g)?.map(Number)[0] ?? -1)
    expect(await brightness()).toBeGreaterThan(200)
    await page.getByRole('radio', { name: 'Dark' }).check({ force: true })
    expect(await brightness()).toBeLessThan(60)
    await page.reload()
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await brightness()).toBeLessThan(60)
    await page.getByRole('radio', { name: 'System' }).check({ force: true })
    expect(await brightness()).toBeGreaterThan(200)
  })

  test('a service that does not answer is a sentence with a way on', async () => {
    const { page } = await scene.signIn()
    await page.route('**/v1/billing/usage', (route) => route.abort())
    // Loaded anew: what Home has read is still held.
    await page.goto(`${scene.url}/dashboard/billing`)
    await page.getByRole('status', { name: 'Loading' }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('alert').getByText('The service cannot be reached.').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    // What stands around the screen stays, with a banner.
    await page.getByRole('note').getByText('What you see may be out of date.').waitFor()
    await page.unroute('**/v1/billing/usage')
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByText('200 of 200 left').waitFor()
    await page.getByText('What you see may be out of date.').waitFor({ state: 'detached' })
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
