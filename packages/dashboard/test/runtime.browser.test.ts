import { expect, test } from 'vitest'
import { CAPABILITIES, describeScreens } from './support/dashboard.ts'

describeScreens('a runtime', (scene) => {
  test('shows its capabilities in words, what it publishes, and what changed between deployments', async () => {
    const account = await scene.signIn()
    const { page } = account
    const { runtimeId, deploy } = await scene.deployedRuntime(account)
    await page.goto(`${scene.url}/dashboard/runtimes/${runtimeId}/capabilities`)
    const input = page.getByRole('region', { name: 'search-products', exact: true })
    await input.getByRole('definition').getByText('Words to look for.').waitFor()
    await input.getByText('1 character or more').waitFor()
    await input.getByRole('term').getByText('required').waitFor()

    await page.getByRole('link', { name: 'Deployments' }).click()
    await page.getByRole('row', { name: /v1 Active/ }).waitFor()
    scene.service.clock.advance(1_000)
    const [search] = CAPABILITIES
    if (!search) throw new Error('there are capabilities')
    const opening = {
      name: 'opening-hours',
      version: '1.0.0',
      description: 'Tells when the shop is open.',
      actions: [],
    }
    const source = { author: 'Ada Lovelace', commit: '1f0c7ab2'.repeat(5), dirty: true }
    await deploy({ capabilities: [{ ...search, version: '1.1.0' }, opening] }, source)
    // The page asks by itself every few seconds.
    await page.getByRole('row', { name: /v2 Active .*1f0c7ab ?Ada Lovelace/ }).waitFor()
    await page.getByText('Commit 1f0c7ab by Ada Lovelace with uncommitted changes. Deployed with svc_sk_').waitFor()
    await page.getByRole('row', { name: /v1 Superseded/ }).waitFor()
    const changes = page.getByRole('region', { name: 'Changes' })
    await changes
      .getByRole('listitem')
      .filter({ hasText: 'cancel-order' })
      .getByText('removed', { exact: true })
      .waitFor()
    await changes
      .getByRole('listitem')
      .filter({ hasText: 'opening-hours' })
      .getByText('added', { exact: true })
      .waitFor()
    const searching = changes.getByRole('listitem').filter({ hasText: 'search-products' }).first()
    await searching.getByText('JSON', { exact: true }).click()
    await searching.getByText('"version": "1.1.0"').waitFor()
    // Equal lines are folded.
    expect(await searching.getByText('minLength').count()).toBe(0)
    await searching
      .getByRole('button', { name: /equal lines/ })
      .first()
      .click()
    await searching.getByText('minLength').waitFor()
    await changes.getByText('version 1.0.0 → 1.1.0').waitFor()
    await page.getByLabel('From').selectOption({ label: 'Deployment 2 · 1f0c7ab · Ada Lovelace' })
    await changes.getByText('The two deployments are identical.').waitFor()

    // The service keeps the history, not the browser.
    await page.evaluate('localStorage.clear()')
    await page.reload()
    await page.getByRole('row', { name: /v1 Superseded/ }).waitFor()

    await page.getByRole('link', { name: 'Manifest' }).click()
    await page.getByRole('region', { name: 'The manifest' }).getByText('specVersion').waitFor()
  })

  // holds DOC-07
  test('runs the doctor, and says under a failed check what to change', async () => {
    const account = await scene.signIn()
    const { page } = account
    const { runtimeId } = await scene.deployedRuntime(account)
    // The Date header of the endpoint is the machine’s.
    scene.service.clock.advance(Date.now() - scene.service.clock.now())
    await scene.service.renew()
    await page.goto(`${scene.url}/dashboard/runtimes/${runtimeId}`)
    const doctor = page.getByRole('region', { name: 'Doctor' })
    await doctor.getByRole('button', { name: 'Run doctor' }).click()
    await doctor.getByText('The endpoint passes every check.').waitFor()
    await doctor.getByText('replay: A call that is sent again is refused.').waitFor()
    scene.endpoint.trust({ secrets: ['another'] })
    await doctor.getByRole('button', { name: 'Run doctor' }).click()
    await doctor.getByRole('alert').getByText('Give the endpoint this runtime’s id and signing secret').waitFor()
    await doctor.getByText('The endpoint passes every check.').waitFor({ state: 'detached' })
  })

  test('takes origins with the service’s own words for those that are none', async () => {
    const account = await scene.signIn()
    const { page } = account
    const { runtimeId } = await scene.deployedRuntime(account)
    await page.goto(`${scene.url}/dashboard/runtimes/${runtimeId}/origins`)
    await page.getByLabel('Origins, one per line').fill('https://shop.example.com\nhttps://shop.example.com/cart')
    await page.getByRole('button', { name: 'Save origins' }).click()
    await page
      .getByText('“https://shop.example.com/cart” is not a bare origin: use “https://shop.example.com”.')
      .waitFor()
    await page.getByLabel('Origins, one per line').fill('https://shop.example.com\nhttps://www.example.com')
    await page.getByRole('button', { name: 'Save origins' }).click()
    await page.getByText('Origins saved.').first().waitFor()
    const runtime = await account.call('GET', `/v1/runtimes/${runtimeId}`)
    expect(runtime).toMatchObject({ allowedOrigins: ['https://shop.example.com', 'https://www.example.com'] })
  })

  test('has its keys revealed, rotated with a countdown, and ended behind a typed confirmation', async () => {
    const account = await scene.signIn()
    const { page } = account
    await page.clock.install()
    const { runtimeId, deployKey } = await scene.deployedRuntime(account)
    const status = async () => (await scene.service.send('GET', '/v1/runtime/status', { key: deployKey })).statusCode
    await page.goto(`${scene.url}/dashboard/runtimes/${runtimeId}/keys`)
    const card = page.getByRole('region', { name: 'Deploy key' })
    await card.getByRole('button', { name: 'Reveal' }).click()
    await card.getByText(deployKey).waitFor()

    await card.getByRole('button', { name: 'Rotate' }).click()
    await page.getByLabel('Keep the previous one valid for').selectOption('1 hour')
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
    await card
      .getByRole('timer')
      .getByText(/The previous one is valid for another (59 min|1 h)/)
      .waitFor()
    expect(await card.locator('pre').innerText()).not.toBe(deployKey)
    expect(await status()).toBe(200)
    await page.reload()
    await card.getByRole('timer').waitFor()
    await page.clock.fastForward('30:00')
    await card
      .getByRole('timer')
      .getByText(/for another 2\d min/)
      .waitFor()

    await card.getByRole('button', { name: 'Revoke' }).click()
    const confirm = page.getByRole('button', { name: 'Revoke key' })
    expect(await confirm.isDisabled()).toBe(true)
    await page.getByLabel('Type Mug shop to confirm').fill('Mug shop')
    await confirm.click()
    await card.getByText('revoked').waitFor()
    expect(await status()).toBe(401)

    const secret = page.getByRole('region', { name: 'Signing secret' })
    await secret.getByRole('button', { name: 'Rotate secret' }).click()
    await page.getByLabel('Type Mug shop to confirm').fill('Mug shop')
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click()
    await secret.getByText('It is shown only once').waitFor()
    await secret.getByRole('timer').waitFor()

    // The shown one is what calls are signed with: a server that knows it alone takes them.
    scene.endpoint.trust({ secrets: [(await secret.locator('pre').innerText()).trim()] })
    const messages = [{ role: 'user', parts: [{ type: 'text', content: 'search products for mug' }] }]
    const executed = await account.call('POST', '/v1/executions', { runtimeId, messages })
    expect(JSON.stringify(executed)).toContain('Blue mug')
  })
})
