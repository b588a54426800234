import { expect, test } from 'vitest'
import { createDeliveries } from '../../server/src/webhooks/deliver.ts'
import { firstMember, joinAs } from '../../server/test/support/members.ts'
import { PASSWORD } from '../../server/test/support/service.ts'
import { startReceiver } from '../../server/test/support/webhook-receiver.ts'
import { accessibilityFaults, describeScreens } from './support/dashboard.ts'

const PATIENTLY = { timeout: 20_000 }

describeScreens('webhooks', (scene) => {
  const deliverDue = async () => {
    const deliveries = createDeliveries(scene.service.deps)
    await deliveries.begin()
    await deliveries.idle()
  }

  test('are created with a secret that is shown once, show what was sent, send it again, and are deleted', async () => {
    let status = 503
    const receiver = await startReceiver(() => status)
    const account = await scene.openSignedIn('/webhooks')
    const { page, call } = account
    const { runtimeId } = await scene.deployedRuntime(account)
    await page.getByText('No webhooks yet').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'New webhook' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('URL').fill('not an address')
    await dialog.getByRole('checkbox', { name: /key\.revealed/ }).uncheck()
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Create webhook' }).click()
    await dialog.getByText(/^URL must/).waitFor()
    await dialog.getByLabel('URL').fill(receiver.url)
    await dialog.getByRole('button', { name: 'Create webhook' }).click()
    const secret = await dialog.locator('pre').innerText()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('cell', { name: '7 types' }).waitFor()
    expect(secret).toMatch(/^whsec_/)
    expect(await page.content()).not.toContain(secret)

    await call('POST', `/v1/runtimes/${runtimeId}/reveal-key`, { type: 'public' })
    await call('POST', `/v1/runtimes/${runtimeId}/rotate-key`, { type: 'deploy' })
    await deliverDue()
    await page.getByRole('link', { name: receiver.url }).click()
    const row = page.getByRole('row', { name: /key\.rotated/ })
    await row.getByText('Waiting').waitFor()
    await row.getByText('Mug shop').waitFor()
    expect(await row.innerText()).toContain('503')
    expect(await page.getByRole('row', { name: /key\.revealed/ }).count()).toBe(0)
    expect(await accessibilityFaults(page)).toEqual([])

    status = 204
    scene.service.clock.advance(60_000)
    await deliverDue()
    await row.getByText('Delivered').waitFor()
    await row.getByRole('button', { name: 'Send key.rotated again' }).click()
    await page.getByText('The message will be sent again.', { exact: true }).waitFor()
    await row.getByText('Waiting').waitFor()
    await deliverDue()
    await row.getByText('Delivered').waitFor()
    const delivered = receiver.received.slice(-2)
    expect(new Set(delivered.map(({ headers }) => headers['webhook-id'])).size).toBe(1)

    await page.getByRole('button', { name: 'Delete webhook' }).click()
    const { host } = new URL(receiver.url)
    await dialog.getByLabel(`Type ${host} to confirm`).fill(host)
    await dialog.getByRole('button', { name: 'Delete webhook' }).click()
    await page.getByText('No webhooks yet').waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Not found' }).waitFor()
  })

  test('are read by a viewer, without the path of their URL and without buttons', async () => {
    const owner = await scene.openSignedIn('/webhooks')
    const body = { url: 'https://hooks.example.com/secret-path', events: ['key.rotated'] }
    const { webhookId } = { webhookId: '', ...Object(await owner.call('POST', '/v1/webhooks', body)) }
    const { ownerId } = await firstMember(scene.service, owner)
    const member = await joinAs(scene.service, { ownerId, email: owner.email, tier: 'free' }, 'viewer')
    const viewer = await scene.open(`/sign-in?next=${encodeURIComponent(`/webhooks/${webhookId}`)}`)
    await viewer.getByLabel('E-mail').fill(member.email)
    await viewer.getByLabel('Password').fill(PASSWORD)
    await viewer.getByRole('button', { name: 'Log in' }).click()
    await viewer.getByText('No deliveries yet').waitFor()
    expect(await viewer.content()).not.toContain('secret-path')
    expect(await viewer.getByRole('button', { name: /Delete|Send/ }).count()).toBe(0)
    await viewer.getByRole('main').getByRole('link', { name: 'Webhooks' }).click()
    await expect.poll(() => viewer.getByRole('link', { name: 'https://hooks.example.com' }).count(), PATIENTLY).toBe(1)
    expect(await viewer.getByRole('button', { name: 'New webhook' }).count()).toBe(0)
  })
})
