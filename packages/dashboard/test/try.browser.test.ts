import type { ExecuteResponse, Message, StreamEvent } from '@svc/contract'
import type { Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { accessibilityFaults, CAPABILITIES, describeScreens } from './support/dashboard.ts'

const CALL: Message = {
  role: 'assistant',
  parts: [{ type: 'tool_call', id: 'call_1', name: 'search-products', input: {} }],
}
const RESULT: Message = {
  role: 'tool',
  parts: [
    {
      type: 'tool_result',
      toolCallId: 'call_1',
      name: 'search-products',
      output: { svc: { cards: [{ type: 'product', title: 'Found mug' }] } },
    },
  ],
}
const COUNTS = { inputTokens: 1, outputTokens: 1, totalTokens: 2, durationMs: 3 }

describeScreens('“Try it”', (scene) => {
  const ask = async (page: Page, question: string) => {
    await page.getByLabel('Your question').fill(question)
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
  }

  /** Answers the next question with these events. */
  function answer(route: Route, response: ExecuteResponse): Promise<void> {
    const events: StreamEvent[] = [{ type: 'done', ...response }]
    const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
    return route.fulfill({ contentType: 'text/event-stream', body })
  }

  test('shows cards and what to do next, asks for what is waited for, and tells the model', async () => {
    const account = await scene.signIn()
    const { page } = account
    const { runtimeId } = await scene.deployedRuntime(account)
    scene.endpoint.script('search-products', () => ({
      output: {
        products: [],
        total: 0,
        svc: {
          cards: [
            {
              type: 'product',
              title: 'Blue mug',
              price: '€12.50',
              url: 'https://shop.example.com/mug',
              image: { url: 'https://shop.example.com/mug.png', alt: 'A mug' },
            },
          ],
          actions: [{ type: 'reply', label: 'And now?', value: 'What can you do?' }],
          pending: { capability: 'cancel-order', input: { orderNumber: '7' }, intervalMs: 1000, timeoutMs: 60_000 },
        },
      },
    }))
    let asked = 0
    scene.endpoint.script('cancel-order', () => {
      asked += 1
      return { output: { svc: { settled: asked > 1 } } }
    })
    await page.goto(`${scene.url}/dashboard/runtimes/${runtimeId}/try`)
    await ask(page, 'search products for mug')
    const log = page.getByRole('log')
    const card = log.getByRole('listitem').filter({ hasText: '€12.50' })
    await card.getByText('(shop.example.com)').waitFor()
    const link = card.getByRole('link', { name: 'Blue mug (opens in a new tab)', exact: true })
    expect(await link.getAttribute('rel')).toContain('noopener')
    expect(await log.locator('img').count()).toBe(0)
    await log.getByRole('button', { name: 'And now?' }).waitFor()
    await log.getByText('Polling cancel-order until it is settled.').waitFor()
    await log.getByText('cancel-order is settled.').waitFor()
    await expect.poll(() => log.getByRole('link', { name: 'View trace' }).count()).toBe(2)
    expect(asked).toBe(2)
    expect(await page.getByText('Demo model').allInnerTexts()).toEqual([
      'Demo model: answers come from rules, without language understanding.',
    ])
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('goes on from what a failed execution had done, and says why it failed', async () => {
    const account = await scene.signIn()
    const { page } = account
    const { runtimeId } = await scene.deployedRuntime(account)
    const bodies: unknown[] = []
    await page.route('**/v1/executions', (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      bodies.push(route.request().postDataJSON())
      return bodies.length === 1
        ? answer(route, {
            executionId: 'exec_first',
            status: 'failed',
            finishReason: 'error',
            messages: [CALL, RESULT],
            error: { message: 'The model is away.' },
            ...COUNTS,
          })
        : answer(route, {
            executionId: 'exec_second',
            status: 'completed',
            finishReason: 'stop',
            messages: [{ role: 'assistant', parts: [{ type: 'text', content: 'Here it is.' }] }],
            ...COUNTS,
          })
    })
    await page.goto(`${scene.url}/dashboard/runtimes/${runtimeId}/try`)
    await page.getByLabel('End-user token').fill('token-of-ada')
    await ask(page, 'A mug?')
    const log = page.getByRole('log')
    await log.getByRole('alert').getByText('The model is away.').waitFor()
    await log.getByText('Found mug').waitFor()
    await log.getByRole('button', { name: 'Try again' }).click()
    await log.getByText('Here it is.').waitFor()
    expect(await log.getByRole('alert').count()).toBe(0)
    const question: Message = { role: 'user', parts: [{ type: 'text', content: 'A mug?' }] }
    expect(bodies).toEqual([
      { runtimeId, messages: [question], endUserToken: 'token-of-ada' },
      { runtimeId, messages: [question, CALL, RESULT], endUserToken: 'token-of-ada' },
    ])
  })

  /** A chat whose questions are answered one by one as given, and left without an answer after the last. */
  async function openTry(
    answers: readonly ((route: Route) => Promise<void>)[],
  ): Promise<{ page: Page; posts: Route[] }> {
    const account = await scene.signIn()
    const { page } = account
    const { runtimeId } = await scene.deployedRuntime(account)
    const posts: Route[] = []
    await page.route('**/v1/executions', (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      return answers[posts.push(route) - 1]?.(route)
    })
    await page.route('**/v1/capabilities/**', (route) =>
      route.fulfill({ json: { executionId: 'exec_wait', output: { svc: { settled: false } }, durationMs: 1 } }),
    )
    await page.goto(`${scene.url}/dashboard/runtimes/${runtimeId}/try`)
    return { page, posts }
  }

  const focused = (page: Page) =>
    page.evaluate(() => document.activeElement?.getAttribute('role') ?? document.activeElement?.textContent)

  test('stopping an answer does not send what was typed meanwhile', async () => {
    const { page, posts } = await openTry([])
    await ask(page, 'A mug?')
    await page.getByLabel('Your question').fill('And a cup?')
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await page.getByRole('alert').getByText('You stopped the answer.').waitFor()
    expect(await page.getByLabel('Your question').inputValue()).toBe('And a cup?')
    expect([posts.length, await focused(page)]).toEqual([1, 'Ask'])
    await page.getByLabel('Your question').press('Enter')
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor()
    expect(posts).toHaveLength(2)
  })

  test('leaves the keyboard in the conversation when a button goes that had it', async () => {
    const pending = { capability: 'cancel-order', input: {}, intervalMs: 60_000, timeoutMs: 60_000 }
    const output = { svc: { pending, actions: [{ type: 'reply', label: 'And now?', value: 'What now?' }] } }
    const result = { type: 'tool_result', toolCallId: 'call_1', name: 'search-products', output } as const
    const messages: Message[] = [CALL, { role: 'tool', parts: [result] }]
    const { page } = await openTry([
      (route) =>
        answer(route, { executionId: 'exec_1', status: 'completed', finishReason: 'stop', messages, ...COUNTS }),
    ])
    await ask(page, 'A mug?')
    const log = page.getByRole('log')
    for (const name of ['Stop waiting', 'Check again']) {
      await log.getByRole('button', { name }).press('Enter')
      await expect.poll(() => focused(page)).toBe('log')
    }
    const reply = log.getByRole('button', { name: 'And now?' })
    await reply.press('Enter')
    await expect.poll(() => reply.getAttribute('aria-disabled')).toBe('true')
    expect(await focused(page)).toBe('And now?')
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await log.getByRole('button', { name: 'Try again' }).press('Enter')
    await expect.poll(() => focused(page)).toBe('log')
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await page.getByRole('button', { name: 'Start over' }).press('Enter')
    await page.keyboard.type('Anew')
    expect(await page.getByLabel('Your question').inputValue()).toBe('Anew')
  })

  test('says what trying again may do once more', async () => {
    const events: StreamEvent[] = [{ type: 'capability_start', callId: 'call_1', capability: 'search-products' }]
    const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
    const { page } = await openTry([(route) => route.fulfill({ contentType: 'text/event-stream', body })])
    await ask(page, 'A mug?')
    await page.getByRole('alert').getByText('The answer broke off after it called search-products.').waitFor()
  })

  test.each([
    ['Approve', 'The call was made.', 1],
    ['Decline', 'The call was not made.', 0],
  ] as const)('asks the owner about a call that waits, and takes %s', async (name, sentence, made) => {
    const account = await scene.signIn()
    const { page } = account
    const { runtimeId } = await scene.deployedRuntime(account, {
      capabilities: CAPABILITIES.map((one) => ({ ...one, confirm: one.name === 'search-products' })),
    })
    const before = scene.endpoint.effects.length
    await page.goto(`${scene.url}/dashboard/runtimes/${runtimeId}/try`)
    await ask(page, 'search products for mug')
    const card = page.getByRole('region', { name: 'Searches the products of the shop.' })
    await card.getByText('query: mug').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    const [decision] = await Promise.all([
      page.waitForRequest(
        (request) => request.url().includes('/v1/executions/approvals/') && request.method() === 'POST',
      ),
      card.getByRole('button', { name }).press('Enter'),
    ])
    expect(Object.keys(decision.postDataJSON())).toEqual(['decision', 'approvalKey'])
    await card.getByText(sentence).waitFor()
    expect(await card.getByRole('button').count()).toBe(0)
    expect(await focused(page)).toBe('log')
    expect(scene.endpoint.effects.length - before).toBe(made)
    // The model is told, and goes on.
    await expect.poll(() => page.getByRole('link', { name: 'View trace' }).count()).toBe(2)
  })

  test('a session that has ended leads to the sign-in page', async () => {
    const account = await scene.signIn()
    const { page } = account
    const { runtimeId } = await scene.deployedRuntime(account)
    await page.goto(`${scene.url}/dashboard/runtimes/${runtimeId}/try`)
    await page.getByLabel('Your question').waitFor()
    await page.context().clearCookies()
    await page.getByRole('button', { name: 'What can you do?' }).click()
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
  })
})
