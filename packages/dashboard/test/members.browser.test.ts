import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { linkIn } from '../../server/test/support/mail.ts'
import { firstMember, joinAs } from '../../server/test/support/members.ts'
import { PASSWORD } from '../../server/test/support/service.ts'
import { newAddress } from '../../server/test/support/sign-in.ts'
import { accessibilityFaults, describeScreens, show } from './support/dashboard.ts'

const TABS = ['', '/capabilities', '/deployments', '/connect', '/origins', '/keys', '/manifest', '/settings']
/** The buttons and links that change something. */
const CHANGES =
  /^(New|Create|Reveal|Rotate|Revoke|Save|Delete|Run doctor|Promote|Show code|Upgrade|Invite|Rename|Roll back|Try it|Remove|Change role|Increase|Send|Stop traffic|Resend)/

describeScreens('members', (scene) => {
  test('are invited by mail, see what their role allows, get another one, and are removed', async () => {
    const owner = await scene.openSignedIn('/members')
    const { page } = owner
    const { runtimeId } = await scene.deployedRuntime(owner)
    await owner.call('POST', '/v1/webhooks', { url: scene.endpoint.url, events: ['deployment.promoted'] })
    const email = newAddress()
    await invite(page, email, 'viewer')
    await page.getByText(`The invitation was mailed to ${email}.`).waitFor()
    await page.getByRole('button', { name: `New link for ${email}` }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])

    const viewer = await scene.open('/sign-in')
    await viewer.goto(linkIn(await scene.smtp.next()).link)
    await viewer.getByText(`Join the account ${owner.email} as viewer.`).waitFor()
    expect(await accessibilityFaults(viewer)).toEqual([])
    await viewer.getByLabel('Password').fill(PASSWORD)
    await viewer.getByRole('button', { name: 'Join account' }).click()
    await viewer.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
    const refused = refusalsOf(viewer)
    const screens = ['', '/projects', '/billing', '/members', '/executions', '/analytics', '/events', '/webhooks']
    for (const path of [...screens, ...TABS.map((tab) => `/runtimes/${runtimeId}${tab}`)]) {
      await show(viewer, path)
      expect([path, await changesOn(viewer)]).toEqual([path, []])
    }
    for (const path of ['/runtimes/new', `/runtimes/${runtimeId}/try`]) {
      await viewer.goto(`${scene.url}/dashboard${path}`)
      await viewer.getByText('This needs the role developer. Yours is viewer').waitFor()
    }
    expect(refused).toEqual([])

    await page.reload()
    await page.getByRole('button', { name: `Change the role of ${email}` }).click()
    await page.getByRole('dialog').getByLabel('Role', { exact: true }).selectOption('owner')
    await page.getByRole('dialog').getByLabel('Password').fill(PASSWORD)
    await page.getByRole('dialog').getByRole('button', { name: 'Change role' }).click()
    await page.getByText(`${email} is owner now.`, { exact: true }).waitFor()
    await viewer.goto(`${scene.url}/dashboard`)
    await viewer.getByRole('link', { name: 'New runtime' }).waitFor()

    await page.getByRole('button', { name: `Remove ${email}` }).click()
    await page.getByLabel(`Type ${email} to confirm`).fill(email)
    await page.getByRole('dialog').getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Remove member' }).click()
    await page.getByText(`${email} was removed.`, { exact: true }).waitFor()
    await viewer.reload()
    await viewer.getByRole('heading', { name: 'Log in' }).waitFor()
  })

  test('leave the account with their password', async () => {
    const { service } = scene
    const { email } = await scene.openSignedIn('')
    const { ownerId } = await firstMember(service, { email })
    const member = await joinAs(service, { ownerId, email, tier: 'free' }, 'viewer')
    const page = await scene.open('/sign-in?next=/members')
    await page.getByLabel('E-mail').fill(member.email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('button', { name: 'Leave the account' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(`Type ${member.email} to confirm`).fill(member.email)
    await dialog.getByLabel('Password').fill('wrong battery')
    await dialog.getByRole('button', { name: 'Leave', exact: true }).click()
    await dialog.getByText('is not the account’s password.').waitFor()
    await dialog.getByLabel('Password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Leave', exact: true }).click()
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
  })

  test('are given a link to copy where the service sends no mail, and a link that is over says so', async () => {
    const { deps } = scene.service
    const { mailer } = deps
    deps.mailer = null
    const { page } = await scene.openSignedIn('/members')
    const email = newAddress()
    await invite(page, email, 'developer')
    await page.getByText(`Send this link to ${email}.`).waitFor()
    deps.mailer = mailer
    const link = await page.getByText(`${scene.url}/dashboard/join#`).innerText()
    await page.getByRole('button', { name: `Revoke the invitation of ${email}` }).click()
    await expect.poll(() => page.getByText('Pending invitations').count()).toBe(0)
    const invited = await scene.open('/sign-in')
    await invited.goto(link)
    await invited.getByText('This link is not valid').waitFor()
  })
})

async function invite(page: Page, email: string, role: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Role', { exact: true }).selectOption(role)
  await page.getByRole('button', { name: 'Invite' }).click()
}

async function changesOn(page: Page): Promise<string[]> {
  const main = page.getByRole('main')
  const names = [...(await main.getByRole('button').allInnerTexts()), ...(await main.getByRole('link').allInnerTexts())]
  return names.filter((name) => CHANGES.test(name))
}

/** The requests of a page that the service refuses for its role. */
function refusalsOf(page: Page): string[] {
  const refused: string[] = []
  page.on('response', (answer) => void (answer.status() === 403 && refused.push(answer.url())))
  return refused
}
