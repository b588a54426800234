import { createDeskRuntime, openStore, startDesk } from '@svc/example-booking-desk'
import type { RunningSite } from '@svc/example-kit'
import { describeCapabilities } from '@svc/sdk'
import { sharedChromium } from '@svc/testkit'
import { locate } from '@svc/testkit/needs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { findWebFiles } from '../../../packages/server/src/web/web-files.ts'
import { createTestClock } from '../../../packages/server/test/support/clock.ts'
import { describeEngine, useDatabase } from '../../../packages/server/test/support/engines.ts'
import { calls, text } from '../../../packages/server/test/support/scripted-model.ts'
import { startService, type TestService } from '../../../packages/server/test/support/service.ts'
import { ADA, NOW } from './support/desk.ts'

describeEngine('sqlite', 'the page of the booking desk', (engine) => onThePage(useDatabase(engine)), 'chromium')

function onThePage(database: () => Parameters<typeof startService>[0]): void {
  let service: TestService
  let desk: RunningSite

  beforeAll(async () => {
    const clock = createTestClock(NOW)
    service = await startService(database(), { clock, web: findWebFiles() })
    const baseUrl = await service.app.listen({ port: 0, host: '127.0.0.1' })
    const runtime = await service.runtime(await service.owner('pro'))
    const onError = (error: unknown) => expect.fail(String(error))
    desk = await startDesk({ ...runtime, port: 0, databaseFile: ':memory:', baseUrl, now: clock.now, onError })
    const capabilities = describeCapabilities(createDeskRuntime(openStore(':memory:')))
    const deployed = await service.deploy(runtime, { capabilities, endpoint: `${desk.url}/svc`, reconcile: true })
    expect(deployed.statusCode).toBe(201)
  })
  afterAll(async () => {
    await desk?.close()
    await service?.close()
  })

  async function ask(question: string): Promise<Page> {
    // The test sees into the chat, whose root is closed.
    const context = await (await sharedChromium(locate('chromium'))).newContext()
    onTestFinished(() => context.close())
    await context.addInitScript(OPEN_ROOTS)
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    page.on('pageerror', (error) => expect.fail(`the page has a fault: ${error.message}`))
    await page.goto(desk.url)
    await page.locator('svc-chat .input').fill(question)
    await page.keyboard.press('Enter')
    await page.getByText('Book the Loft', { exact: true }).waitFor()
    await page.locator('svc-chat .log[aria-busy=false]').waitFor()
    return page
  }

  test('a guest declines a booking, and then approves it: it is made once', async () => {
    service.model.say(calls({ name: 'book-room', input: ADA }), text('Then not.'))
    const declined = await ask('The loft, please.')
    await declined.locator('svc-chat .log').getByText('2 adults and 1 child').waitFor()
    await declined.getByRole('button', { name: 'Decline' }).click()
    await declined.locator('svc-chat .log').getByText('Declined. Nothing was done.').waitFor()
    await declined.getByText('None yet.').waitFor()

    service.model.say(calls({ name: 'book-room', input: ADA }), text('It is booked.'))
    const approved = await ask('The loft after all.')
    await approved.getByRole('button', { name: 'Approve' }).click()
    await approved.locator('svc-chat .log').getByText('It is booked.').waitFor()
    await approved.getByRole('cell', { name: 'BD-1001' }).waitFor()
    expect(await approved.locator('#bookings tr').count()).toBe(1)
  })
}

const OPEN_ROOTS = `
  const attach = Element.prototype.attachShadow
  Element.prototype.attachShadow = function (options) { return attach.call(this, { ...options, mode: 'open' }) }
`
