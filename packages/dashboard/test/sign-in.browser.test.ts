import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { linkIn } from '../../server/test/support/mail.ts'
import { PASSWORD } from '../../server/test/support/service.ts'
import { appCode } from '../../server/test/support/two-factor.ts'
import { accessibilityFaults, describeScreens } from './support/dashboard.ts'

const NEW = 'another battery staple'
const STEP_MS = 30_000

describeScreens('an owner who logs in', (scene) => {
  test('sets two-factor authentication up, forgets the password, and turns it off again', async () => {
    const { page, email } = await scene.openSignedIn('/account')
    const { secret, recoveryCodes } = await setUp(page)
    expect(recoveryCodes).toHaveLength(8)
    const nextCode = () => {
      scene.service.clock.advance(STEP_MS)
      return appCode(scene.service, 0, secret)
    }

    const other = await scene.open('/sign-in')
    await logIn(other, { email, password: PASSWORD })
    const code = other.getByLabel('Code')
    await code.waitFor()
    expect(await code.evaluate((element) => element === document.activeElement)).toBe(true)
    // Nothing went wrong yet.
    expect(await other.getByText('Code is needed').count()).toBe(0)
    expect(await accessibilityFaults(other)).toEqual([])
    await code.fill('000000')
    await other.keyboard.press('Enter')
    await other.getByText('Code is not right').waitFor()
    await code.fill(nextCode())
    await other.keyboard.press('Enter')
    await other.getByRole('heading', { name: 'Welcome' }).waitFor()

    const forgetful = await scene.open('/sign-in')
    await forgetful.getByRole('link', { name: 'Forgot your password?' }).click()
    await forgetful.getByRole('heading', { name: 'Forgot your password?' }).waitFor()
    await forgetful.getByLabel('E-mail').fill(email)
    await forgetful.getByRole('button', { name: 'Send a link' }).click()
    await forgetful.getByRole('status').getByText('a mail with a link is on its way').waitFor()
    const { link } = linkIn(await scene.smtp.next())
    expect(link).toMatch(new RegExp(`^${scene.url}/dashboard/new-password#`))
    await forgetful.goto(link)
    await forgetful.getByLabel('New password').fill('short')
    await forgetful.getByRole('button', { name: 'Set password' }).click()
    await forgetful.getByText('New password must have 10 to 128 characters.').waitFor()
    await forgetful.getByLabel('New password').fill(NEW)
    await forgetful.getByRole('button', { name: 'Set password' }).click()
    await forgetful.getByRole('heading', { name: 'Log in' }).waitFor()
    await logIn(forgetful, { email, password: NEW })
    await forgetful.getByLabel('Code').fill(recoveryCodes[0] ?? '')
    await forgetful.keyboard.press('Enter')
    await forgetful.getByRole('heading', { name: 'Welcome' }).waitFor()

    // The page that was open has no session any more, and the link works no more.
    await page.reload()
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    await page.goto(link)
    await page.getByLabel('New password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByRole('alert').getByText('This link is not valid').waitFor()

    await forgetful.getByRole('link', { name: 'Account' }).click()
    const card = forgetful.getByRole('region', { name: 'Two-factor authentication' })
    await card.getByText('Recovery codes left: 7').waitFor()
    await card.getByRole('button', { name: 'Turn off' }).click()
    const dialog = forgetful.getByRole('dialog')
    await dialog.getByLabel('Password').fill(NEW)
    await dialog.getByLabel('Code').fill(nextCode())
    await dialog.getByRole('button', { name: 'Turn off' }).click()
    await card.getByRole('button', { name: 'Set up' }).waitFor()
  })

  test('is told how long to wait after too many attempts, second by second', async () => {
    const email = 'nobody@example.com'
    for (let index = 0; index < 10; index += 1) {
      await scene.service.send('POST', '/v1/auth/sign-in', { body: { email, password: 'wrong' } })
    }
    const page = await scene.open('/sign-in')
    await page.clock.install()
    await logIn(page, { email, password: PASSWORD })
    await page.getByRole('alert').getByText('Too many attempts. Try again in 90 seconds.').waitFor()
    await page
      .getByRole('timer')
      .getByText(/^You can try again in 1 min/)
      .waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.clock.fastForward('01:31')
    await page.getByRole('timer').getByText('You can try again now.').waitFor()
  })

  async function setUp(page: Page): Promise<{ secret: string; recoveryCodes: string[] }> {
    const card = page.getByRole('region', { name: 'Two-factor authentication' })
    await card.getByRole('button', { name: 'Set up' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await dialog.getByRole('img', { name: 'The key for the app' }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    const secret = await dialog.locator('pre').innerText()
    await dialog.getByLabel('Code').fill(appCode(scene.service, 0, secret))
    await dialog.getByRole('button', { name: 'Turn on' }).click()
    await dialog.getByText('Keep these recovery codes').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    const recoveryCodes = (await dialog.locator('pre').innerText()).split('\n')
    await dialog.getByRole('button', { name: 'Done' }).click()
    await card.getByText('Recovery codes left: 8').waitFor()
    return { secret, recoveryCodes }
  }
})

async function logIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
}
