import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { describeInBrowser } from './support/browser.ts'
import { bundled } from './support/service-double.ts'

describeInBrowser('an output that a page draws by itself', (scene) => {
  test('has cards, buttons and their descriptions, without the element and without markup from text', async () => {
    const path = fileURLToPath(new URL('./support/headless-page.ts', import.meta.url))
    scene.service.scripts.set('/headless.js', await bundled(path))
    const page = await scene.open({ html: '<script type="module" src="/headless.js"></script>' })
    await page.locator('.card').waitFor()
    expect(await page.locator('.card-title').innerText()).toBe('<b>Lantern</b>')
    const link = page.locator('a.action')
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer nofollow')
    expect(await link.innerText()).toMatch(/^Pay\s*By card.*\(new tab\)$/s)
    const reply = page.getByRole('button', { name: 'Add it' })
    expect(await reply.locator('.action-description').innerText()).toBe('There are three left.')
    await reply.click()
    expect(await page.locator('#said').innerText()).toBe('Add the lantern')
    expect(await page.locator('body svc-chat').count()).toBe(0)
  })
})
