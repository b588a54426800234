import { createServer } from 'node:http'
import { listenOnFreePort, sharedChromium } from '@svc/testkit'
import { locate } from '@svc/testkit/needs'
import type { Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { makeCardsPage } from '../../scripts/cards-page.js'

/** A message of the page of cards, as its host got it. */
export interface Said {
  id?: number
  method?: string
  params?: Record<string, unknown>
  result?: unknown
  error?: unknown
}

/** A host of MCP Apps, in a browser: it shows the page of cards as the extension demands, in a frame of another origin. */
export interface McpHost {
  page: Page
  /** Everything that the page said so far. */
  said(method?: string): Promise<Said[]>
  tell(method: string, params: object, id?: number): Promise<void>
  /** Gives the page the result of a tool, and waits until it has drawn it. */
  show(svc: unknown, result?: object): Promise<void>
  /** What the page answers, by method, from now on. */
  answer(method: string, answer: object): Promise<void>
  /** What any page logged as an error, and what was asked for beside the pages. */
  faults: string[]
  requested: string[]
}

// The policy that the extension demands where a server names one domain.
const policyWith = (domains: string) =>
  `
  default-src 'none'; script-src 'self' 'unsafe-inline' ${domains}; style-src 'self' 'unsafe-inline' ${domains};
  connect-src 'none'; img-src 'self' data: ${domains}; font-src 'self' ${domains}; media-src 'self' data: ${domains};
  frame-src 'none'; object-src 'none'; base-uri 'self'`.replace(/\s+/g, ' ')

const SANDBOX = `<!doctype html><title>Sandbox</title><body style="margin:0"><script>
const inner = document.createElement('iframe')
inner.sandbox = 'allow-scripts'
inner.style.cssText = 'border:0;width:100%;height:100%'
addEventListener('message', ({ source, data }) => {
  if (source === inner.contentWindow) return parent.postMessage(data, '*')
  if (source !== parent) return
  if (data.method !== 'ui/notifications/sandbox-resource-ready') return inner.contentWindow.postMessage(data, '*')
  inner.srcdoc = data.params.html
  document.body.append(inner)
})
parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/sandbox-proxy-ready', params: {} }, '*')
</script></body>`

const hostPage = (sandbox: string) => `<!doctype html><title>Host</title><body><script>
const said = []
const waiting = new Map()
const answers = {
  'ui/initialize': { result: {
    protocolVersion: '2026-01-26', hostInfo: { name: 'double', version: '1' },
    hostCapabilities: { openLinks: {}, serverTools: {}, message: { text: {} } },
    hostContext: { theme: 'dark', styles: { variables: { '--color-text-primary': 'rgb(1, 2, 3)' } } },
  } },
}
const frame = document.createElement('iframe')
frame.sandbox = 'allow-scripts allow-same-origin'
frame.style.width = '480px'
const tell = (message) => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*')
addEventListener('message', async ({ source, data }) => {
  if (source !== frame.contentWindow) return
  if (data.method === 'ui/notifications/sandbox-proxy-ready') {
    const html = await (await fetch('/cards.html')).text()
    return tell({ method: 'ui/notifications/sandbox-resource-ready', params: { html } })
  }
  const drawn = waiting.get(data.id)
  if (drawn) return drawn()
  said.push(data)
  if (data.id !== undefined && data.method) tell({ id: data.id, ...(answers[data.method] ?? { result: {} }) })
  if (data.method === 'ui/notifications/size-changed') frame.style.height = data.params.height + 'px'
})
// Messages are heard in their order: once the second is answered, the first has been drawn.
const show = (params) => new Promise((drawn) => {
  const id = 'ping-' + waiting.size
  waiting.set(id, drawn)
  try {
    tell({ method: 'ui/notifications/tool-result', params })
  } catch {
    // A value too deep to be copied reaches no page.
    return drawn()
  }
  tell({ id, method: 'ping' })
})
frame.src = ${JSON.stringify(sandbox)}
document.body.append(frame)
Object.assign(globalThis, { said, answers, tell, show })
</script></body>`

/** Opens the page of cards in a host, and waits until it has said that it is there. */
export async function openHost({ domains = '' } = {}): Promise<McpHost> {
  const html = await makeCardsPage(['@svc/source'])
  const server = createServer(({ url = '', headers: { host = '' } }, response) => {
    const content =
      { '/cards.html': html, '/sandbox': SANDBOX }[url] ?? hostPage(`http://localhost:${host.split(':')[1]}/sandbox`)
    const policy = url === '/sandbox' && { 'content-security-policy': policyWith(domains) }
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...policy }).end(content)
  })
  const { url, close } = await listenOnFreePort(server)
  const context = await (await sharedChromium(locate('chromium'))).newContext()
  onTestFinished(async () => {
    await context.close()
    await close()
  })
  const page = await context.newPage()
  const [faults, requested]: [string[], string[]] = [[], []]
  page.on('console', (line) => line.type() === 'error' && faults.push(line.text()))
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('dialog', (dialog) => {
    faults.push('a dialog')
    void dialog.dismiss()
  })
  await context.route(/^https:/, (route) => {
    requested.push(route.request().url())
    return route.fulfill({ contentType: 'image/png', body: PICTURE })
  })
  const tell = (method: string, params: object, id?: number) =>
    page.evaluate((message) => Reflect.get(globalThis, 'tell')(message), {
      method,
      params,
      ...(id !== undefined && { id }),
    })
  const opened: McpHost = {
    page,
    faults,
    requested,
    tell,
    async said(method) {
      const all: Said[] = await page.evaluate(() => Reflect.get(globalThis, 'said'))
      return method === undefined ? all : all.filter((message) => message.method === method)
    },
    // As text: outputs that mean harm may be deeper than what a browser is told as an object.
    show: (svc, result = {}) =>
      page.evaluate(
        (params) => Reflect.get(globalThis, 'show')(JSON.parse(params)),
        JSON.stringify({ content: [{ type: 'text', text: '{}' }], _meta: { svc }, ...result }),
      ),
    answer: (method, answer) =>
      page.evaluate((given) => Object.assign(Reflect.get(globalThis, 'answers'), given), { [method]: answer }),
  }
  await page.goto(`${url}/`)
  await page.waitForFunction(() =>
    Reflect.get(globalThis, 'said').some(({ method }: Said) => method === 'ui/notifications/initialized'),
  )
  return opened
}

const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
