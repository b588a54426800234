import { randomUUID } from 'node:crypto'
import type { DeploymentManifestInput, DeploymentSource } from '@svc/contract'
import {
  type LendOptions,
  lendPage,
  type OwnerEndpoint,
  type SmtpDouble,
  sharedChromium,
  startOwnerEndpoint,
} from '@svc/testkit'
import { locate } from '@svc/testkit/needs'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { demoModel } from '../../../server/src/model/demo-model.ts'
import { findWebFiles } from '../../../server/src/web/web-files.ts'
import { createTestClock } from '../../../server/test/support/clock.ts'
import { describeEngine, useDatabase } from '../../../server/test/support/engines.ts'
import { startMail } from '../../../server/test/support/mail.ts'
import { deployBody, PASSWORD, startService, type TestService } from '../../../server/test/support/service.ts'

// A browser is slow where the machine is busy with other things.
const PATIENCE_MS = 30_000

/** The service on a port, with its dashboard as it was built, and a browser before it. */
export interface DashboardScene {
  readonly url: string
  readonly service: TestService
  readonly endpoint: OwnerEndpoint
  /** Takes the mails of the service. */
  readonly smtp: SmtpDouble
  /** A page whose browser profile holds nothing. What the page itself finds fault with fails the test. */
  open(path: string, options?: LendOptions): Promise<Page>
  /** The same, signed in to a new account. */
  openSignedIn(path: string, options?: LendOptions): Promise<SignedIn>
  /** The same before anything is loaded: a test that prepares its account first saves a load. */
  signIn(options?: LendOptions): Promise<SignedIn>
  /** A runtime of the account, deployed, whose endpoint answers. */
  deployedRuntime(account: SignedIn, manifest?: Partial<DeploymentManifestInput>): Promise<DeployedRuntime>
}

export interface SignedIn {
  page: Page
  email: string
  /** Calls the API as the page does. */
  call(method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown): Promise<unknown>
}

export interface DeployedRuntime {
  runtimeId: string
  deployKey: string
  deploy(manifest: Partial<DeploymentManifestInput>, source?: DeploymentSource): Promise<void>
}

/** Tests in a real browser. One engine is enough: every request of the pages is tested on both elsewhere. */
export function describeScreens(title: string, tests: (scene: DashboardScene) => void): void {
  describeEngine('sqlite', title, (engine) => inBrowser(useDatabase(engine), tests), 'chromium')
}

type Database = ReturnType<ReturnType<typeof useDatabase>>

function inBrowser(database: () => Database, tests: (scene: DashboardScene) => void): void {
  let browser: Browser
  let started: Awaited<ReturnType<typeof startOnPort>>
  beforeAll(async () => {
    ;[browser, started] = await Promise.all([sharedChromium(locate('chromium')), startOnPort(database())])
  })
  afterAll(async () => {
    await started?.endpoint.close()
    await started?.service.close()
    await started?.smtp.close()
  })
  const openWith = async (options: LendOptions | undefined, before: (page: Page) => Promise<void>) => {
    const { page, giveBack } = await lendPage(browser, { viewport: { width: 1440, height: 900 }, ...options })
    onTestFinished(({ task }) =>
      giveBack(`${started.url}/dashboard/favicon.svg`, { hasFailed: task.result?.state === 'fail' }),
    )
    page.setDefaultTimeout(PATIENCE_MS)
    watchFaults(page)
    await before(page)
    return page
  }
  const open: DashboardScene['open'] = (path, options) =>
    openWith(options, async (page) => void (await page.goto(`${started.url}/dashboard${path}`)))
  const signIn: DashboardScene['signIn'] = async (options) => {
    const email = `${randomUUID()}@example.com`
    const page = await openWith(options, async () => {})
    const call: SignedIn['call'] = (method, path, body) => callAs(page, started.url, { method, path, body })
    // By the API: the form has a test of its own.
    await call('POST', '/v1/auth/sign-up', { email, password: PASSWORD })
    return { page, email, call }
  }
  tests({
    get url() {
      return started.url
    },
    get service() {
      return started.service
    },
    get endpoint() {
      return started.endpoint
    },
    get smtp() {
      return started.smtp
    },
    open,
    signIn,
    async openSignedIn(path, options) {
      const account = await signIn(options)
      await account.page.goto(`${started.url}/dashboard${path}`)
      if (path === '') await account.page.getByRole('heading', { name: 'Welcome' }).waitFor()
      return account
    },
    deployedRuntime: (account, manifest) => makeRuntime(started, account, manifest),
  })
}

async function startOnPort(database: Database) {
  const web = findWebFiles()
  if (web.dashboard === null) throw new Error('the dashboard is not built: run “npm run build” first')
  const clock = createTestClock(Date.now())
  let url = ''
  const { smtp, mailer } = await startMail()
  const service = await startService(database, {
    web,
    mailer,
    clock,
    model: await demoModel(),
    // Known once it listens.
    get baseUrl() {
      return url
    },
  })
  url = await listen(service)
  const endpoint = await startOwnerEndpoint({
    now: () => clock.now(),
    handle: {
      'search-products': () => ({ output: PRODUCTS }),
      'cancel-order': () => ({ error: 'The order is on its way.' }),
    },
  })
  return { service, endpoint, smtp, url }
}

// One after another on the same port: the browser keeps the scripts of an address, compiled.
let lastPort = 0

async function listen({ app }: TestService): Promise<string> {
  const on = (port: number) => app.listen({ host: '127.0.0.1', port })
  const url = await on(lastPort).catch(() => on(0))
  lastPort = Number(new URL(url).port)
  return url
}

const PRODUCTS = { products: [{ title: 'Blue mug', price: 12.5 }], total: 1 }

export const CAPABILITIES: DeploymentManifestInput['capabilities'] = [
  {
    name: 'search-products',
    version: '1.0.0',
    description: 'Searches the products of the shop.',
    actions: [
      {
        name: 'search',
        inputSchema: {
          type: 'object',
          properties: { query: { type: 'string', description: 'Words to look for.', minLength: 1 } },
          required: ['query'],
        },
      },
    ],
  },
  {
    name: 'cancel-order',
    version: '1.0.0',
    description: 'Cancels an order by its number.',
    actions: [
      {
        name: 'cancel',
        inputSchema: { type: 'object', properties: { orderNumber: { type: 'string' } }, required: ['orderNumber'] },
      },
    ],
  },
]

async function makeRuntime(
  { service, endpoint }: Pick<DashboardScene, 'service' | 'endpoint'>,
  { call }: SignedIn,
  manifest: Partial<DeploymentManifestInput> = {},
): Promise<DeployedRuntime> {
  const created = await call('POST', '/v1/runtimes', { name: 'Mug shop', endpoint: endpoint.url })
  const { runtimeId, deployKey, secret } = credentialsIn(created)
  endpoint.trust({ runtimeId, secrets: [secret] })
  const deploy = async (changes: Partial<DeploymentManifestInput>, source?: DeploymentSource) => {
    const body = { ...deployBody({ capabilities: CAPABILITIES, ...changes }), source }
    const answer = await service.send('POST', '/v1/deployments', { key: deployKey, body })
    expect(answer.statusCode).toBe(201)
  }
  await deploy(manifest)
  return { runtimeId, deployKey, deploy }
}

function credentialsIn(value: unknown): { runtimeId: string; deployKey: string; secret: string } {
  if (typeof value !== 'object' || value === null) throw new Error('no runtime was made')
  const { runtimeId, deployKey, secret } = { runtimeId: '', deployKey: '', secret: '', ...value }
  return { runtimeId, deployKey, secret }
}

async function callAs(
  page: Page,
  url: string,
  { method, path, body }: { method: string; path: string; body: unknown },
): Promise<unknown> {
  const answer = await page.request.fetch(url + path, {
    method,
    headers: { origin: url, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { data: JSON.stringify(body) }),
  })
  expect([path, answer.ok(), answer.ok() ? '' : await answer.text()]).toEqual([path, true, ''])
  return answer.json()
}

// Requests that are refused or fail are logged by the browser itself, and are what some tests are about; all else is a
// fault.
function watchFaults(page: Page): void {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    const isRefusal = /the server responded with a status of 4\d\d|net::ERR_FAILED/.test(message.text())
    if (message.type() === 'error' && !isRefusal) faults.push(message.text())
  })
  onTestFinished(() => expect(faults).toEqual([]))
}

/** Leads to another screen as a link does, without a load, and waits until it has read what it shows. */
export async function show(page: Page, path: string): Promise<void> {
  await page.evaluate(`__TSR_ROUTER__.history.push(${JSON.stringify(`/dashboard${path}`)})`)
  await expect.poll(() => page.evaluate(IS_SHOWN), { timeout: 20_000 }).toBe(true)
}

const IS_SHOWN = `(({ state: { status, location, resolvedLocation } }) =>
  status === 'idle' && location.href === resolvedLocation?.href && document.querySelector('h1') !== null &&
  [...document.querySelectorAll('[role=status]')].every((each) => each.getAttribute('aria-label') !== 'Loading')
)(__TSR_ROUTER__)`

// Halfway between two colours there may be too little contrast. Style sheets are read for an experimental rule alone, which axe
// leaves out: that took longer than all others together.
const AXE = `
  Promise.all(
    document.getAnimations().filter((each) => each instanceof CSSTransition).map(({ finished }) => finished.catch(() => null)),
  )
    .then(() => axe.run(document, { resultTypes: ['violations'], preload: { assets: ['media'] }, ...OPTIONS }))
    .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target.join(' '))))
`

const OF_COLOURS = ['color-contrast', 'link-in-text-block']
const OPTIONS = {
  all: {},
  colours: { runOnly: OF_COLOURS },
  'all but colours': { rules: Object.fromEntries(OF_COLOURS.map((rule) => [rule, { enabled: false }])) },
}

/** What axe finds on the page as it stands, by all of its rules or by some: `rule: element`. */
export async function accessibilityFaults(page: Page, rules: keyof typeof OPTIONS = 'all'): Promise<string[]> {
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(axe.source)
  const found: unknown = await page.evaluate(AXE.replace('OPTIONS', JSON.stringify(OPTIONS[rules])))
  return Array.isArray(found) ? found.map(String) : ['axe did not answer']
}
