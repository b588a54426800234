import { ClientError, createConversation } from '@svc/widget'
import { expect, test } from 'vitest'
import { BEGUN, eventsOf, json, openStream, refuses, says, writeEvents } from './support/answers.ts'
import { ask, describeInBrowser, openAnswering } from './support/browser.ts'
import { each, memory } from './support/conversation.ts'
import type { Answer } from './support/service-double.ts'
import { createTestClock, settled } from './support/test-clock.ts'

describeInBrowser('thumbs under an answer', (scene) => {
  const streams: Answer = (response) => {
    openStream(response)
    writeEvents(response, [BEGUN, ...eventsOf('Yes.')])
    response.end()
  }
  const stored = json({ executionId: 'exec_1', feedback: 1 })
  const ratings = () =>
    scene.service.seen
      .filter(({ path }) => path.endsWith('/feedback'))
      .map(({ method, path, headers, body }) => [method, path, headers['x-svc-resume-key'], body])

  test('store a number with the key of the stream, also after a reload, and keep the keyboard where it is', async () => {
    const page = await openAnswering(scene, [streams], { attributes: 'persist="session"' })
    scene.service.feedback.splice(0, 9, stored)
    await ask(page, 'Is there a tent?')
    const good = page.locator('svc-chat').getByRole('button', { name: 'Good answer', pressed: false })
    await good.focus()
    await page.keyboard.press('Enter')
    await page.locator('svc-chat').getByRole('button', { name: 'Good answer', pressed: true }).waitFor()
    await page.keyboard.press('Enter')
    await good.waitFor()
    const bad = page.locator('svc-chat').getByRole('button', { name: 'Bad answer' })
    await bad.click()
    await page.reload()
    await page.locator('svc-chat').getByRole('button', { name: 'Bad answer', pressed: true }).click()
    await page.locator('svc-chat').getByRole('button', { name: 'Bad answer', pressed: false }).waitFor()
    const path = '/v1/runtime/executions/exec_1/feedback'
    expect(ratings()).toEqual([1, null, -1, null].map((value) => ['PUT', path, 'key-of-the-run', { value }]))
  })

  test('show nothing that was not stored, and stand under no answer that cannot be rated', async () => {
    const page = await openAnswering(scene, [streams, says('No key.')])
    scene.service.feedback.splice(0, 9, refuses(404, 'There is no such execution.'))
    await ask(page, 'Is there a tent?')
    const bad = page.locator('svc-chat').getByRole('button', { name: 'Bad answer' })
    const refused = page.waitForResponse(/feedback$/)
    await bad.click()
    await refused
    await page.locator('svc-chat .thumb[value="-1"][aria-pressed=false]').waitFor()
    await ask(page, 'And a stove?')
    await page.locator('svc-chat .log').getByText('No key.').waitFor()
    expect(await page.locator('svc-chat .thumb').count()).toBe(2)
  })
})

test('a rating saves nothing of the conversation, which another tab may have gone on with or cleared', async () => {
  const storage = memory()
  const client = {
    stream: async () => ({ requestId: null, events: each([BEGUN, ...eventsOf('Yes.')]) }),
    callCapability: () => Promise.reject(new Error('Nothing is called.')),
    rate: async () => undefined,
  }
  const openTab = (approvalStorage = memory()) => {
    const conversation = createConversation({ client, storage, approvalStorage })
    const answers = () => conversation.getSnapshot().turns.filter((turn) => turn.role === 'assistant')
    const rating = () => answers()[0]?.feedback
    const rateFirst = (value: 1 | -1) => conversation.rate(answers()[0]?.id ?? '', value)
    return { conversation, approvalStorage, rating, rateFirst }
  }
  const first = openTab()
  first.conversation.send('Is there a tent?')
  await settled()
  const second = openTab()
  second.conversation.send('And a stove?')
  await settled()
  const newer = storage.text

  first.rateFirst(1)
  await settled()
  expect(storage.text).toBe(newer)
  expect([second.rating(), openTab(first.approvalStorage).rating()]).toEqual([null, { value: 1 }])

  second.conversation.clear()
  first.rateFirst(-1)
  await settled()
  expect(storage.text).toBeNull()
})

test('a rating whose request is cut is taken back a second later, as its page may be left, and never a later one', async () => {
  const clock = createTestClock()
  const approvalStorage = memory()
  const sent: ((error: Error) => void)[] = []
  const client = {
    stream: async () => ({ requestId: null, events: each([BEGUN, ...eventsOf('Yes.')]) }),
    callCapability: () => Promise.reject(new Error('Nothing is called.')),
    rate: () => new Promise<void>((_, reject) => sent.push(reject)),
  }
  const conversation = createConversation({ client, clock, storage: memory(), approvalStorage })
  const answer = () => conversation.getSnapshot().turns.find((turn) => turn.role === 'assistant')
  const rate = (value: 1 | -1) => conversation.rate(answer()?.id ?? '', value)
  conversation.send('Is there a tent?')
  await settled()
  const cut = new ClientError('unreachable', 'The service cannot be reached.')

  rate(1)
  sent[0]?.(cut)
  await clock.advance(999)
  expect(answer()?.feedback).toEqual({ value: 1 })
  await clock.advance(1)
  expect(answer()?.feedback).toEqual({ value: null })

  rate(1)
  rate(-1)
  sent[1]?.(cut)
  await clock.advance(1_000)
  expect(answer()?.feedback).toEqual({ value: -1 })
})
