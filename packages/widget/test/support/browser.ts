import { type LentPage, lendPage, sharedChromium } from '@svc/testkit'
import { locate, needs } from '@svc/testkit/needs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { type Answer, type ServiceDouble, startServiceDouble } from './service-double.ts'

export interface Scene {
  service: ServiceDouble
  /** A page with the element in it, and with nothing of an earlier test. */
  open(options?: OpenOptions): Promise<Page>
}

export interface OpenOptions {
  /** Attributes of `<svc-chat>`. */
  attributes?: string
  /** Around the element; `{chat}` stands for it. */
  html?: string
  context?: Parameters<Browser['newContext']>[0]
}

/** Tests in one real browser, whose chats have an open shadow root so that the test can look into them. */
export function describeInBrowser(title: string, tests: (scene: Scene) => void): void {
  needs('chromium')(title, () => {
    let browser: Browser
    const lent: LentPage[] = []
    const scene: Scene = {
      get service() {
        return service
      },
      async open({ attributes = '', html = '{chat}', context: options } = {}) {
        const chat = `<svc-chat public-key="svc_pk_test" ${attributes}></svc-chat>`
        service.page.html =
          `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Page</title>` +
          `<meta name="viewport" content="width=device-width"><script type="module" src="/widget.js"></script></head>` +
          `<body>${html.replace('{chat}', chat)}</body></html>`
        const borrowed = await lendPage(browser, { ...options, initScript: OPEN_ROOTS })
        lent.push(borrowed)
        const { page } = borrowed
        await page.goto(`${service.url}/page`)
        await page.waitForFunction(() => customElements.get('svc-chat') !== undefined)
        return page
      },
    }
    let service: ServiceDouble
    beforeAll(async () => {
      ;[browser, service] = await Promise.all([sharedChromium(locate('chromium')), startServiceDouble()])
    }, 60_000)
    // A chat that stays open goes on polling.
    afterEach(async ({ task }) => {
      const after = { hasFailed: task.result?.state === 'fail' }
      await Promise.all(lent.splice(0).map(({ giveBack }) => giveBack(`${service.url}/nothing`, after)))
    })
    afterAll(async () => {
      await service?.close()
    })
    tests(scene)
  })
}

/** A page whose chat gets these answers, one for each execution. */
export function openAnswering({ service, open }: Scene, answers: Answer[], options: OpenOptions = {}): Promise<Page> {
  service.seen.length = 0
  service.execute.splice(0, Number.POSITIVE_INFINITY, ...answers)
  service.capability.splice(0, Number.POSITIVE_INFINITY)
  return open(options)
}

/** Types a question and sends it. */
export async function ask(page: Page, text: string): Promise<void> {
  await page.locator('svc-chat textarea').fill(text)
  await page.keyboard.press('Enter')
}

const OPEN_ROOTS = `
  const attach = Element.prototype.attachShadow
  Element.prototype.attachShadow = function (options) { return attach.call(this, { ...options, mode: 'open' }) }
`
