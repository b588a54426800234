import { expect, test } from 'vitest'
import { startReceiver } from '../../server/test/support/webhook-receiver.ts'
import { accessibilityFaults, describeScreens } from './support/dashboard.ts'

describeScreens('webhooks', (scene) => {
  test('are made with the events one chooses, show their secret once and each delivery, and are deleted', async () => {
    const account = await scene.signIn()
    const { page, call } = account
    const { runtimeId } = await scene.deployedRuntime(account)
    const receiver = await startReceiver()
    await page.goto(`${scene.url}/dashboard/events`)
    await page.getByRole('main').getByRole('link', { name: 'Webhooks' }).click()
    await page.getByText('No webhooks yet').waitFor()
    await page.getByRole('button', { name: 'New webhook' }).click()
    await page.getByLabel('URL').fill('http://shop.example.com/hook')
    await page.getByRole('button', { name: 'Create webhook' }).click()
    await page.getByText(/^URL must/).waitFor()
    await page.getByLabel('URL').fill(receiver.url)
    await page.getByLabel(/A key or secret was replaced/).uncheck()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Create webhook' }).click()
    await page.getByText('It is shown only once').waitFor()
    expect(await page.locator('pre').innerText()).toMatch(/^whsec_/)
    const card = page.getByRole('region', { name: receiver.url })
    const events = await card.getByRole('list', { name: 'Events' }).getByRole('listitem').allInnerTexts()
    expect(events).toContain('key.revealed')
    expect(events).not.toContain('key.rotated')
    await card.getByText('Nothing was sent yet.').waitFor()

    await call('POST', `/v1/runtimes/${runtimeId}/reveal-key`, { type: 'deploy' })
    await card.getByRole('row', { name: /key\.revealed/ }).waitFor()
    await page.reload()
    await card.getByRole('row', { name: /key\.revealed/ }).waitFor()
    expect(await page.getByText('whsec_').count()).toBe(0)
    expect(await accessibilityFaults(page)).toEqual([])

    await card.getByRole('button', { name: `Delete the webhook ${receiver.url}` }).click()
    await page.getByLabel(/^Type 127/).fill(new URL(receiver.url).host)
    await page.getByRole('dialog').getByRole('button', { name: 'Delete webhook' }).click()
    await page.getByText('No webhooks yet').waitFor()
  })
})
