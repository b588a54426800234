import { expect, test } from 'vitest'
import { eventsOf, openStream, writeEvents } from './support/answers.ts'
import { ask, describeInBrowser, openAnswering } from './support/browser.ts'

describeInBrowser('the notice of the demo model', (scene) => {
  test('stands in the header once, and in no answer', async () => {
    const said = '[Demo model: rules, no language understanding]\nHello! I have no tools here.'
    const page = await openAnswering(scene, [
      (response) => {
        openStream(response)
        writeEvents(response, eventsOf(said))
        response.end()
      },
    ])
    const notice = page.locator('svc-chat .demo')
    expect(await notice.isVisible()).toBe(false)
    await ask(page, 'Hello')
    await notice.waitFor()
    expect(await page.locator('svc-chat .text').innerText()).toBe('Hello! I have no tools here.')
  })
})
