import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const run = promisify(execFile)
// Whatever credentials and settings a developer has, the demo must not use them.
const ENVIRONMENT = {
  PATH: process.env['PATH'],
  OPENAI_API_KEY: 'sk-not-to-be-used',
  SVC_MODEL_FALLBACK: 'openai:none',
  SVC_ALLOW_LOCAL_ENDPOINTS: '0',
  DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
}
const DEMO = fileURLToPath(new URL('../dist/demo/main.js', import.meta.url))

// holds MDL-04, OPS-09
test('the demo does the main job from registration to trace, within a minute and without a key', async () => {
  const { stdout } = await run(process.execPath, [DEMO], { env: ENVIRONMENT, timeout: 60_000 })

  expect(stdout).toContain('svc deploy')
  expect(stdout).toContain('the model calls search-products')
  expect(stdout).toMatch(/search-products +in {2}\{"/)
  expect(stdout).toMatch(/ +out \{"/)
  expect(stdout).toMatch(
    /place-order waits: “Place this order”[\s\S]*€249[\s\S]*approved: the shop gets the call, once[\s\S]*ORD-/,
  )
  expect(stdout).toContain('refused: This capability needs an end user')
  expect(stdout).toMatch(/revision 2026-07-28\n +tools .*search-products/)
  expect(stdout.trimEnd().endsWith('Every step answered as it should.')).toBe(true)
}, 60_000)

// holds OPS-09
test('ended in the middle of its steps, it leaves no control plane behind', async () => {
  const env = { ...ENVIRONMENT, PORT: '0', SHOP_PORT: '0' }
  const demo = spawn(process.execPath, [DEMO, '--serve'], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void demo.kill('SIGKILL'))
  const ended = once(demo, 'exit')
  let output = ''
  for await (const chunk of demo.stdout.iterator({ destroyOnReturn: false })) {
    output += String(chunk)
    if (output.includes('3. svc deploy')) break
  }
  const [, controlPlane] = /listening on (http:\S+)/.exec(output) ?? []
  demo.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  await expect(fetch(String(controlPlane))).rejects.toThrow('fetch failed')
}, 60_000)

// holds OPS-09
test('with --serve both stay up until Ctrl+C, which stops them in order', async () => {
  const env = { ...ENVIRONMENT, PORT: '0', SHOP_PORT: '0' }
  // A process group of its own, as a terminal gives: Ctrl+C goes to every process in it.
  const demo = spawn(process.execPath, [DEMO, '--serve'], { env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void demo.kill('SIGKILL'))
  const ended = once(demo, 'exit')
  let output = ''
  for await (const chunk of demo.stdout) {
    output += String(chunk)
    if (output.includes('Ctrl+C stops both')) break
  }
  const places = output.slice(output.indexOf('Have a look'))
  const [, dashboard] = /the dashboard +(http:\S+)/.exec(places) ?? []
  const [, shop] = /the shop +(http:\S+)/.exec(places) ?? []
  expect((await fetch(String(shop))).status).toBe(200)
  expect((await fetch(String(dashboard))).headers.get('content-type')).toContain('text/html')
  const [, email, password] = / (\S+@\S+) with (\S+)/.exec(places) ?? []
  const signIn = await fetch(`${new URL(String(dashboard)).origin}/v1/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
  expect(signIn.status).toBe(200)

  process.kill(-Number(demo.pid), 'SIGINT')

  expect(await ended).toEqual([0, null])
  await expect(fetch(String(shop))).rejects.toThrow('fetch failed')
}, 60_000)
