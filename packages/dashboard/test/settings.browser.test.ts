import { expect, test } from 'vitest'
import { describeScreens } from './support/dashboard.ts'

const PATIENTLY = { timeout: 20_000 }

describeScreens('the settings of a runtime', (scene) => {
  test('what is being typed stays when a deployment changes the rest meanwhile', async () => {
    const account = await scene.openSignedIn('')
    const { page, call } = account
    const { runtimeId, deploy } = await scene.deployedRuntime(account)
    await page.clock.install()
    await page.goto(`${scene.url}/dashboard/runtimes/${runtimeId}`)
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
    await page.getByLabel('Origins, one a line').fill('https://cups.example.com')
    const origins = { origins: ['https://elsewhere.example.com'] }
    await call('PUT', `/v1/runtimes/${runtimeId}/allowed-origins`, origins)
    const heard = page.waitForResponse(async (answer) => (await answer.text()).includes('elsewhere.example.com'))
    await page.clock.fastForward('00:10')
    await heard
    expect(await page.getByLabel('Origins, one a line').inputValue()).toBe('https://cups.example.com')
  })

  test('an endpoint that was emptied is not saved in silence', async () => {
    const account = await scene.openSignedIn('')
    const { page } = account
    const { runtimeId } = await scene.deployedRuntime(account)
    await page.goto(`${scene.url}/dashboard/runtimes/${runtimeId}`)
    await page.getByLabel('Endpoint').fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/^Endpoint must/).waitFor()
    expect(await page.getByText('Saved.').count()).toBe(0)
    expect(await account.call('GET', `/v1/runtimes/${runtimeId}`)).toMatchObject({ endpoint: scene.endpoint.url })
  })

  test('a new key, secret or account key is shown whatever becomes of the lists around it', async () => {
    const account = await scene.openSignedIn('')
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

    await secret?.getByRole('button', { name: 'Rotate the secret' }).click()
    await page.getByLabel('Type Mug shop to confirm').fill('Mug shop')
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate the secret' }).click()
    await secret?.locator('pre').waitFor()

    await page.getByRole('link', { name: 'Account' }).click()
    await page.getByLabel('Name of a new key').fill('Nightly build')
    await page.getByRole('button', { name: 'Make a key' }).click()
    await page.locator('pre', { hasText: 'svc_ak_' }).waitFor()
  })
})
