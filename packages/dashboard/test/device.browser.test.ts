import { DeviceLogin } from '@svc/contract'
import { expect, test } from 'vitest'
import { PASSWORD } from '../../server/test/support/service.ts'
import { type DashboardScene, describeScreens } from './support/dashboard.ts'

async function begin(scene: DashboardScene, machine = 'ada-laptop'): Promise<DeviceLogin> {
  const answer = await scene.service.send('POST', '/v1/auth/device', { body: { machine } })
  return DeviceLogin.parse(answer.json())
}

/** How the device’s next poll is answered. */
async function pollOf(scene: DashboardScene, { deviceCode }: DeviceLogin) {
  scene.service.clock.advance(5_000)
  const answer = await scene.service.send('POST', '/v1/auth/device/token', { body: { deviceCode } })
  return { status: answer.statusCode, body: answer.json() }
}

describeScreens('a machine that logs in', (scene) => {
  test('is confirmed by the keyboard, by an owner who had to sign in first', async () => {
    const { email } = await scene.openSignedIn('')
    const login = await begin(scene)
    expect(login.verificationUri).toBe(`${scene.url}/dashboard/device`)
    const page = await scene.open(`/device?code=${login.userCode}`)
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Give this machine access?' }).waitFor()
    const card = page.getByRole('region', { name: 'Give this machine access?' })
    for (const fact of [login.userCode, '127.0.0.1', email]) await card.getByText(fact, { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Confirm' }).focus()
    await page.keyboard.press('Enter')
    const outcome = card.getByRole('status')
    await outcome.getByText('Confirmed.').waitFor()
    // The button is gone: the focus is on what became of it.
    expect(await outcome.evaluate((element) => element === document.activeElement)).toBe(true)
    expect(await page.getByRole('button', { name: /Confirm|Decline/ }).count()).toBe(0)
    const { status, body } = await pollOf(scene, login)
    expect([status, body.account?.email]).toEqual([200, email])
    await page.getByRole('link', { name: 'Account' }).click()
    await page.getByRole('button', { name: 'Revoke the key svc on ada-laptop' }).waitFor()
  })

  test('is declined, with the code typed in', async () => {
    const { page } = await scene.openSignedIn('/device')
    const login = await begin(scene)
    await page.getByLabel('Code shown in the terminal').fill(login.userCode.toLowerCase().replace('-', ''))
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Decline' }).click()
    await page.getByText('Declined. The terminal got no key.').waitFor()
    expect((await pollOf(scene, login)).status).toBe(403)
  })

  test('under a wrong code, or one that was answered meanwhile, is refused in words', async () => {
    const account = await scene.openSignedIn('/device?code=BBBB-BBBB')
    const { page, call } = account
    await page.getByRole('alert').getByText('A device that waits under this code was not found.').waitFor()
    const { userCode } = await begin(scene, '<b>\u202eada</b>')
    await page.getByLabel('Code shown in the terminal').fill(userCode)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'Give this machine access?' }).waitFor()
    await call('POST', `/v1/account/devices/${userCode}`, { status: 'denied' })
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('alert').getByText('A device that waits under this code was not found.').waitFor()
  })
})
