import { expect, test } from 'vitest'
import { deployBody, PASSWORD } from '../../server/test/support/service.ts'
import { DEPLOY_STEPS } from '../src/routes/runtimes/deploy-steps.ts'
import { CAPABILITIES, describeScreens } from './support/dashboard.ts'

describeScreens('an owner with an empty account', (scene) => {
  test('is led from sign-up to the first answered question and its trace', async () => {
    const page = await scene.open('')
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    await page.getByRole('link', { name: 'Sign up' }).click()
    await page.getByLabel('E-mail').fill('nobody')
    await page.getByLabel('Password').fill('short')
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.getByText('E-mail must be an e-mail address.').waitFor()
    await page.getByText('Password must have 10 to 128 characters.').waitFor()
    await page.getByLabel('E-mail').fill('first@example.com')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign up' }).click()

    await page.getByRole('link', { name: 'Create your first runtime' }).click()
    await page.getByLabel('Name').fill('Mug shop')
    await page.getByLabel('Endpoint').fill('http://shop.example.com/svc')
    await page.getByRole('button', { name: 'Create runtime' }).click()
    await page.getByText('Endpoint must').waitFor()
    await page.getByLabel('Endpoint').fill(scene.endpoint.url)
    await page.getByRole('button', { name: 'Create runtime' }).click()

    await page.getByRole('heading', { name: 'Runtime created' }).waitFor()
    const lines = await page.locator('pre', { hasText: 'SVC_API_KEY=' }).first().innerText()
    const env = new Map(lines.split('\n').map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)]))
    expect([...env.keys()]).toEqual([
      'SVC_BASE_URL',
      'SVC_RUNTIME_ID',
      'SVC_API_KEY',
      'SVC_PUBLIC_KEY',
      'SVC_RUNTIME_SECRET',
    ])
    expect(env.get('SVC_BASE_URL')).toBe(scene.url)
    // Not copied yet: a reload does not lose the secret.
    await page.reload()
    await page.locator('pre', { hasText: `SVC_RUNTIME_SECRET=${env.get('SVC_RUNTIME_SECRET')}` }).waitFor()
    const shown = await page.getByRole('region', { name: '2. Deploy' }).locator('pre').allInnerTexts()
    expect(shown.map((text) => text.trim().split('\n'))).toEqual(DEPLOY_STEPS.map(({ commands }) => commands))
    const tag = await page.getByRole('region', { name: '4. Put the chat on your page' }).locator('pre').innerText()
    expect(tag).toContain(`src="${scene.url}/widget.js"`)
    expect(tag).toContain(`public-key="${env.get('SVC_PUBLIC_KEY')}"`)
    await page.getByText('Waiting for the first deployment').waitFor()

    scene.endpoint.trust({ runtimeId: env.get('SVC_RUNTIME_ID') ?? '', secrets: [env.get('SVC_RUNTIME_SECRET') ?? ''] })
    const body = deployBody({ capabilities: CAPABILITIES })
    await scene.service.send('POST', '/v1/deployments', { key: env.get('SVC_API_KEY') ?? '', body })
    await page.getByText('Deployment 1 is active, with 2 capabilities.').waitFor()

    await page.getByLabel('Your question').fill('search products for mug')
    await page.getByRole('button', { name: 'Ask' }).click()
    await page.getByText('Blue mug').waitFor()
    await page.getByRole('link', { name: 'View trace' }).click()

    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    await page.getByText('Model, step 2').waitFor()
    await page.getByRole('region', { name: 'Input of search-products' }).getByText('query:').waitFor()
    await page.getByRole('region', { name: 'Output of search-products' }).getByText('"Blue mug"').waitFor()
    expect(await page.getByRole('listitem').filter({ hasText: 'Assistant' }).count()).toBe(2)
    expect(await page.getByText('search products for mug').count()).toBe(0)
  })

  test('logs out, is brought back to where it wanted to go, changes the password and makes keys', async () => {
    const { page, email, call } = await scene.openSignedIn('')
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    await page.goto(`${scene.url}/dashboard/account`)
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill('something else')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('alert').getByText('is not right').waitFor()
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Log in' }).click()

    await page.getByRole('heading', { name: 'Account', exact: true }).waitFor()

    // A session that ends while a page is open: to the sign-in page, and from there to the page that was asked for.
    await call('POST', '/v1/auth/sign-out')
    await page.getByRole('link', { name: 'Billing' }).click()
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'Billing' }).waitFor()
    await page.getByRole('link', { name: 'Account' }).click()
    await page.getByLabel('Current password').fill('not this one')
    await page.getByLabel('New password').fill('another good one')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page
      .getByText(/password is not|not right|is not the/)
      .first()
      .waitFor()
    await page.getByLabel('Current password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Password changed.').first().waitFor()

    await page.getByLabel('Name of a new key').fill('Nightly build')
    await page.getByRole('button', { name: 'Create key' }).click()
    const key = await page.locator('pre', { hasText: 'svc_ak_' }).innerText()
    const account = await scene.service.send('GET', '/v1/account', { key: key.trim() })
    expect(account.json()).toMatchObject({ email })
    await page.getByRole('button', { name: 'Revoke the key Nightly build' }).click()
    await page.getByLabel('Type Nightly build to confirm').fill('Nightly')
    expect(await page.getByRole('button', { name: 'Revoke key', exact: true }).isDisabled()).toBe(true)
    await page.getByLabel('Type Nightly build to confirm').fill('Nightly build')
    await page.getByRole('button', { name: 'Revoke key', exact: true }).click()
    await page.getByText('Revoked', { exact: true }).waitFor()
    expect((await scene.service.send('GET', '/v1/account', { key: key.trim() })).statusCode).toBe(401)
  })
})
