import type {} from '@svc/widget/element'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { eventsOf, json, openStream, refuses, says, writeEvents } from './support/answers.ts'
import { ask, describeInBrowser, type OpenOptions, openAnswering } from './support/browser.ts'
import type { Answer } from './support/service-double.ts'

const pending = { capability: 'order-status', input: {}, intervalMs: 1000, timeoutMs: 60_000 }
const ORDERED = { capability: 'place-order', output: { svc: { pending } } }
const OFFERED = {
  capability: 'search-products',
  output: { svc: { actions: [{ type: 'reply', label: 'Add it', value: 'Add the lantern' }] } },
}

describeInBrowser('what the chat says of itself', (scene) => {
  const open = (answers: Answer[], options: OpenOptions = {}) => openAnswering(scene, answers, options)
  const shown = (page: Page) => page.locator('svc-chat .log')
  const executes = () => scene.service.seen.filter(({ path }) => path === '/v1/runtime/execute')
  /** Waits until the chat has read this out; it must stand there until the test goes on. */
  const heard = (page: Page, text: string | RegExp) =>
    page.locator('svc-chat [role=status]', { hasText: text }).waitFor({ state: 'attached' })
  const launcherSays = (page: Page, label: string) =>
    page.locator(`svc-chat .launcher[aria-label="${label}"]`).waitFor()

  /** An answer that begins, and its end for when the test wants it. */
  function slow(): { answer: Answer; finish(): void } {
    let finish: () => void = () => undefined
    const answer: Answer = async (response) => {
      openStream(response)
      writeEvents(response, [{ type: 'text', content: 'One ' }])
      await new Promise<void>((resolve) => (finish = resolve))
      writeEvents(response, eventsOf('moment.'))
      response.end()
    }
    return { answer, finish: () => finish() }
  }

  /** Escape, as a keyboard sends it that is composing a character. */
  const escapeComposing = (page: Page) =>
    page.locator('svc-chat textarea').evaluate((input) => {
      const options = { key: 'Escape', isComposing: true, bubbles: true, composed: true }
      input.dispatchEvent(new KeyboardEvent('keydown', options))
    })

  test('a launcher tells whether it is open, and of an answer that came while it was closed', async () => {
    const { answer, finish } = slow()
    const page = await open([answer], {
      attributes: 'launcher',
      html: '<main><h1>Page</h1>{chat}</main>',
      context: { bypassCSP: true },
    })
    const faults = async () => {
      await page.evaluate(axe.source)
      return page.evaluate('axe.run(document).then(({ violations }) => violations.map(({ id }) => id))')
    }
    const launcher = page.locator('svc-chat .launcher')
    const said = async () => [await launcher.getAttribute('aria-label'), await launcher.getAttribute('aria-expanded')]
    expect([await said(), await faults()]).toEqual([['Open the chat', 'false'], []])
    await launcher.click()
    expect([await said(), await faults()]).toEqual([['Close the chat', 'true'], []])
    await ask(page, 'Hi')
    await shown(page).getByText('One').waitFor()
    await page.evaluate(() => document.querySelector('svc-chat')?.removeAttribute('open'))
    expect(await said()).toEqual(['Open the chat', 'false'])
    finish()
    await launcherSays(page, 'Open the chat: there is a new answer')
    expect(await launcher.getAttribute('aria-expanded')).toBe('false')
    await heard(page, 'One moment.')
    expect(await faults()).toEqual([])
    await launcher.click()
    await launcher.click()
    expect(await said()).toEqual(['Open the chat', 'false'])
  })

  test('Escape that ends the composing of a character neither closes the chat nor stops its answer', async () => {
    const { answer, finish } = slow()
    const page = await open([answer], { attributes: 'launcher open' })
    await ask(page, 'Hi')
    await shown(page).getByText('One').waitFor()
    await escapeComposing(page)
    finish()
    await shown(page).getByText('One moment.').waitFor()
    await escapeComposing(page)
    expect(await page.locator('svc-chat .panel').isVisible()).toBe(true)
  })

  test('how a wait ends is read out, and a result that came is read out as its answer', async () => {
    const ordered = says('Please pay.', [ORDERED])
    const page = await open([ordered, ordered, says('It is paid.')])
    let fail: () => void = () => undefined
    const failing = new Promise<void>((resolve) => (fail = resolve))
    scene.service.capability.push(
      (response, request) => failing.then(() => refuses(404, 'no such capability')(response, request)),
      json({ executionId: 'e', output: { svc: { settled: true } }, durationMs: 1 }),
    )
    await ask(page, 'Order it')
    await heard(page, 'Please pay.')
    fail()
    await heard(page, /^order status cannot be checked\.$/)
    await ask(page, 'Order it')
    await heard(page, 'It is paid.')
    expect(executes()).toHaveLength(3)
  })

  test('a reply is not to be had while an answer is under way, and says so', async () => {
    const { answer, finish } = slow()
    const page = await open([says('Here.', [OFFERED]), answer, says('Added.')])
    await ask(page, 'A lantern')
    const reply = page.getByRole('button', { name: 'Add it' })
    await reply.waitFor()
    expect(await reply.getAttribute('aria-disabled')).toBe('false')
    await ask(page, 'And a tent')
    await shown(page).getByText('One').waitFor()
    expect(await reply.getAttribute('aria-disabled')).toBe('true')
    await reply.click({ force: true })
    finish()
    await shown(page).getByText('One moment.').waitFor()
    expect(executes()).toHaveLength(2)
    // The end of an answer may be drawn after its last word.
    await expect.poll(() => reply.getAttribute('aria-disabled')).toBe('false')
    await reply.click()
    await shown(page).getByText('Added.').waitFor()
  })

  test('texts that a page sets late leave the keyboard and what is written where they are', async () => {
    const page = await open([says('Yes.')])
    await page.locator('svc-chat textarea').focus()
    await page.keyboard.type('Helo')
    await page.keyboard.press('ArrowLeft')
    await page.evaluate(() => {
      const chat = document.querySelector('svc-chat')
      if (chat) chat.suggestions = ['What is there?']
      chat?.setAttribute('heading', 'Shop')
    })
    await page.keyboard.type('l')
    expect(await page.locator('svc-chat textarea').inputValue()).toBe('Hello')
  })

  test('without its key there is no chat, and with the next one there is another', async () => {
    const page = await open([says('Yes.')])
    await ask(page, 'Hi')
    await shown(page).getByText('Yes.').waitFor()
    await page.evaluate(() => document.querySelector('svc-chat')?.removeAttribute('public-key'))
    expect(await page.locator('svc-chat .panel').count()).toBe(0)
    await page.evaluate(() => document.querySelector('svc-chat')?.setAttribute('public-key', 'svc_pk_other'))
    expect(await page.locator('svc-chat .question').count()).toBe(0)
    await ask(page, 'Hi')
    await shown(page).getByText('Yes.').waitFor()
    expect(executes().at(-1)?.headers.authorization).toBe('Bearer svc_pk_other')
  })

  test('a tap on send or stop opens no on-screen keyboard', async () => {
    const { answer } = slow()
    const page = await open([answer], { context: { hasTouch: true, isMobile: true } })
    await page.locator('svc-chat textarea').fill('Hi')
    await page.getByRole('button', { name: 'Send' }).tap()
    await shown(page).getByText('One').waitFor()
    await page.getByRole('button', { name: 'Stop the answer' }).tap()
    await shown(page).getByText('You stopped the answer.').waitFor()
    expect(await page.locator('svc-chat textarea').evaluate((input) => input.matches(':focus'))).toBe(false)
  })

  test('a page that never says who is signed in can be given up on, and reads as that', async () => {
    const page = await open([says('Yes.')])
    const sign = (source: string) => page.evaluate(`document.querySelector('svc-chat').endUserToken = ${source}`)
    await sign('() => new Promise(() => undefined)')
    await ask(page, 'Hi')
    await page.getByRole('button', { name: 'Stop the answer' }).click()
    await shown(page).getByText('You stopped the answer.').waitFor()
    await sign("() => Promise.reject(new Error('x'))")
    await page.getByRole('button', { name: 'Try again' }).click()
    await shown(page).getByText('The page could not say who is signed in.').waitFor()
    expect(executes()).toEqual([])
  })

  test('what trying again may do once more is said before it is offered, and is read out', async () => {
    const calls: Answer = (response) => {
      openStream(response)
      writeEvents(response, eventsOf('', [ORDERED]).slice(0, 2))
    }
    const page = await open([calls, says('It is placed.')])
    const warning = 'The answer broke off after calling place order. Trying again may do it once more.'
    await ask(page, 'Order it')
    await shown(page).getByText('place order').waitFor()
    await page.getByRole('button', { name: 'Stop the answer' }).click()
    await shown(page).getByText(warning).waitFor()
    await heard(page, warning)
    await page.getByRole('button', { name: 'Try again' }).click()
    await shown(page).getByText('It is placed.').waitFor()
    expect(await shown(page).getByText(warning).count()).toBe(0)
  })

  test('a failure right after the same one is read out again', async () => {
    const page = await open([says('Yes.')])
    const refuse = "document.querySelector('svc-chat').endUserToken = () => Promise.reject(new Error('x'))"
    await page.evaluate(refuse)
    await ask(page, 'Hi')
    await heard(page, /^The page could not say who is signed in\.$/)
    const texts = page.locator('svc-chat [role=status]').evaluate(
      (status) =>
        new Promise<string[]>((resolve) => {
          const said: string[] = []
          new MutationObserver(() => {
            said.push(status.textContent ?? '')
            if (said.length === 2) resolve(said)
          }).observe(status, { childList: true, characterData: true, subtree: true })
        }),
    )
    await page.getByRole('button', { name: 'Try again' }).click()
    expect(await texts).toEqual(['', 'The page could not say who is signed in.'])
  })

  test('there is no news of a conversation that is gone', async () => {
    const first = slow()
    const second = slow()
    const third = slow()
    const page = await open([first.answer, second.answer, third.answer], { attributes: 'launcher' })
    const label = () => page.locator('svc-chat .launcher').getAttribute('aria-label')
    const askClosed = async () => {
      await page.evaluate(() => document.querySelector('svc-chat')?.conversation?.send('Hi'))
      await shown(page).getByText('One').waitFor({ state: 'attached' })
    }
    for (const [{ finish }, change] of [
      [first, 'chat.clear()'],
      [second, "chat.setAttribute('public-key', 'svc_pk_other')"],
    ] as const) {
      await askClosed()
      finish()
      await launcherSays(page, 'Open the chat: there is a new answer')
      await page.evaluate(`{ const chat = document.querySelector('svc-chat'); ${change} }`)
      expect(await label()).toBe('Open the chat')
    }

    await askClosed()
    const told = await page.evaluate(async () => {
      const chat = document.querySelector('svc-chat')
      let answers = 0
      chat?.addEventListener('svc-answer', () => (answers += 1))
      const ended = new Promise((resolve) => chat?.conversation?.subscribe(() => resolve(null)))
      chat?.remove()
      await ended
      if (chat) document.body.append(chat)
      return answers
    })
    expect([told, await label()]).toEqual([0, 'Open the chat'])
  })
})
