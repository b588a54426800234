// Pictures of the main screens for README.md and docs/, of the demo as it stands:
//   npm run demo -- --serve            in one terminal
//   npm run screenshots -- <dashboard address> <e-mail> <password>
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'

const [address = 'http://127.0.0.1:8787', email = '', password = ''] = process.argv.slice(2)
const folder = join(import.meta.dirname, '../../../docs/images')
const QUESTIONS = ['What lanterns do you have under 50 euros?', 'When are you open?', 'Show me a tent']
const SIZE = { width: 1280, height: 800 }

mkdirSync(folder, { recursive: true })
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
try {
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) await takeAll(colorScheme)
} finally {
  await browser.close()
}

/** @param {'light' | 'dark'} colorScheme */
async function takeAll(colorScheme) {
  const page = await browser.newPage({ viewport: SIZE, colorScheme })
  const url = `${new URL(address).origin}/dashboard`
  await page.goto(`${url}/sign-in`)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('table', { name: 'Runtimes' }).waitFor()

  const runtime = await page.getByRole('table', { name: 'Runtimes' }).getByRole('link').first().getAttribute('href')
  await page.goto(new URL(`${runtime}/capabilities`, address).href)
  await take('capabilities', page.getByText('As JSON Schema').first())

  await page.goto(new URL(`${runtime}/try`, address).href)
  for (const question of QUESTIONS) await ask(question)
  await take('try', page.getByRole('link', { name: 'See what happened' }).last())

  await page.goto(`${url}/executions`)
  const rows = page.getByRole('table', { name: 'Executions' })
  await rows.waitFor()

  // One in which the model spoke, called and spoke again.
  const links = await rows.getByRole('link').all()
  const paths = await Promise.all(links.map((link) => link.getAttribute('href')))
  for (const path of paths) {
    await page.goto(new URL(path ?? '', address).href)
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    if ((await page.getByText('Model, step 2').count()) > 0) break
  }
  await take('trace', page.getByText('Model, step 1'))

  await page.goto(`${url}/analytics`)
  await take('analytics', page.locator('.recharts-bar-rectangle').first())
  await page.close()

  /** @param {string} question */
  async function ask(question) {
    const answered = page.getByRole('link', { name: 'See what happened' })
    const before = await answered.count()
    await page.getByLabel('Your question').fill(question)
    await page.getByRole('button', { name: 'Ask' }).click()
    await answered.nth(before).waitFor()
  }

  /**
   * @param {string} name
   * @param {import('playwright-core').Locator} shown
   */
  async function take(name, shown) {
    await shown.waitFor()
    await page.screenshot({ path: join(folder, `dashboard-${name}-${colorScheme}.png`), animations: 'disabled' })
  }
}
