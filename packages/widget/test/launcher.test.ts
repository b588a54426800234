import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { says } from './support/answers.ts'
import { ask, describeInBrowser, type OpenOptions, openAnswering } from './support/browser.ts'
import type { Answer } from './support/service-double.ts'

const FOUND = {
  capability: 'search-products',
  output: {
    svc: {
      cards: [{ type: 'product', title: 'Tent', actions: [{ type: 'reply', label: 'Add', value: 'Add the tent' }] }],
      pending: { capability: 'order-status', label: 'your payment', intervalMs: 1000, timeoutMs: 60_000 },
    },
  },
}
const LAUNCHER = 'launcher heading="The shop" greeting="Ask me about tents." suggestions="Any tents?\nAny lamps?"'

describeInBrowser('a chat that an end user meets', (scene) => {
  const open = (answers: Answer[], options: OpenOptions = {}) => openAnswering(scene, answers, options)
  const teaser = (page: Page) => page.locator('svc-chat .teaser')
  const askedFor = () => scene.service.seen.filter(({ path }) => path === '/v1/runtime/execute')

  test('greets beside its closed launcher, and a suggestion opens it and asks', async () => {
    const page = await open([says('Three tents.')], { attributes: LAUNCHER })
    await teaser(page).getByText('Ask me about tents.').waitFor()
    await teaser(page).getByRole('button', { name: 'Any lamps?' }).click()
    await page.locator('svc-chat .log').getByText('Three tents.').waitFor()
    expect(await teaser(page).isVisible()).toBe(false)
    expect(JSON.stringify(askedFor().map(({ body }) => body))).toContain('Any lamps?')
    await page.keyboard.press('Escape')
    // Something was said: the greeting does not come back.
    expect(await teaser(page).isVisible()).toBe(false)
  })

  test('hides its greeting for good, with the focus on the launcher', async () => {
    const page = await open([], { attributes: LAUNCHER })
    await teaser(page).getByRole('button', { name: 'Hide the greeting' }).click()
    expect(await teaser(page).isVisible()).toBe(false)
    await page.keyboard.press('Enter')
    await page.locator('svc-chat .panel').waitFor()
    await page.keyboard.press('Escape')
    expect(await teaser(page).isVisible()).toBe(false)
    expect(askedFor()).toEqual([])
  })

  const brightness = (page: Page) =>
    page.locator('svc-chat .panel').evaluate((panel) => {
      const canvas = document.createElement('canvas').getContext('2d')
      if (!canvas) throw new Error('no canvas')
      canvas.fillStyle = getComputedStyle(panel).backgroundColor
      canvas.fillRect(0, 0, 1, 1)
      return canvas.getImageData(0, 0, 1, 1).data[0] ?? -1
    })

  test.each<[string, OpenOptions, 'light' | 'dark']>([
    ['the page before the system', { html: '<div style="color-scheme: dark">{chat}</div>' }, 'dark'],
    [
      'a light page before the system',
      { html: '<div style="color-scheme: light">{chat}</div>', context: { colorScheme: 'dark' } },
      'light',
    ],
    ['the system where the page says nothing', { context: { colorScheme: 'dark' } }, 'dark'],
    [
      'its attribute before all',
      { attributes: 'theme="light"', html: '<div style="color-scheme: dark">{chat}</div>' },
      'light',
    ],
  ])('takes its colours from %s', async (_title, options, scheme) => {
    // The page’s own policy would refuse its inline style.
    const page = await open([], { ...options, context: { bypassCSP: true, ...options.context } })
    expect((await brightness(page)) < 100).toBe(scheme === 'dark')
  })

  test('an answer is copied, and the conversation saved, in words alone', async () => {
    const context = { permissions: ['clipboard-read', 'clipboard-write'] }
    const page = await open([says('A **warm** one.', [FOUND])], { context, attributes: 'heading="The shop"' })
    await ask(page, 'A lamp?')
    await page.locator('svc-chat').getByRole('button', { name: 'Copy the answer' }).click()
    await page.locator('svc-chat').getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('A **warm** one.')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('svc-chat').getByRole('button', { name: 'Save the conversation as a text file' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('conversation.txt')
    expect(readFileSync(await download.path(), 'utf8')).toBe('You:\nA lamp?\n\nThe shop:\nA **warm** one.\n')
  })

  test('a card has buttons of its own, and a wait the words of its capability', async () => {
    const page = await open([says('One tent.', [FOUND]), says('Added.')])
    await ask(page, 'Tents?')
    await page.locator('svc-chat .log').getByText('Waiting for your payment …').waitFor()
    await page.locator('svc-chat .card').getByRole('button', { name: 'Add' }).click()
    await page.locator('svc-chat .log').getByText('Added.').waitFor()
    expect(JSON.stringify(askedFor().at(-1)?.body)).toContain('Add the tent')
  })

  test('shows the page’s own picture in its header', async () => {
    const page = await open([])
    const width = await page.evaluate(() => {
      const picture = Object.assign(document.createElement('img'), { slot: 'avatar', alt: '' })
      document.querySelector('svc-chat')?.append(picture)
      return picture.getBoundingClientRect().width
    })
    expect(width).toBe(28)
  })
})
