import type {} from '@svc/widget/element'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { json, openStream, writeEvents } from './support/answers.ts'
import { describeInBrowser } from './support/browser.ts'
import { hostileCases } from './support/hostile-cases.ts'

/** What a page looks like after one case. */
interface Aftermath {
  ran: unknown
  polluted: boolean
  address: string
  unexpected: string[]
  handlers: string[]
  links: string[]
  sources: string[]
  nodes: number
  depth: number
  hidden: boolean
  state: string
}

const CASES = hostileCases()
// What a page can lay out at once without anybody waiting: the tree’s own limit, and what stands around it.
const MOST_NODES = 5000
const DEEPEST = 60

describeInBrowser('hostile answers are inert', (scene) => {
  const results: Aftermath[] = []
  const requested = new Set<string>()

  beforeAll(async () => {
    scene.service.execute.push((response, { body }) => {
      const question =
        JSON.stringify(body)
          .match(/case (\d+)/g)
          ?.at(-1) ?? ''
      openStream(response)
      writeEvents(response, CASES[Number(question.slice('case '.length))]?.events ?? [])
      response.end()
    })
    scene.service.capability.push(json({ executionId: 'e', output: {}, durationMs: 1 }))
    const page = await scene.open()
    page.on('dialog', (dialog) => {
      requested.add('a dialog')
      void dialog.dismiss()
    })
    page.on('request', (request) => requested.add(request.url().replace(scene.service.url, '')))
    // Nothing leaves: what is asked for elsewhere is refused here, and noted above.
    await page.route(
      (url) => url.origin !== scene.service.url,
      (route) => route.abort(),
    )
    for (let from = 0; from < CASES.length; from += 50) {
      results.push(...(await play(page, from, Math.min(from + 50, CASES.length))))
    }
  }, 600_000)

  test('there are at least 200 of them', () => {
    expect(CASES.length).toBeGreaterThan(500)
    expect(new Set(CASES.map(({ title }) => title)).size).toBe(CASES.length)
    expect(results.length).toBe(CASES.length)
  })

  test.each(CASES.map(({ title }, index) => [JSON.stringify(title).slice(0, 110), index] as const))(
    '%s',
    (_, index) => {
      const { nodes, depth, address, ...rest } = results[index] ?? ({} as Aftermath)
      expect(rest).toEqual({
        ran: null,
        polluted: false,
        unexpected: [],
        handlers: [],
        links: [],
        sources: [],
        hidden: false,
        state: 'completed',
      })
      expect(address).toBe(`${scene.service.url}/page`)
      expect(nodes).toBeLessThan(MOST_NODES)
      expect(depth).toBeLessThan(DEEPEST)
    },
  )

  test('nothing was asked for but answers, and the pictures of cards over https', () => {
    const own = ['/v1/runtime/execute', '/v1/runtime/capability', 'https://images.example/a.png']
    expect([...requested].filter((url) => !own.includes(url))).toEqual([])
  })
})

/** Plays cases one after the other in the page, each in a conversation of its own. */
function play(page: Page, from: number, to: number): Promise<Aftermath[]> {
  return page.evaluate(
    async ([start, end]) => {
      const chat = document.querySelector('svc-chat')
      const root = chat?.shadowRoot
      if (!chat || !root) throw new Error('no chat')
      const drawn = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      const all: Aftermath[] = []
      for (let index = start; index < end; index += 1) {
        chat.clear()
        const ended = new Promise((resolve) => chat.addEventListener('svc-answer', resolve, { once: true }))
        chat.ask(`case ${index}`)
        await ended
        await drawn()
        const elements = [...root.querySelectorAll('*')]
        const names = (found: Element[]) => found.map(({ outerHTML }) => outerHTML.slice(0, 200))
        const isOurs = (element: Element) => element.closest('.send, .icon') !== null
        const links = elements.filter((element) => element instanceof HTMLAnchorElement)
        const images = elements.filter((element) => element instanceof HTMLImageElement)
        const depthOf = (element: Element | null): number => (element ? 1 + depthOf(element.parentElement) : 0)
        const last = chat.conversation?.getSnapshot().turns.at(-1)
        const text = root.querySelector('.log')?.textContent ?? ''
        all.push({
          ran: Reflect.get(globalThis, 'ran') ?? null,
          polluted: 'polluted' in {} || 'svc' in {} || 'cards' in {} || text.includes('polluted'),
          address: location.href,
          unexpected: names(
            elements.filter(
              (element) =>
                /^(script|iframe|object|embed|form|input|link|style|meta|base|svg|math|video|audio|details|template|svc-chat)$/i.test(
                  element.tagName,
                ) && !isOurs(element),
            ),
          ),
          handlers: names(
            elements.filter((element) =>
              element
                .getAttributeNames()
                .some((name) => name.startsWith('on') || (name === 'style' && element.tagName !== 'TEXTAREA')),
            ),
          ),
          links: names(
            links.filter(
              (link) =>
                !link.href.startsWith('https://') ||
                link.username !== '' ||
                link.target !== '_blank' ||
                !['noopener', 'noreferrer', 'nofollow'].every((word) => link.relList.contains(word)),
            ),
          ),
          sources: names(images.filter((image) => !image.closest('.card') || !image.src.startsWith('https://'))),
          nodes: elements.length,
          depth: Math.max(...elements.map(depthOf)),
          hidden: /(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u.test(text),
          state: last?.role === 'assistant' ? last.state : 'none',
        })
      }
      return all
    },
    [from, to] as const,
  )
}
