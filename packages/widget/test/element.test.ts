import type {} from '@svc/widget/element'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { cuts, fails, json, leaves, openStream, refuses, says, writeEvents } from './support/answers.ts'
import { ask, describeInBrowser, type OpenOptions, openAnswering } from './support/browser.ts'
import type { Answer } from './support/service-double.ts'

const ORDERED = {
  capability: 'place-order',
  output: {
    orderNumber: 'ORD-1',
    svc: {
      actions: [{ type: 'link', label: 'Pay now', url: 'https://shop.example.com/pay', style: 'primary' }],
      pending: { capability: 'order-status', input: { orderNumber: 'ORD-1' }, intervalMs: 1000, timeoutMs: 60_000 },
    },
  },
}

const FOUND = {
  capability: 'search-products',
  output: {
    svc: {
      cards: [
        { type: 'product', title: 'Trail Lantern', price: '€24.90', url: 'https://shop.example.com/lantern' },
        { type: 'product', title: 'Tent', price: '€129.00' },
      ],
      actions: [{ type: 'reply', label: 'Add it', value: 'Add the Trail Lantern to my cart' }],
    },
  },
}

/** Streams this much and then stays open until the page lets go. */
const hanging: Answer = (response) => {
  openStream(response)
  writeEvents(response, [
    { type: 'capability_start', callId: 'c', capability: 'search-products' },
    { type: 'text', content: 'One ' },
  ])
}

const EARLY = `
  const chat = document.querySelector('svc-chat')
  if (customElements.get('svc-chat')) throw new Error('not early')
  Object.assign(chat, { endUserToken: () => 'early', metadata: { from: 'page' }, suggestions: ['Early bird?'] })
`

describeInBrowser('the chat in a page', (scene) => {
  const open = (answers: Answer[], options: OpenOptions = {}) => openAnswering(scene, answers, options)
  // The text for screen readers stands in the page a second time.
  const shown = (page: Page) => page.locator('svc-chat .log')
  const executes = () => scene.service.seen.filter(({ path }) => path === '/v1/runtime/execute')
  const bodyOf = (request: { body: unknown } | undefined) => JSON.stringify(request?.body)

  test('has a closed root, and works under a policy that forbids everything inline and markup from text', async () => {
    const page = await open([says('**Hello** there')])
    const problems: string[] = []
    page.on('console', (message) => problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(error.message))
    await page.reload()
    await ask(page, 'Hi')
    await page.locator('svc-chat .text strong').waitFor()
    expect(await page.locator('svc-chat .text').innerHTML()).toBe('<p dir="auto"><strong>Hello</strong> there</p>')
    expect(problems).toEqual([])
    const mode = await page.evaluate(() => {
      const made: string[] = []
      const attach = Element.prototype.attachShadow
      Element.prototype.attachShadow = function (init) {
        made.push(init.mode)
        return attach.call(this, init)
      }
      document.createElement('svc-chat')
      return made
    })
    expect(mode).toEqual(['closed'])
  })

  test('shows words as they come and which capability runs; Escape stops it and it can be asked again', async () => {
    const page = await open([hanging, says('Whole.')])
    await ask(page, 'Hi')
    await shown(page).getByText('search products …').waitFor()
    await shown(page).getByText('One').waitFor()
    expect(await page.locator('svc-chat .send').getAttribute('aria-label')).toBe('Stop the answer')
    await page.keyboard.press('Escape')
    await shown(page).getByText('You stopped the answer.').waitFor()
    await page.getByRole('button', { name: 'Try again' }).press('Enter')
    await shown(page).getByText('Whole.').waitFor()
    expect(await shown(page).getByText('You stopped the answer.').count()).toBe(0)
    expect(executes().map(bodyOf)).toEqual([bodyOf(executes()[0]), bodyOf(executes()[0])])
    await page.waitForFunction(() => document.activeElement?.tagName === 'SVC-CHAT')
  })

  // holds WID-01
  test('cards link out safely, and a reply is said in the end user’s name', async () => {
    const page = await open([says('Here.', [FOUND]), says('Added.')])
    await ask(page, 'A lantern')
    const link = page.locator('svc-chat .card a')
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer nofollow')
    expect(await link.getAttribute('target')).toBe('_blank')
    expect(await link.innerText()).toContain('(shop.example.com)')
    await page.getByRole('button', { name: 'Add it' }).click()
    await shown(page).getByText('Added.').waitFor()
    expect(await page.locator('svc-chat .question').last().innerText()).toBe('Add the Trail Lantern to my cart')
  })

  test('a link that only seems to lead somewhere says where it does', async () => {
    const page = await open([
      says('[https://bank.example/?a.example](https://a.example) [a.example](https://a.example) https://a.example/x'),
    ])
    await ask(page, 'Hi')
    await shown(page).locator('.link').last().waitFor()
    const hosts = await shown(page)
      .locator('.link')
      .evaluateAll((links) => links.map((link) => link.querySelector('.host-name')?.textContent ?? ''))
    expect(hosts).toEqual([' (a.example)', '', ''])
  })

  test('waits until it is settled, and tells the model', async () => {
    const page = await open([says('Please pay.', [ORDERED]), says('It is paid.')])
    const output = { status: 'open', svc: { settled: false } }
    scene.service.capability.push(
      json({ executionId: 'e1', output, durationMs: 1 }),
      json({ executionId: 'e2', output: { status: 'paid', svc: { settled: true } }, durationMs: 1 }),
    )
    await ask(page, 'Order it')
    await shown(page).getByText('Waiting for order status …').waitFor()
    await shown(page).getByText('It is paid.').waitFor()
    expect(await shown(page).getByText('Done: order status').count()).toBe(1)
    expect(await page.getByRole('link', { name: 'Pay now' }).count()).toBe(0)
    const told = executes()[1]?.body as { messages: { role: string; parts: unknown[] }[] }
    expect(told.messages.at(-1)).toMatchObject({
      role: 'tool',
      parts: [{ type: 'tool_result', name: 'order-status', output: { status: 'paid' } }],
    })
  })

  test('a chat that is taken out of the page stops its stream and its polls; one that is moved goes on', async () => {
    const page = await open([says('Please pay.', [ORDERED])])
    scene.service.capability.push(json({ executionId: 'e', output: {}, durationMs: 1 }))
    await ask(page, 'Order it')
    await shown(page).getByText('Waiting for order status …').waitFor()
    const polls = () => scene.service.seen.filter(({ path }) => path === '/v1/runtime/capability').length
    await page.evaluate(() => {
      const chat = document.querySelector('svc-chat')
      const box = document.body.appendChild(document.createElement('div'))
      if (chat) box.append(chat)
    })
    await expect.poll(polls).toBeGreaterThan(0)
    await page.evaluate(() => {
      const chat = document.querySelector('svc-chat')
      chat?.remove()
      Object.assign(globalThis, { chat })
    })
    const [before, timers] = [polls(), await page.evaluate(() => Promise.resolve(1))]
    expect(timers).toBe(1)
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    expect(polls()).toBe(before)
    const wait = await page.evaluate(() => {
      const { chat } = globalThis as unknown as { chat: { conversation: { getSnapshot(): unknown } } }
      return JSON.stringify(chat.conversation.getSnapshot())
    })
    expect(wait).toContain('"state":"waiting"')
  })

  // holds WID-05
  test('asks for the end user’s token each time, and keeps it nowhere', async () => {
    const page = await open([says('Yes.')], { attributes: 'persist="local"' })
    await page.evaluate(() => {
      let count = 0
      const chat = document.querySelector('svc-chat')
      if (chat)
        Object.assign(chat, {
          endUserToken: async () => {
            count += 1
            return `secret-token-${count}`
          },
        })
    })
    for (const question of ['One', 'Two']) {
      await ask(page, question)
      await expect.poll(() => page.locator('svc-chat .question').count()).toBe(question === 'One' ? 1 : 2)
      await page.locator('svc-chat [aria-busy=false]').waitFor()
    }
    expect(executes().map(({ body }) => (body as { endUserToken?: string }).endUserToken)).toEqual([
      'secret-token-1',
      'secret-token-2',
    ])
    const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))
    const shown = await page.evaluate(() =>
      JSON.stringify(document.querySelector('svc-chat')?.conversation?.getSnapshot()),
    )
    expect(kept).toContain('One')
    expect(kept + shown).not.toContain('secret-token')
  })

  test('survives a reload where the page asks for it, and not otherwise', async () => {
    for (const [attributes, turns] of [
      ['persist="session"', 2],
      ['', 0],
    ] as const) {
      const page = await open([says('Yes, **really**.')], { attributes })
      await ask(page, 'Are you there?')
      await page.locator('svc-chat .text strong').waitFor()
      await page.reload()
      await page.waitForFunction(() => customElements.get('svc-chat') !== undefined)
      expect(await page.locator('svc-chat .question, svc-chat .text').count()).toBe(turns)
      await page.evaluate(() => document.querySelector('svc-chat')?.clear())
    }
  })

  test.each([
    [
      'a failed execution',
      fails('The model is overloaded.'),
      'The assistant could not finish this answer.',
      'exec_failed',
    ],
    [
      'a refusal with a time',
      refuses(429, 'slow', { 'retry-after': '40' }),
      'Please try again in 40 seconds.',
      'req_refused',
    ],
    ['a refusal without one', refuses(429, 'slow'), 'Please wait a moment and try again.', 'req_refused'],
    ['a wrong origin', refuses(403, 'This origin is not allowed.'), 'is not set up for this page', 'req_refused'],
    ['trouble', refuses(503, 'busy'), 'cannot be reached just now', 'req_refused'],
    ['a lost connection', cuts('Half '), 'The connection was lost', 'req_1'],
    ['nobody there', leaves, 'cannot be reached just now', null],
  ])('%s reads as a sentence, with a way on', async (_, answer, sentence, id) => {
    const page = await open([answer, says('Now it works.')])
    await ask(page, 'Hi')
    const problem = page.locator('svc-chat .problem')
    await problem.waitFor()
    expect(await problem.innerText()).toContain(sentence)
    expect(await page.locator('svc-chat .reference').allInnerTexts()).toEqual(id ? [id] : [])
    await page.getByRole('button', { name: 'Try again' }).click()
    await shown(page).getByText('Now it works.').waitFor()
    expect(await problem.count()).toBe(0)
  })

  test('an answer is read out once, when it is complete', async () => {
    const words = (response: Parameters<Answer>[0]) => {
      openStream(response)
      for (let word = 0; word < 20; word += 1) writeEvents(response, [{ type: 'text', content: `word${word} ` }])
    }
    const page = await open([says('A *whole* answer.', [FOUND]), words])
    await page.evaluate(() => {
      const live = document.querySelector('svc-chat')?.shadowRoot?.querySelector('[aria-live=polite]')
      const heard: string[] = []
      Object.assign(globalThis, { heard })
      if (live)
        new MutationObserver(() => live.textContent && heard.push(live.textContent)).observe(live, { childList: true })
    })
    const heard = () => page.evaluate(() => (globalThis as unknown as { heard: string[] }).heard)
    await ask(page, 'Hi')
    await expect.poll(heard).toEqual([expect.stringMatching(/^A whole answer\.\s+Trail Lantern/)])
    await ask(page, 'More')
    await shown(page).getByText('word19').waitFor()
    expect(await heard()).toHaveLength(1)
    await page.keyboard.press('Escape')
    await expect.poll(heard).toHaveLength(2)
    expect((await heard())[1]).toContain('You stopped the answer.')
    expect(await page.locator('svc-chat [role=log]').getAttribute('aria-live')).toBe('off')
  })

  test('everything is reached and done by the keyboard', async () => {
    const page = await open([says('Here.', [FOUND]), says('Added.')], { attributes: 'suggestions="A lantern"' })
    const focused = () =>
      page.evaluate(() => {
        const active = document.querySelector('svc-chat')?.shadowRoot?.activeElement
        return active?.getAttribute('aria-label') ?? active?.textContent?.trim() ?? ''
      })
    const order: string[] = []
    for (let step = 0; step < 4; step += 1) {
      await page.keyboard.press('Tab')
      order.push(await focused())
    }
    expect(order).toEqual(['Conversation', 'A lantern', 'Your question', 'Send'])
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Add it' }).waitFor()
    expect(await focused()).toBe('Your question')
    await page.keyboard.press('Shift+Tab')
    expect(await focused()).toBe('Copy the answer')
    await page.keyboard.press('Shift+Tab')
    expect(await focused()).toBe('Add it')
    await page.keyboard.press('Enter')
    await shown(page).getByText('Added.').waitFor()
    await page.locator('svc-chat textarea').focus()
    await page.keyboard.type('two')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('lines')
    expect(await page.locator('svc-chat textarea').inputValue()).toBe('two\nlines')
  })

  test('a launcher opens and closes, by the keyboard, too, and gives the focus back', async () => {
    const page = await open([says('Yes.')], { attributes: 'launcher' })
    expect(await page.locator('svc-chat .panel').isVisible()).toBe(false)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.locator('svc-chat .panel').waitFor()
    await page.keyboard.type('Hi')
    await page.keyboard.press('Enter')
    await shown(page).getByText('Yes.').waitFor()
    await page.keyboard.press('Escape')
    expect(await page.locator('svc-chat .panel').isVisible()).toBe(false)
    await page.keyboard.press('Enter')
    await page.locator('svc-chat .panel').waitFor()
  })

  test('stands the other way round in a right-to-left page', async () => {
    const page = await open([says('שלום עולם')], { html: '<div dir="rtl">{chat}</div>' })
    await ask(page, 'Hi')
    await shown(page).getByText('שלום').waitFor()
    const side = await page.evaluate(() => {
      const root = document.querySelector('svc-chat')?.shadowRoot
      const place = (selector: string) => root?.querySelector(selector)?.getBoundingClientRect()
      const [log, question, send] = [place('.log'), place('.question-text'), place('.send')]
      if (!log || !question || !send) return null
      return { question: question.left - log.left < 40, send: send.left - log.left < 40 }
    })
    expect(side).toEqual({ question: true, send: true })
  })

  test.each(['light', 'dark'] as const)('has no fault that axe finds, %s', async (colorScheme) => {
    const page = await open(
      [says('# Here\n\n- a [link](https://a.example)\n\n`code`', [FOUND, ORDERED]), fails('no')],
      {
        context: { colorScheme, bypassCSP: true },
        attributes: 'heading="Ask the shop" greeting="Ask away."',
        html: '<main><h1>Page</h1>{chat}</main>',
      },
    )
    scene.service.capability.push(json({ executionId: 'e', output: {}, durationMs: 1 }))
    await ask(page, 'Hi')
    await shown(page).getByText('Waiting for order status …').waitFor()
    await ask(page, 'More')
    await page.locator('svc-chat .problem').waitFor()
    await page.evaluate(axe.source)
    const found = await page.evaluate(async () => {
      const { axe: engine } = globalThis as unknown as { axe: typeof import('axe-core') }
      const { violations } = await engine.run(document)
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`)
    })
    expect(found).toEqual([])
  })

  test('takes colours and texts from the page', async () => {
    const page = await open([says('Yes.')])
    await page.evaluate(() => {
      const chat = document.querySelector('svc-chat')
      if (!chat) return
      chat.style.setProperty('--svc-accent', 'rgb(200, 0, 100)')
      document.body.style.setProperty('--line', 'rgb(1, 2, 3)')
      chat.style.setProperty('--svc-line', 'var(--line)')
      chat.strings = { send: 'Senden', placeholder: 'Frag etwas' }
      chat.setAttribute('heading', 'Laden')
      chat.suggestions = 'Was gibt es?'
    })
    expect(await page.getByRole('heading', { name: 'Laden' }).count()).toBe(1)
    expect(await page.getByPlaceholder('Frag etwas').count()).toBe(1)
    const background = await page
      .getByRole('button', { name: 'Senden' })
      .evaluate((button) => getComputedStyle(button).backgroundColor)
    expect(background).toBe('rgb(200, 0, 100)')
    const border = await page.locator('svc-chat .panel').evaluate((panel) => getComputedStyle(panel).borderTopColor)
    expect(border).toBe('rgb(1, 2, 3)')
    await page.getByRole('button', { name: 'Was gibt es?' }).click()
    await shown(page).getByText('Yes.').waitFor()
  })

  test('keeps what the page had set before the script came', async () => {
    scene.service.scripts.set('/early.js', new TextEncoder().encode(EARLY))
    const page = await open([says('Yes.')], { html: '{chat}<script src="/early.js"></script>' })
    await page.getByRole('button', { name: 'Early bird?' }).click()
    await shown(page).getByText('Yes.').waitFor()
    expect(executes()[0]?.body).toMatchObject({ endUserToken: 'early', metadata: { from: 'page' } })
  })

  test('tells the page how an answer went, and nothing of what it said', async () => {
    const page = await open([says('A secret word.', [FOUND])])
    await page.evaluate(() => {
      document.addEventListener('svc-answer', (event) => {
        if (event instanceof CustomEvent) Object.assign(globalThis, { told: event.detail })
      })
      document.querySelector('svc-chat')?.ask('Hi')
    })
    await shown(page).getByText('A secret word.').waitFor()
    const told = await page.evaluate(() => (globalThis as unknown as { told: unknown }).told)
    expect(told).toEqual({ state: 'completed', capabilities: ['search-products'] })
  })
})
