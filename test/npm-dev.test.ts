import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freePort, start } from './support/programs.ts'
import { scratchFolder } from './support/sample-folder.ts'
import { ROOT } from './support/source-tree.ts'

test('npm run dev serves the server, the shop and the dashboard, and Ctrl+C stops all three', async () => {
  const [server, shop, dashboard] = await Promise.all([freePort(), freePort(), freePort()])
  const folder = scratchFolder()
  const env = {
    ...{ PATH: process.env['PATH'], HOME: folder, SVC_DEV_DIR: join(folder, 'dev'), SVC_MODEL: 'demo:rules' },
    ...{ PORT: String(server), SHOP_PORT: String(shop), DASHBOARD_PORT: String(dashboard) },
  }
  const { child } = await start(process.execPath, ['scripts/dev.js'], { cwd: ROOT, until: /Ctrl\+C stops/, env })
  const urls = [`http://127.0.0.1:${server}/health`, `http://127.0.0.1:${shop}`]
  urls.push(`http://127.0.0.1:${dashboard}/dashboard/`)
  const answers = await Promise.all(urls.map(async (url) => (await fetch(url)).status))
  const signIn = await fetch(`http://127.0.0.1:${dashboard}/v1/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: `http://127.0.0.1:${dashboard}` },
    body: JSON.stringify({ email: 'owner@shop.example.com', password: 'hollow-pine-demo' }),
  })
  expect([...answers, signIn.status]).toEqual([200, 200, 200, 200])

  child.kill('SIGINT')
  const [code] = await once(child, 'exit')

  expect(code).toBe(0)
  for (const url of urls) await expect(fetch(url)).rejects.toThrow('fetch failed')
}, 120_000)
