import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { describeScreens } from './support/dashboard.ts'

const PATIENTLY = { timeout: 20_000 }

describeScreens('the settings of a runtime', (scene) => {
  test('what is being typed stays when a deployment changes the rest meanwhile', async () => {
    const account = await scene.signIn()
    const { page, call } = account
    const { runtimeId, deploy } = await scene.deployedRuntime(account)
    await page.clock.install()
    await page.goto(`${scene.url}/dashboard/runtimes/${runtimeId}/settings`)
    await page.getByLabel('Name').fill('Cup shop')
    await deploy({ endpoint: 'https://cups.example.com/svc' })
    // The page asks for the runtime every few seconds.
    await page.clock.fastForward('00:10')
    await expect.poll(() => page.getByLabel('Endpoint').inputValue(), PATIENTLY).toBe('https://cups.example.com/svc')
    expect(await page.getByLabel('Name').inputValue()).toBe('Cup shop')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Cup shop', level: 1 }).waitFor()
    expect(await call('GET', `/v1/runtimes/${runtimeId}`)).toMatchObject({
      name: 'Cup shop',
      endpoint: 'https://cups.example.com/svc',
    })

    await page.getByRole('link', { name: 'Origins' }).click()
    await page.getByLabel('Origins, one per line').fill('https://cups.example.com')
    const origins = { origins: ['https://elsewhere.example.com'] }
    await call('PUT', `/v1/runtimes/${runtimeId}/allowed-origins`, origins)
    const heard = page.waitForResponse(async (answer) => (await answer.text()).includes('elsewhere.example.com'))
    await page.clock.fastForward('00:10')
    await heard
    expect(await page.getByLabel('Origins, one per line').inputValue()).toBe('https://cups.example.com')
  })

  test('what is typed while they are saved stays, and what was saved is shown without being asked for', async () => {
    const account = await scene.signIn()
    const { page } = account
    const { runtimeId } = await scene.deployedRuntime(account)
    await page.goto(`${scene.url}/dashboard/runtimes/${runtimeId}/settings`)
    await page.getByLabel('Name').fill('Cup shop')
    const saving = await holdSaving(page, '**/v1/runtimes')
    await page.getByRole('button', { name: 'Save' }).click()
    await saving.hasBegun
    await page.getByLabel('Endpoint').fill('https://cups.example.com/svc')
    saving.letGo()
    await page.getByRole('heading', { name: 'Cup shop', level: 1 }).waitFor()
    expect(await page.getByLabel('Name').inputValue()).toBe('Cup shop')
    expect(await page.getByLabel('Endpoint').inputValue()).toBe('https://cups.example.com/svc')

    await page.getByRole('link', { name: 'Origins' }).click()
    await page.getByLabel('Origins, one per line').fill('https://cups.example.com')
    const savingOrigins = await holdSaving(page, '**/allowed-origins')
    await page.getByRole('button', { name: 'Save origins' }).click()
    await savingOrigins.hasBegun
    const typed = 'https://cups.example.com\nhttps://mugs.example.com'
    await page.getByLabel('Origins, one per line').fill(typed)
    savingOrigins.letGo()
    await page.getByText('Origins saved.').first().waitFor()
    await page.getByRole('button', { name: 'Save origins', disabled: false }).waitFor()
    expect(await page.getByLabel('Origins, one per line').inputValue()).toBe(typed)
  })

  test('an endpoint that was emptied is not saved in silence', async () => {
    const account = await scene.signIn()
    const { page } = account
    const { runtimeId } = await scene.deployedRuntime(account)
    await page.goto(`${scene.url}/dashboard/runtimes/${runtimeId}/settings`)
    await page.getByLabel('Endpoint').fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/^Endpoint must/).waitFor()
    expect(await page.getByText('Saved.').count()).toBe(0)
    expect(await account.call('GET', `/v1/runtimes/${runtimeId}`)).toMatchObject({ endpoint: scene.endpoint.url })
  })

  test('a new key, secret or account key is shown whatever becomes of the lists around it', async () => {
    const account = await scene.signIn()
    const { page } = account
    const { runtimeId, deployKey } = await scene.deployedRuntime(account)
    await page.goto(`${scene.url}/dashboard/runtimes/${runtimeId}/keys`)
    const [key, secret] = ['Deploy key', 'Signing secret'].map((name) => page.getByRole('region', { name }))
    await key?.getByRole('button', { name: 'Rotate' }).waitFor()
    await page.route(/\/v1\/(runtimes|account\/keys)/, (route) =>
      // Never answered: as on a train.
      route.request().method() === 'GET' ? undefined : route.continue(),
    )
    await key?.getByRole('button', { name: 'Rotate' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
    await key?.locator('pre').waitFor()
    expect(await key?.locator('pre').innerText()).not.toBe(deployKey)

    await secret?.getByRole('button', { name: 'Rotate secret' }).click()
    await page.getByLabel('Type Mug shop to confirm').fill('Mug shop')
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click()
    await secret?.locator('pre').waitFor()

    await page.getByRole('link', { name: 'Account' }).click()
    await page.getByLabel('Name of a new key').fill('Nightly build')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.locator('pre', { hasText: 'svc_ak_' }).waitFor()
  })
})

/** Holds what saves at `address`; from when it is let go on, runtimes cannot be asked for any more. */
async function holdSaving(page: Page, address: string): Promise<{ hasBegun: Promise<void>; letGo: () => void }> {
  let [begin, letGo] = [() => {}, () => {}]
  const hasBegun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const isLetGo = new Promise<void>((resolve) => {
    letGo = resolve
  })
  await page.route(address, async (route) => {
    if (route.request().method() === 'GET') return route.fallback()
    begin()
    await isLetGo
    await page.route(/\/v1\/runtimes/, (other) =>
      other.request().method() === 'GET' ? other.abort() : other.fallback(),
    )
    return route.continue()
  })
  return { hasBegun, letGo: () => letGo() }
}
