import { expect, test, vi } from 'vitest'
import { eventsOf, refused, says } from './support/answers.ts'
import { ask, describeInBrowser, openAnswering } from './support/browser.ts'
import { assistant, memory, start, user } from './support/conversation.ts'
import { settled } from './support/test-clock.ts'

const ADDED = { capability: 'add-to-cart', output: { added: 1 } }
const ANSWERS = () => [eventsOf('Please sign in.', [ADDED, refused('my-orders')]), eventsOf('Two orders.')]
const CALLED = [
  { role: 'assistant', parts: [{ type: 'tool_call', id: 'call_0', name: 'add-to-cart', input: {} }] },
  { role: 'tool', parts: [{ type: 'tool_result', toolCallId: 'call_0', name: 'add-to-cart', output: { added: 1 } }] },
]

/** A conversation whose last answer waits for a sign-in; `signedIn` says whether the page has a token. */
async function refusedTalk({ signedIn = false, ...setup }: { signedIn?: boolean } & Parameters<typeof start>[0] = {}) {
  const page = { signedIn }
  const talk = start({ answers: ANSWERS(), hasEndUser: async () => page.signedIn, ...setup })
  const heard = vi.fn()
  talk.conversation.onSignIn(heard)
  talk.conversation.send('Add it and show my orders')
  await settled()
  return { ...talk, page, heard }
}

test('what was refused is asked for again once there is a token, and what has run stays with its result', async () => {
  const { conversation, sent, answer, page, heard } = await refusedTalk()
  expect(answer()?.signIn).toMatchObject({ state: 'needed', capabilities: ['my-orders'] })
  conversation.signIn()
  await settled()
  expect(heard.mock.calls).toEqual([[{ capabilities: ['my-orders'] }]])
  expect(await conversation.signedIn()).toBe(false)
  page.signedIn = true
  expect(await Promise.all([conversation.signedIn(), conversation.signedIn()])).toEqual([true, false])
  await settled()
  expect(sent[1]).toEqual([user('Add it and show my orders'), ...CALLED])
  expect(sent).toHaveLength(2)
  expect(answer()).toMatchObject({ state: 'completed', signIn: null })
  conversation.send('Thanks')
  expect(sent[2]).toEqual([...(sent[1] ?? []), assistant('Two orders.'), user('Thanks')])
})

test('a token alone asks for nothing: the end user has to want it', async () => {
  const { conversation, sent, page } = await refusedTalk()
  page.signedIn = true
  expect(await conversation.signedIn()).toBe(false)
  conversation.signIn()
  await settled()
  expect(sent).toHaveLength(2)
})

test('it goes on when the end user comes back to the page, and not where something else was said meanwhile', async () => {
  const { conversation, sent, page, visibility } = await refusedTalk()
  conversation.signIn()
  await settled()
  conversation.send('Never mind')
  await settled()
  page.signedIn = true
  visibility.show()
  await settled()
  expect(sent).toHaveLength(2)
})

test('a sign-in that leaves the page goes on after it, in this tab alone and once', async () => {
  const [storage, runStorage] = [memory(), memory()]
  const first = await refusedTalk({ storage, runStorage })
  first.conversation.signIn()
  await settled()
  first.conversation.suspend()
  const otherTab = start({ storage: memory(storage.text), runStorage: memory(), hasEndUser: async () => true })
  const back = start({ storage, runStorage, hasEndUser: async () => true })
  await settled()
  expect([otherTab.sent.length, back.sent.length]).toEqual([0, 1])
  const reloaded = start({ storage, runStorage, hasEndUser: async () => true })
  await settled()
  expect(reloaded.sent).toEqual([])
})

describeInBrowser('the sign-in of the element', (scene) => {
  const refuses = () => says('Please sign in.', [refused('my-orders')])
  const button = 'svc-chat .sign-in button'

  test('tells the page, and goes on with the token that the page gives', async () => {
    const page = await openAnswering(scene, [refuses(), says('Two orders.')])
    await page.evaluate(`document.addEventListener('svc-sign-in', (event) => {
      window.told = event.detail
      event.target.endUserToken = () => 'token-of-mira'
    })`)
    await ask(page, 'My orders?')
    await page.locator(button).dblclick()
    await page.locator('svc-chat .log').getByText('Two orders.').waitFor()
    expect(await page.evaluate('window.told')).toEqual({ capabilities: ['my-orders'] })
    const executes = scene.service.seen.filter(({ path }) => path === '/v1/runtime/execute')
    expect(executes.map(({ body }) => (body as { endUserToken?: string }).endUserToken)).toEqual([
      undefined,
      'token-of-mira',
    ])
    expect(await page.locator(button).count()).toBe(0)
  })

  test('opens the page’s own sign-in, and goes on when the end user comes back from it', async () => {
    const page = await openAnswering(scene, [refuses(), says('Two orders.')], {
      attributes: 'sign-in-url="/page-sign-in"',
    })
    await page.evaluate(`document.querySelector('svc-chat').endUserToken = () => window.token`)
    await ask(page, 'My orders?')
    const [popup] = await Promise.all([page.waitForEvent('popup'), page.locator(button).click()])
    expect(new URL(popup.url()).pathname).toBe('/page-sign-in')
    await page.locator('svc-chat').getByText('once you are signed in').waitFor()
    await page.evaluate(`window.token = 'token-of-mira'`)
    await popup.close()
    await page.evaluate(`window.dispatchEvent(new Event('focus'))`)
    await page.locator('svc-chat .log').getByText('Two orders.').waitFor()
  })

  test('opens no address that a browser would run', async () => {
    const page = await openAnswering(scene, [refuses()], { attributes: 'sign-in-url="javascript:window.ran=1"' })
    await ask(page, 'My orders?')
    await page.locator(button).click()
    await page.locator('svc-chat').getByText('once you are signed in').waitFor()
    expect([await page.evaluate('window.ran'), page.context().pages().length]).toEqual([undefined, 1])
  })
})
