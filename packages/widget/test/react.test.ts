import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { says } from './support/answers.ts'
import { describeInBrowser } from './support/browser.ts'
import { bundled } from './support/service-double.ts'

describeInBrowser('the hook for React', (scene) => {
  test('shows a conversation as it grows, mounted twice as in development', async () => {
    scene.service.scripts.set(
      '/react.js',
      await bundled(fileURLToPath(new URL('./support/react-page.ts', import.meta.url))),
    )
    scene.service.execute.splice(0, 9, says('Hello from the store.'))
    const page = await scene.open({ html: '<script type="module" src="/react.js"></script>' })
    await page.getByRole('button', { name: 'Ask' }).click()
    await page.getByText('Hello from the store.').waitFor()
    expect(await page.locator('li').allInnerTexts()).toEqual(['Hi', 'Hello from the store.'])
    expect(await page.getByRole('button', { name: 'Ask' }).isEnabled()).toBe(true)
  })
})
