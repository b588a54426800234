import { expect, test } from 'vitest'
import { PASSWORD } from '../../server/test/support/service.ts'
import { accessibilityFaults, describeScreens } from './support/dashboard.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

describeScreens('what cannot be undone', (scene) => {
  test('a runtime is deleted once its name is typed, and is gone from the list', async () => {
    const account = await scene.signIn()
    const { page, call } = account
    const { runtimeId } = await scene.deployedRuntime(account)
    await page.goto(`${scene.url}/dashboard/runtimes/${runtimeId}/settings`)
    await page.getByRole('region', { name: 'Danger zone' }).getByRole('button', { name: 'Delete runtime' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete runtime' })
    await dialog.getByText('all deployments, executions').waitFor()
    const button = dialog.getByRole('button', { name: 'Delete runtime' })
    await dialog.getByLabel('Type Mug shop to confirm').fill('mug shop')
    expect(await button.isDisabled()).toBe(true)
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByLabel('Type Mug shop to confirm').fill('Mug shop')
    await button.click()
    await page.getByText('Runtime “Mug shop” deleted.').first().waitFor()
    await page.getByRole('heading', { name: 'Welcome' }).waitFor()
    expect(await call('GET', '/v1/runtimes')).toMatchObject({ runtimes: [] })
  })

  test('an empty project is deleted; one with runtimes says what to do first', async () => {
    const account = await scene.signIn()
    const { page, call } = account
    const { runtimeId } = await scene.deployedRuntime(account)
    for (const name of ['Empty', 'Used']) await call('POST', '/v1/projects', { name })
    const { projects } = (await call('GET', '/v1/projects')) as { projects: { projectId: string; name: string }[] }
    const projectId = projects.find(({ name }) => name === 'Used')?.projectId
    await call('POST', '/v1/runtimes', { runtimeId, name: 'Mug shop', projectId })
    await page.goto(`${scene.url}/dashboard/projects`)
    await page.getByRole('button', { name: 'Delete Used' }).click()
    await page.getByText('“Used” has 1 runtime.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('button', { name: 'Delete Empty' }).click()
    await page.getByLabel('Type Empty to confirm').fill('Empty')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete project' }).click()
    await page.getByText('Project “Empty” deleted.').first().waitFor()
    expect(await page.getByRole('button', { name: 'Delete Default' }).count()).toBe(0)
  })

  test('sessions are listed, and revoked one by one or all at once', async () => {
    const { page, email } = await scene.openSignedIn('')
    const signIn = (userAgent: string) =>
      scene.service.inject({
        method: 'POST',
        url: '/v1/auth/sign-in',
        payload: { email, password: PASSWORD },
        headers: { 'user-agent': userAgent },
      })
    for (const userAgent of [FIREFOX, 'curl/8', 'curl/8']) await signIn(userAgent)
    await page.getByRole('link', { name: 'Account' }).click()
    const sessions = page.getByRole('region', { name: 'Sessions', exact: true })
    await sessions.getByText('This session').waitFor()
    await sessions.getByRole('button', { name: 'Revoke the session Firefox on Linux' }).click()
    await page.getByText('Session revoked.').first().waitFor()
    await expect.poll(() => sessions.getByText('Firefox on Linux').count()).toBe(0)
    expect(await accessibilityFaults(page)).toEqual([])
    await sessions.getByRole('button', { name: 'Revoke all others' }).click()
    await page.getByText('2 sessions revoked.').first().waitFor()
    await expect.poll(() => sessions.getByRole('button').count()).toBe(0)
    await page.reload()
    await sessions.getByText('This session').waitFor()
  })

  test('an account is deleted with its address and its password', async () => {
    const { page, email } = await scene.openSignedIn('/account')
    await page.getByRole('button', { name: 'Delete account' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete account' })
    await dialog.getByLabel(`Type ${email} to confirm`).fill(email)
    await dialog.getByLabel('Password').fill('not the password')
    await dialog.getByRole('button', { name: 'Delete account' }).click()
    await dialog.getByText('is not the account’s password.').waitFor()
    await dialog.getByLabel('Password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Delete account' }).click()
    await page.getByRole('button', { name: 'Log in' }).waitFor()
    const answer = await scene.service.send('POST', '/v1/auth/sign-in', { body: { email, password: PASSWORD } })
    expect(answer.statusCode).toBe(401)
  })
})
