import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { describeScreens } from './support/dashboard.ts'

const PATIENTLY = { timeout: 20_000 }
const MINUTE_MS = 60_000

describeScreens('what stands around every screen', (scene) => {
  test('a chosen project goes along with links, buttons and filters, until all are chosen again', async () => {
    const account = await scene.openSignedIn('')
    const { page, call } = account
    await scene.deployedRuntime(account)
    const { projectId } = { projectId: '', ...Object(await call('POST', '/v1/projects', { name: 'Staging' })) }
    const chosen = () => new URL(page.url()).searchParams.get('project')
    await page.goto(`${scene.url}/dashboard/`)
    await page.getByRole('combobox', { name: 'Project' }).selectOption('Staging')
    await page.getByText('No runtimes in this project').waitFor()
    await page.getByRole('link', { name: 'New runtime' }).first().click()
    await page.getByRole('heading', { name: 'New runtime' }).waitFor()
    await expect.poll(() => page.getByRole('main').getByLabel('Project').inputValue(), PATIENTLY).toBe(projectId)

    await page.getByRole('link', { name: 'Executions' }).click()
    // It is the project that nothing ran in.
    await page.getByText('No executions match these filters').waitFor()
    expect(await page.getByLabel('Runtime').getByRole('option').allInnerTexts()).toEqual(['All'])
    await page.getByLabel('Status').selectOption('failed')
    await expect.poll(() => new URL(page.url()).searchParams.get('status'), PATIENTLY).toBe('failed')
    expect(chosen()).toBe(projectId)
    await page.getByRole('button', { name: 'Clear' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('status'), PATIENTLY).toBeNull()
    expect(chosen()).toBe(projectId)
    await page.getByRole('link', { name: 'Analytics' }).click()
    await page.getByLabel('Range').selectOption('Last 24 hours')
    await expect.poll(() => new URL(page.url()).searchParams.get('range'), PATIENTLY).toBe('24h')
    expect(chosen()).toBe(projectId)

    await page.getByRole('combobox', { name: 'Project' }).selectOption('All projects')
    await expect.poll(chosen, PATIENTLY).toBeNull()
    await page.getByRole('link', { name: 'Home' }).click()
    await page.getByRole('combobox', { name: 'Project' }).selectOption('Default')
    await page.getByRole('link', { name: 'Mug shop' }).click()
    await page.getByRole('main').getByRole('link', { name: 'Executions' }).click()
    await page.getByText('No executions match these filters').waitFor()
    expect(chosen()).toMatch(/^proj_/)
    expect(await page.getByLabel('Runtime').getByRole('option').allInnerTexts()).toEqual(['All', 'Mug shop'])
  })

  test('stands around an unknown address, too', async () => {
    const { page } = await scene.openSignedIn('/runtimes/rt_1/nothing/here')
    await page.getByRole('heading', { name: 'Not found', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'Executions' }).click()
    await page.getByRole('heading', { name: 'Executions', level: 1 }).waitFor()
  })

  test('the menu of a narrow window closes on Escape, on the present screen’s entry, and behind the focus', async () => {
    const { page } = await scene.openSignedIn('/projects', { viewport: { width: 390, height: 800 } })
    const opener = page.getByRole('button', { name: 'the menu' })
    const isOpen = async () => (await opener.getAttribute('aria-expanded')) === 'true'
    await opener.click()
    await page.getByRole('link', { name: 'Billing' }).focus()
    expect(await isOpen()).toBe(true)
    await page.keyboard.press('Escape')
    await expect.poll(isOpen, PATIENTLY).toBe(false)
    await expect.poll(() => opener.evaluate((element) => element === document.activeElement), PATIENTLY).toBe(true)

    await opener.click()
    await page.getByRole('link', { name: 'Projects' }).click()
    await expect.poll(isOpen, PATIENTLY).toBe(false)

    await opener.click()
    await page.getByRole('button', { name: 'New project' }).focus()
    await expect.poll(isOpen, PATIENTLY).toBe(false)
  })

  test('a menu opened while the account loads stays open, with its focus, when the account is there', async () => {
    const { page } = await scene.signIn({ viewport: { width: 390, height: 800 } })
    let letGo = () => {}
    const isLetGo = new Promise<void>((resolve) => {
      letGo = resolve
    })
    await page.route('**/v1/account', async (route) => {
      await isLetGo
      await route.continue()
    })
    await page.goto(`${scene.url}/dashboard/projects`)
    await page.getByRole('button', { name: 'Open the menu' }).click()
    const entry = page.getByRole('link', { name: 'Billing' })
    await entry.focus()
    letGo()
    await page.getByRole('heading', { name: 'Projects', includeHidden: true }).waitFor({ state: 'attached' })
    await page.getByRole('button', { name: 'Close the menu' }).waitFor()
    expect(await entry.evaluate((element) => element === document.activeElement)).toBe(true)
  })

  test('a log-out that failed is said, and can be tried again', async () => {
    const { page } = await scene.openSignedIn('')
    await page.route('**/v1/auth/sign-out', (route) => route.abort())
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByRole('alert').getByText('You are still logged in.').waitFor()
    await page.unroute('**/v1/auth/sign-out')
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
  })

  test('times are those of now where the screen before showed none', async () => {
    const account = await scene.signIn()
    const { page } = account
    await page.clock.install()
    await page.goto(`${scene.url}/dashboard/projects`)
    await page.getByRole('cell', { name: /ago|just now/ }).waitFor()
    await page.getByRole('link', { name: 'Account' }).click()
    await page.getByText('No API keys').waitFor()
    // From here on no second passes by itself.
    await page.clock.pauseAt(Date.now() + 10 * MINUTE_MS)
    await page.getByRole('link', { name: 'Projects' }).click()
    await expect.poll(() => settled(page), PATIENTLY).toMatch(/\d min ago/)
  })
})

// Far less than a second each time: what is read was right from the start.
async function settled(page: Page): Promise<string> {
  await page.clock.runFor(1)
  const cells = await page.getByRole('cell', { name: /ago|just now/ }).allInnerTexts()
  return cells.join()
}
