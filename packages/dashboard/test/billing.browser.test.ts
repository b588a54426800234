import { expect, test } from 'vitest'
import { describeScreens } from './support/dashboard.ts'

describeScreens('plans and projects', (scene) => {
  test('an upgrade goes through the payment page and back, and what it allows is there at once', async () => {
    const account = await scene.openSignedIn('/billing')
    const { page } = account
    await page.getByText('200 of 200 left').waitFor()
    await page.getByRole('button', { name: 'Upgrade to Pro' }).click()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('The payment was cancelled.').waitFor()

    await page.getByRole('button', { name: 'Upgrade to Pro' }).click()
    await page.getByRole('button', { name: 'Confirm test payment' }).click()
    await page.getByText('Payment confirmed. You are on the Pro plan.').waitFor()
    await page.getByText('Pro plan', { exact: true }).waitFor()
    await page.getByText('48,000 of 48,000 left').waitFor()
    expect(await page.getByRole('button', { name: 'Upgrade to Pro' }).count()).toBe(0)
    expect(await account.call('GET', '/v1/account')).toMatchObject({ tier: 'pro' })
  })

  test('a second runtime on the free plan is refused, with the way to the plans', async () => {
    const account = await scene.signIn()
    const { page } = account
    await scene.deployedRuntime(account)
    await page.goto(`${scene.url}/dashboard/runtimes/new`)
    await page.getByLabel('Name').fill('Second shop')
    await page.getByRole('button', { name: 'Create runtime' }).click()
    await page.getByRole('alert').getByRole('link', { name: 'View plans' }).click()
    await page.getByRole('heading', { name: 'Billing' }).waitFor()
  })

  test('a project is made, renamed and switched to', async () => {
    const account = await scene.signIn()
    const { page } = account
    await scene.deployedRuntime(account)
    await page.goto(`${scene.url}/dashboard/projects`)
    await page.getByRole('button', { name: 'New project' }).click()
    await page.getByRole('button', { name: 'Create project' }).click()
    await page.getByText('Name must').waitFor()
    await page.getByRole('dialog').getByLabel('Name').fill('Staging')
    await page.getByRole('button', { name: 'Create project' }).click()
    await page.getByRole('button', { name: 'Rename Staging' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Test shops')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: /Test shops/ }).waitFor()

    await page.getByRole('link', { name: 'Home' }).click()
    await page.getByRole('link', { name: 'Mug shop' }).waitFor()
    await page.getByRole('combobox', { name: 'Project' }).selectOption('Test shops')
    await page.getByText('No runtimes in this project').waitFor()
    expect(new URL(page.url()).searchParams.get('project')).toMatch(/^proj_/)
    await page.getByRole('combobox', { name: 'Project' }).selectOption('All projects')
    await page.getByRole('link', { name: 'Mug shop' }).waitFor()
  })
})
