import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

interface Kept {
  readonly page: Page
  readonly profile: string
}

export interface LentPage {
  readonly page: Page
  /**
   * Resets it for the next borrower, at an address of its last origin that loads little. Closes it where it cannot be reset, and
   * after a test that `hasFailed`: what that test had begun may still go on in it.
   */
  giveBack(restAt: string, after?: { hasFailed: boolean }): Promise<void>
}

export interface LendOptions extends BrowserContextOptions {
  /** Runs before the scripts of each page. */
  initScript?: string
}

// Each is a process of about 100 MB.
const MOST_KEPT = 3
const kept: Kept[] = []

/**
 * A page whose profile holds nothing, which the tests of one process use one after another. A new page starts a process, which
 * compiles all scripts anew: to load the dashboard takes it 1.5 s of processor time, and a used one 0.4 s.
 */
export async function lendPage(browser: Browser, options: LendOptions = {}): Promise<LentPage> {
  const { viewport = { width: 1280, height: 720 }, colorScheme = 'light', reducedMotion, ...others } = options
  const profile = JSON.stringify(others)
  const page = takeKept(browser, profile) ?? (await makePage(browser, others))
  if (viewport) await page.setViewportSize(viewport)
  await page.emulateMedia({ colorScheme, reducedMotion: reducedMotion ?? 'no-preference' })
  return {
    page,
    async giveBack(restAt, { hasFailed } = { hasFailed: false }) {
      if (hasFailed || !(await reset(page, restAt).catch(() => false))) return page.context().close()
      kept.push({ page, profile })
      if (kept.length > MOST_KEPT) await kept.shift()?.page.context().close()
    },
  }
}

function takeKept(browser: Browser, profile: string): Page | undefined {
  const at = kept.findLastIndex(({ page, ...each }) => each.profile === profile && page.context().browser() === browser)
  return at < 0 ? undefined : kept.splice(at, 1)[0]?.page
}

async function makePage(browser: Browser, { initScript, ...options }: LendOptions): Promise<Page> {
  const context = await browser.newContext(options)
  if (initScript !== undefined) await context.addInitScript(initScript)
  return context.newPage()
}

/** False where something of the test would stay. */
async function reset(page: Page, restAt: string): Promise<boolean> {
  const context = page.context()
  if (page.isClosed() || context.pages().length > 1) return false
  for (const event of ['console', 'dialog', 'pageerror', 'request', 'requestfailed', 'response'] as const) {
    page.removeAllListeners(event)
  }
  await Promise.all([page.unrouteAll({ behavior: 'ignoreErrors' }), context.unrouteAll({ behavior: 'ignoreErrors' })])
  await context.setOffline(false)
  await page.goto(restAt)
  // Only now: an answer on its way to the page before may set one.
  await context.clearCookies()
  // The library gives no page its own clock back.
  return page.evaluate<boolean>("localStorage.clear(), sessionStorage.clear(), !('__pwClock' in globalThis)")
}
