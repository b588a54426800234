import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { launchChromium } from '@svc/testkit'
import { locate } from '@svc/testkit/needs'
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { describeEngine, useDatabase } from '../../../server/test/support/engines.ts'
import { DASHBOARD_PICTURES, FIRST_RUN } from './dashboard-pictures.ts'
import { SHOP_PICTURES } from './shop-pictures.ts'
import { type Stage, setStage } from './stage.ts'
import { playWeek } from './week.ts'

const FOLDER = join(import.meta.dirname, '../../../../docs/images')
const PICTURES = [...DASHBOARD_PICTURES, FIRST_RUN, ...SHOP_PICTURES]

// The chat’s root is closed to scripts of the page; a person, and this one, look into it.
const OPEN_ROOTS = `
  const attach = Element.prototype.attachShadow
  Element.prototype.attachShadow = function (options) { return attach.call(this, { ...options, mode: 'open' }) }
`

describeEngine(
  'sqlite',
  'the pictures of the documentation',
  (engine) => {
    const database = useDatabase(engine)
    let browser: Browser
    let stage: Stage
    /** Once for all: nobody may try a password as often as there are pictures. */
    let session: Awaited<ReturnType<BrowserContext['storageState']>>
    beforeAll(async () => {
      mkdirSync(FOLDER, { recursive: true })
      browser = await launchChromium(locate('chromium'))
      stage = await setStage(database(), playWeek)
      session = await logIn()
    })
    afterAll(async () => {
      await browser?.close()
      await stage?.close()
    })

    test.each(
      PICTURES.flatMap((picture) => [
        { picture, theme: 'light' as const },
        { picture, theme: 'dark' as const },
      ]),
    )('$picture.name, $theme', async ({ picture, theme }) => {
      await stage.renew()
      const isOfOwner = DASHBOARD_PICTURES.includes(picture)
      const options = { viewport: picture.size, colorScheme: theme, ...(isOfOwner && { storageState: session }) }
      const context = await browser.newContext(options)
      await context.addInitScript(OPEN_ROOTS)
      const page = await context.newPage()
      await picture.show(page, stage)
      await page.screenshot({ path: join(FOLDER, `${picture.name}-${theme}.png`), animations: 'disabled' })
      await context.close()
    })

    async function logIn() {
      const context = await browser.newContext()
      const page = await context.newPage()
      await page.goto(`${stage.url}/dashboard/sign-in`)
      await page.getByLabel('E-mail').fill(stage.owner.email)
      await page.getByLabel('Password').fill(stage.owner.password)
      await page.getByRole('button', { name: 'Log in' }).click()
      await page.getByRole('table', { name: 'Runtimes' }).waitFor()
      const state = await context.storageState()
      await context.close()
      return state
    }
  },
  'chromium',
)
