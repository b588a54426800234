import type { Page } from 'playwright-core'
import type { Picture } from './picture.ts'

/** The screens of the dashboard, as an owner of the stage’s shop sees them. */
export const DASHBOARD_PICTURES: readonly Picture[] = [
  {
    name: 'dashboard-home',
    size: { width: 1280, height: 860 },
    async show(page, { url }) {
      await page.goto(`${url}/dashboard/`)
      await page.getByRole('img', { name: /^Executions per hour/ }).waitFor()
      await page.getByRole('listitem').filter({ hasText: 'ago' }).first().waitFor()
    },
  },
  {
    name: 'dashboard-capabilities',
    size: { width: 1280, height: 860 },
    async show(page, { url, runtimeId }) {
      await page.goto(`${url}/dashboard/runtimes/${runtimeId}/capabilities`)
      await page.getByText('As JSON Schema').first().waitFor()
    },
  },
  {
    name: 'dashboard-embed',
    size: { width: 1280, height: 860 },
    async show(page, { url, runtimeId }) {
      await page.goto(`${url}/dashboard/runtimes/${runtimeId}/origins`)
      await page.getByLabel('Origins, one per line').fill('https://shop.example.com')
      await page.getByRole('button', { name: 'Show code' }).click()
      await page.getByRole('button', { name: 'Show code' }).waitFor({ state: 'detached' })
    },
  },
  {
    name: 'dashboard-try',
    size: { width: 1280, height: 560 },
    async show(page, { url, runtimeId }) {
      await page.goto(`${url}/dashboard/runtimes/${runtimeId}/try`)
      await page.getByLabel('Your question').fill('Do you have a lantern for under 30 euros?')
      await page.getByRole('button', { name: 'Ask' }).click()
      await page.getByRole('link', { name: 'View trace' }).waitFor()
    },
  },
  {
    name: 'dashboard-executions',
    size: { width: 1280, height: 860 },
    async show(page, { url }) {
      await page.goto(`${url}/dashboard/executions`)
      await page.getByRole('table', { name: 'Executions' }).waitFor()
    },
  },
  { name: 'dashboard-trace', size: { width: 1280, height: 1200 }, show: showTrace },
  { name: 'dashboard-trace-narrow', size: { width: 390, height: 844 }, show: showTrace },
  {
    name: 'dashboard-analytics',
    size: { width: 1280, height: 1020 },
    async show(page, { url }) {
      await page.goto(`${url}/dashboard/analytics`)
      await page.locator('.recharts-line-dots').first().waitFor()
      await page.locator('.recharts-bar-rectangle').last().waitFor()
    },
  },
]

/** An execution in which the model spoke, called and spoke again. */
async function showTrace(page: Page, { url }: { url: string }): Promise<void> {
  await page.goto(`${url}/dashboard/executions?status=completed`)
  const rows = page.getByRole('table', { name: 'Executions' }).getByRole('link')
  await rows.first().waitFor()
  const paths = await Promise.all((await rows.all()).map((link) => link.getAttribute('href')))
  for (const path of paths.filter((each) => each?.includes('/executions/'))) {
    await page.goto(new URL(path ?? '', url).href)
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    if ((await page.getByText('Model, step 2').count()) > 0) return
  }
  throw new Error('no execution of the first page has two steps')
}

let accounts = 0

/** The first run of an account of its own, up to what follows on a new runtime. */
export const FIRST_RUN: Picture = {
  name: 'dashboard-first-run',
  size: { width: 1280, height: 1120 },
  async show(page, { url }) {
    await page.goto(`${url}/dashboard/sign-up`)
    accounts += 1
    await page.getByLabel('E-mail').fill(`ada${accounts}@example.com`)
    await page.getByLabel('Password').fill('a long enough password')
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.getByRole('link', { name: 'Create your first runtime' }).click()
    await page.getByLabel('Name').fill('Mug shop')
    await page.getByLabel('Endpoint').fill('http://127.0.0.1:8790/svc')
    await page.getByRole('button', { name: 'Create runtime' }).click()
    await page.getByText('Waiting for the first deployment').waitFor()
  },
}
