import { fileURLToPath } from 'node:url'
import { useConversation } from '@svc/widget/react'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { eventsOf, openStream, says, writeEvents } from './support/answers.ts'
import { describeInBrowser } from './support/browser.ts'
import { memory, start } from './support/conversation.ts'
import { bundled } from './support/service-double.ts'
import { settled } from './support/test-clock.ts'

test('a server renders no stored conversation, so that its page is the one that the browser begins with', async () => {
  const storage = memory()
  start({ storage }).conversation.send('Hi')
  await settled()
  const { conversation } = start({ storage })
  const Turns = () => createElement('p', null, useConversation(conversation).turns.length)
  expect(conversation.getSnapshot().turns).toHaveLength(2)
  expect(renderToString(createElement(Turns))).toBe('<p>0</p>')
})

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

  test('goes on while a component still shows it, though another one has gone', async () => {
    let finish: () => void = () => undefined
    scene.service.execute.splice(0, 9, async (response) => {
      openStream(response)
      writeEvents(response, [{ type: 'text', content: 'One ' }])
      await new Promise<void>((resolve) => (finish = resolve))
      writeEvents(response, eventsOf('moment.'))
      response.end()
    })
    const page = await scene.open({ html: '<script type="module" src="/react.js"></script>' })
    await page.getByRole('button', { name: 'Ask' }).click()
    await page.getByText('One').waitFor()
    await page.getByRole('button', { name: 'Hide the count' }).click()
    await page.getByText('2 turns').waitFor({ state: 'detached' })
    finish()
    await page.getByText('One moment.').waitFor()
  })
})
