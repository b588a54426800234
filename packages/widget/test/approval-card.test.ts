import type {} from '@svc/widget/element'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { approvalEvents, json, leaves, openStream, refuses, says, standsAs, writeEvents } from './support/answers.ts'
import { describeInBrowser, type OpenOptions } from './support/browser.ts'
import type { Answer } from './support/service-double.ts'

const NAMES = { approve: 'Approve: Place this order', decline: 'Decline: Place this order' } as const
const UNREACHABLE = 'Nobody can say yet whether it was done. Check your connection and try again.'
const CHANGED = 'This was not done: something has changed since it was approved.'
const LOST = 'The endpoint did not answer in time: whether the call had an effect is unknown.'
const DONE = json(standsAs('approved', { output: {} }))

describeInBrowser('the card of a call that waits for approval', (scene) => {
  /** A page whose one answer waits for approval. The model thinks about the result until the test ends, or says `next`. */
  async function open(approval: Answer[], options: OpenOptions = {}, next: Answer = openStream): Promise<Page> {
    scene.service.seen.length = 0
    const asks: Answer = (response) => {
      openStream(response)
      writeEvents(response, approvalEvents({}, 'Please look at this first.'))
      response.end()
    }
    scene.service.execute.splice(0, Number.POSITIVE_INFINITY, asks, next)
    scene.service.approval.splice(0, Number.POSITIVE_INFINITY, ...approval)
    const page = await scene.open(options)
    await page.evaluate(`document.querySelector('svc-chat').endUserToken = () => 'token-of-mira'`)
    await page.locator('svc-chat textarea').fill('Order it')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: NAMES.approve }).waitFor()
    return page
  }

  const card = (page: Page) => page.locator('svc-chat .approval')
  const linesOf = async (page: Page) => (await card(page).innerText()).split('\n').filter((line) => line !== '')
  const buttons = (page: Page) => card(page).getByRole('button', { disabled: false }).allInnerTexts()
  const heard = (page: Page, text: string | RegExp) =>
    page.locator('svc-chat [role=status]', { hasText: text }).waitFor({ state: 'attached' })
  const decisions = () =>
    scene.service.seen.filter(({ path, method }) => path.startsWith('/v1/runtime/approvals/') && method === 'POST')

  test('shows what would be done, and sends the decision once, with the end user’s token', async () => {
    const page = await open([DONE], {}, says('I have seen what became of it.'))
    expect(await linesOf(page)).toEqual([
      'Your approval is needed',
      'Place this order',
      '1 × Tent',
      '€249.00',
      'Approve',
      'Decline',
    ])
    await page.getByRole('button', { name: NAMES.approve }).dblclick()
    await page.locator('svc-chat .log').getByText('I have seen what became of it.').waitFor()
    const body = { decision: 'approve', approvalKey: 'key_1', endUserToken: 'token-of-mira' }
    expect(decisions().map((sent) => [sent.path, sent.body])).toEqual([['/v1/runtime/approvals/apr_1', body]])
    expect(await linesOf(page)).toEqual(['Place this order', '1 × Tent', '€249.00', 'Approved. It was done.'])
  })

  test.each<['approve' | 'decline', string, Answer, string[], string[]]>([
    ['decline', 'declined', json(standsAs('declined', { error: 'Declined.' })), ['Declined. Nothing was done.'], []],
    [
      'approve',
      'too late',
      json(standsAs('expired', { error: 'Too late.' })),
      ['Nobody approved this in time. Nothing was done.'],
      [],
    ],
    [
      'approve',
      'refused by the capability',
      json(standsAs('approved', { error: CHANGED })),
      ['You approved this, but it did not work.', CHANGED],
      [],
    ],
    [
      'approve',
      'sent, with an unknown outcome',
      json(standsAs('approved', { error: LOST, outcome: 'unknown' })),
      ['You approved this. Nobody can say yet whether it was done: please check before you ask again.'],
      [],
    ],
    [
      'approve',
      'refused with 404',
      refuses(404, 'The approval was not found.'),
      ['This cannot be decided here any more.'],
      [],
    ],
    ['approve', 'lost', leaves, [UNREACHABLE], ['Approve', 'Decline']],
    ['approve', 'answered with 500', refuses(500, 'Trouble.'), [UNREACHABLE], ['Approve', 'Decline']],
    [
      'approve',
      'refused with 429',
      refuses(429, 'Slow down.', { 'retry-after': '20' }),
      ['That was a lot at once. Please try again in 20 seconds.'],
      ['Approve', 'Decline'],
    ],
  ])('says, and reads out, what became of a decision: %s, %s', async (decision, _title, answer, said, offered) => {
    const page = await open([answer])
    await page.getByRole('button', { name: NAMES[decision] }).click()
    await heard(page, said[0] ?? '')
    const shown = await linesOf(page)
    expect(shown.slice(shown.indexOf('€249.00') + 1)).toEqual([...said, ...offered])
    expect(await buttons(page)).toEqual(offered)
    expect(decisions().map(({ body }) => body)).toContainEqual(expect.objectContaining({ decision }))
  })

  test('turns by itself once its time is over', async () => {
    scene.service.approval.splice(0)
    const page = await scene.open()
    await page.clock.install()
    const expiresAt = new Date((await page.evaluate(() => Date.now())) + 900_000).toISOString()
    scene.service.execute.splice(0, Number.POSITIVE_INFINITY, (response) => {
      openStream(response)
      writeEvents(response, approvalEvents({ expiresAt }))
      response.end()
    })
    scene.service.approval.push(json(standsAs('expired', { error: 'Too late.' })))
    await page.locator('svc-chat textarea').fill('Order it')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: NAMES.approve }).waitFor()
    await page.clock.runFor(901_000)
    await card(page).getByText('Nobody approved this in time. Nothing was done.').waitFor()
    expect(await buttons(page)).toEqual([])
  })

  test('is decided by keyboard, which stays in the conversation', async () => {
    const page = await open([refuses(500, 'Trouble.'), DONE])
    await heard(page, /Please look at this first\.[\s\S]*Your approval is needed[\s\S]*Place this order[\s\S]*€249\.00/)
    const focused = () =>
      page.evaluate(() => {
        const inside = document.querySelector('svc-chat')?.shadowRoot?.activeElement
        return inside?.getAttribute('aria-label')
      })
    await page.locator('svc-chat .log').focus()
    for (const name of [NAMES.approve, NAMES.decline]) {
      await page.keyboard.press('Tab')
      expect(await focused()).toBe(name)
    }
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')
    await card(page).getByText(UNREACHABLE).waitFor()
    expect(await focused()).toBe('Conversation')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await card(page).getByText('Approved. It was done.').waitFor()
    expect(await focused()).toBe('Conversation')
  })

  test.each(['light', 'dark'] as const)('has no fault that axe finds, pending and decided, %s', async (colorScheme) => {
    const page = await open(
      [refuses(500, 'Trouble.'), json(standsAs('approved', { error: LOST, outcome: 'unknown' }))],
      {
        // A text that is being faded in has less contrast for a moment.
        context: { colorScheme, bypassCSP: true, reducedMotion: 'reduce' },
        html: '<main><h1>Page</h1>{chat}</main>',
      },
    )
    await page.evaluate(axe.source)
    const faults = () => page.evaluate('axe.run(document).then(({ violations }) => violations.map(({ id }) => id))')
    expect(await faults()).toEqual([])
    for (const text of [UNREACHABLE, 'please check before you ask again']) {
      await page.getByRole('button', { name: NAMES.approve }).click()
      await card(page).getByText(text).waitFor()
      expect(await faults()).toEqual([])
    }
  })

  test('stands from right to left where the page does, and fits a narrow one', async () => {
    const page = await open([DONE], {
      html: '<div dir="rtl">{chat}</div>',
      context: { viewport: { width: 320, height: 700 } },
    })
    const box = async (name: string) => (await page.getByRole('button', { name }).boundingBox())?.x ?? 0
    expect(await box(NAMES.approve)).toBeGreaterThan(await box(NAMES.decline))
    const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
    expect(isWide).toBe(false)
  })
})
