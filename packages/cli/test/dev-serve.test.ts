import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { signCall } from '@svc/sdk/testing'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createProject } from './support/project.ts'

const SVC = fileURLToPath(new URL('../bin/svc.js', import.meta.url))
const IDENTITY = { runtimeId: 'rt_exampleShop', secret: 'the-signing-secret-of-the-shop' }
const ENVIRONMENT_FILE = `SVC_RUNTIME_ID=${IDENTITY.runtimeId}\nSVC_RUNTIME_SECRET=${IDENTITY.secret}\n`

/** A runtime whose one capability answers with a word. */
const saying = (word: string) => `
import { defineCapability, defineRuntime } from '@svc/sdk'
const say = defineCapability({ name: 'say', version: '1.0.0', handler: ${word} })
export default defineRuntime({ capabilities: [say] })
`
const WORD = (word: string) => saying(`() => '${word}'`)

const shopFiles = (runtime: string) => ({
  'svc.config.ts': 'export default {}',
  '.svc/runtime.ts': runtime,
  '.env': ENVIRONMENT_FILE,
})
const shop = (runtime: string, more: Record<string, string> = {}) => createProject({ ...shopFiles(runtime), ...more })

/** `svc dev` as a process of its own on any free port; `said` waits until it has printed something. */
function startDev(
  folder: string,
  args: readonly string[] = ['--port', '0'],
  whenOver: (end: () => Promise<void>) => void = onTestFinished,
) {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [SVC, 'dev', ...args], { cwd: folder, env: { PATH, HOME } })
  let written = ''
  let stdout = ''
  const onText = (text: string) => {
    written += text
    child.emit('svc-text')
  }
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk)
    onText(String(chunk))
  })
  child.stderr.on('data', (chunk) => onText(String(chunk)))
  whenOver(() => end(child))
  const said = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const match = pattern.exec(written)
      if (match) return match[1] ?? match[0]
      if (child.exitCode !== null) throw new Error(`svc dev ended with ${child.exitCode}: ${written}`)
      await Promise.race([once(child, 'svc-text'), once(child, 'close')])
    }
  }
  return { child, said, all: () => written, stdout: () => stdout, ended: once(child, 'close').then(([code]) => code) }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  child.kill('SIGTERM')
  await closed
}

const SERVING = /Serving 1 capability at (\S+)/

type Fields = Partial<Parameters<typeof signCall>[0]>

async function call(url: string, fields: Fields = {}): Promise<{ status: number; body: unknown }> {
  return post(url, await signCall({ ...IDENTITY, capability: 'say', ...fields }))
}

async function post(url: string, { headers, body }: Awaited<ReturnType<typeof signCall>>) {
  const response = await fetch(url, { method: 'POST', headers, body })
  const answered: unknown = await response.json()
  return { status: response.status, body: answered }
}

describe('dev', () => {
  let dev: ReturnType<typeof startDev>
  let url: string
  const ends: (() => unknown)[] = []
  beforeAll(async () => {
    const whenOver = (end: () => unknown) => void ends.unshift(end)
    dev = startDev(createProject(shopFiles(WORD('hello')), whenOver), undefined, whenOver)
    url = await dev.said(SERVING)
  })
  afterAll(async () => {
    for (const end of ends) await end()
  })

  test('lists the capabilities, serves signed calls on this machine and prints a line for each, but for probes', async () => {
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/svc$/)
    expect(await dev.said(/^say 1\.0\.0$/m)).toBe('say 1.0.0')
    expect(await call(url, { capability: 'svc-probe' })).toEqual({ status: 200, body: { output: { ok: true } } })
    expect(await call(url)).toEqual({ status: 200, body: { output: 'hello' } })
    await dev.said(/^say {2}\d+ ms {2}ok$/m)
    expect(dev.all()).not.toContain('svc-probe')
  })

  test('lets no caller write to the terminal: no control character, no turn of direction', async () => {
    await fetch(url, { method: 'POST', body: JSON.stringify({ capability: 'a\u001b[2J\u009b2J\u202eb' }) })
    await dev.said(/^a \[2J 2J b {2}\d+ ms {2}refused/m)
    expect(dev.all().replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u)
  })

  test('answers other paths and methods without the project’s code', async () => {
    expect((await fetch(url)).status).toBe(405)
    expect((await fetch(url.replace('/svc', '/other'), { method: 'POST' })).status).toBe(404)
  })
})

test('dev refuses what is signed with neither secret of a rotation, and replays, a reload between them included', async () => {
  const both = ENVIRONMENT_FILE.replace('SECRET=', 'SECRET=the-new-secret-of-the-shop,')
  const folder = shop(WORD('before'), { '.env': both })
  const { said } = startDev(folder)
  const url = await said(SERVING)
  expect(await call(url, { secret: 'another-secret' })).toMatchObject({
    status: 401,
    body: { error: 'signature_mismatch' },
  })
  await said(/^say {2}\d+ ms {2}refused: 401 signature_mismatch$/m)
  expect(await call(url, { secret: 'the-new-secret-of-the-shop' })).toMatchObject({ status: 200 })
  const signed = await signCall({ ...IDENTITY, capability: 'say' })
  expect(await post(url, signed)).toMatchObject({ status: 200 })
  writeFileSync(join(folder, '.svc/runtime.ts'), WORD('after'))
  await said(/runtime\.ts changed: reloaded/)
  expect(await post(url, signed)).toMatchObject({ status: 401, body: { error: 'nonce_replayed' } })
  expect(await call(url)).toMatchObject({ body: { output: 'after' } })
}, 60_000)

test('a broken edit shows its fault while the version before goes on, and the next edit mends it', async () => {
  const folder = shop(WORD('first'))
  const { said } = startDev(folder)
  const url = await said(SERVING)
  writeFileSync(join(folder, '.svc/runtime.ts'), `${WORD('second')} this is no code`)
  await said(/\.svc\/runtime\.ts could not be loaded\.[\s\S]*The version before goes on answering\./)
  expect(await call(url)).toMatchObject({ body: { output: 'first' } })
  writeFileSync(join(folder, '.svc/runtime.ts'), WORD('third'))
  await said(/runtime\.ts changed: reloaded, 1 capability/)
  expect(await call(url)).toMatchObject({ body: { output: 'third' } })
}, 60_000)

test('a project that is broken at the start is served once it is mended', async () => {
  const folder = shop('this is no code')
  const { said } = startDev(folder)
  await said(/Nothing is served\. Waiting for a change\./)
  writeFileSync(join(folder, '.svc/runtime.ts'), WORD('mended'))
  expect(await call(await said(SERVING))).toMatchObject({ body: { output: 'mended' } })
}, 60_000)

test('code of the project that ends its process does not end dev', async () => {
  const folder = shop(saying('() => process.exit(7)'))
  const { said } = startDev(folder)
  const url = await said(SERVING)
  expect(await call(url)).toMatchObject({ status: 503, body: { error: 'not_serving' } })
  await said(/The project’s own code ended its process\./)
  writeFileSync(join(folder, '.svc/runtime.ts'), WORD('alive'))
  await said(/changed: reloaded/)
  expect(await call(url)).toMatchObject({ body: { output: 'alive' } })
}, 60_000)

test('packages, generated files and data do not reload; code in a new folder and .env do', async () => {
  const folder = shop(WORD('hello'), { 'data/orders.json': '{}', '.svc/generated/x.json': '{}', 'dist/a.js': '' })
  const { said, all } = startDev(folder)
  await said(SERVING)
  for (const path of ['data/orders.json', '.svc/generated/x.json', 'dist/a.js', 'notes.txt', 'shop.sqlite']) {
    writeFileSync(join(folder, path), String(Math.PI))
  }
  writeFileSync(join(folder, '.env'), `${ENVIRONMENT_FILE}MORE=1\n`)
  expect(await said(/(\S+) changed: reloaded/)).toBe('.env')
  expect(all()).not.toMatch(/orders\.json|x\.json|a\.js|notes\.txt|sqlite/)
  rmSync(join(folder, 'data'), { recursive: true })
  writeFileSync(join(folder, 'words.ts'), 'export {}')
  await said(/words\.ts changed: reloaded/)
}, 60_000)

test('what a handler throws is printed with its stack and without the end user’s token', async () => {
  const thrower = "(_input, { endUserToken }) => { throw new Error('no session ' + endUserToken) }"
  const { said, all } = startDev(shop(saying(thrower)))
  const url = await said(SERVING)
  await call(url, { endUserToken: 'session-of-alice' })
  await said(/^say {2}\d+ ms {2}failed \(handler_failed\): no session \[end-user token\]$/m)
  await said(/Error: no session \[end-user token\]\n\s+at .*runtime\.ts/)
  expect(all()).not.toContain('session-of-alice')
}, 60_000)

test('a token is withheld without its scheme and as a URL writes it, also after a forged call of the same id', async () => {
  const thrower = `async (_input, { endUserToken }) => {
    console.log('called')
    while (!existsSync('go-on')) await new Promise((resolve) => setTimeout(resolve, 20))
    throw new Error(endUserToken.split(' ')[1] + ' ' + encodeURIComponent(endUserToken.split(' ')[1]))
  }`
  const folder = shop(`import { existsSync } from 'node:fs'\n${saying(thrower)}`)
  const { said, all } = startDev(folder)
  const url = await said(SERVING)
  const signed = await signCall({
    ...IDENTITY,
    capability: 'say',
    endUserToken: 'Bearer secret+of/alice',
    callId: 'one',
  })
  const answer = post(url, signed)
  await said(/called/)
  await fetch(url, { method: 'POST', body: JSON.stringify({ callId: 'one', endUserToken: 'something-else' }) })
  writeFileSync(join(folder, 'go-on'), '')
  await answer
  await said(/Error: \[end-user token\] \[end-user token\]/)
  expect(all()).not.toMatch(/secret.*alice/)
}, 60_000)

test('--json prints one document on stdout, whatever the project’s own code prints', async () => {
  const { said, stdout, child, ended } = startDev(shop(`console.log('loaded')\n${WORD('hello')}`), [
    '--port',
    '0',
    '--json',
  ])
  const url = await said(/"url": "([^"]+)"/)
  await call(url)
  await said(/say {2}\d+ ms {2}ok/)
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
  expect(JSON.parse(stdout())).toMatchObject({ ok: true, url, capabilities: [{ name: 'say' }] })
}, 60_000)

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s lets a call under way end, and dev exits with 0',
  async (signal) => {
    const slow = "() => new Promise((resolve) => { console.log('called'); setTimeout(() => resolve('late'), 300) })"
    const { said, child, ended } = startDev(shop(saying(slow)))
    const url = await said(SERVING)
    const { headers, body } = await signCall({ ...IDENTITY, capability: 'say' })
    // A connection that the client keeps is waited for.
    const answer = post(url, { headers: { ...headers, connection: 'close' }, body })
    await said(/called/)
    child.kill(signal)
    expect(await answer).toEqual({ status: 200, body: { output: 'late' } })
    expect(await ended).toBe(0)
    await expect(fetch(url)).rejects.toThrow('fetch failed')
  },
  60_000,
)

test('a port that is taken ends dev with a message that names it', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  onTestFinished(() => void other.close())
  const address = other.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const folder = shop(WORD('hello'), { '.env': `${ENVIRONMENT_FILE}PORT=${port}\n` })
  const { ended, all } = startDev(folder, [])
  expect(await ended).toBe(1)
  expect(all()).toContain(`✖ Port ${port} is taken`)
}, 60_000)

test('without the runtime’s credentials --no-watch ends dev with their names', async () => {
  const folder = shop(WORD('hello'), { '.env': 'SVC_RUNTIME_ID=\n' })
  const { ended, all } = startDev(folder, ['--port', '0', '--no-watch'])
  expect(await ended).toBe(3)
  expect(all()).toContain('SVC_RUNTIME_ID and SVC_RUNTIME_SECRET are not set.')
}, 60_000)

test('with --json a project that cannot be served ends dev with the document of the failure', async () => {
  const folder = shop(WORD('hello'), { '.env': 'SVC_RUNTIME_ID=\n' })
  const { ended, stdout } = startDev(folder, ['--port', '0', '--json'])
  expect(await ended).toBe(3)
  const message = expect.stringContaining('SVC_RUNTIME_ID and SVC_RUNTIME_SECRET are not set.')
  expect(JSON.parse(stdout())).toMatchObject({ ok: false, error: { kind: 'project', message } })
}, 60_000)

test('another PORT in .env is told, and served at the next start', async () => {
  const folder = shop(WORD('hello'), { '.env': `${ENVIRONMENT_FILE}PORT=0\n` })
  const { said } = startDev(folder, [])
  await said(SERVING)
  writeFileSync(join(folder, '.env'), `${ENVIRONMENT_FILE}PORT=1\n`)
  await said(/The port has changed: start svc dev again for it\./)
}, 60_000)

test('permissions are remarked on once, however often the project is loaded again', async () => {
  const asking = WORD('hello').replace("version: '1.0.0',", "version: '1.0.0', permissions: ['speak'],")
  const folder = shop(asking)
  const { said, all } = startDev(folder)
  await said(SERVING)
  writeFileSync(join(folder, '.svc/runtime.ts'), `${asking}// again`)
  await said(/changed: reloaded/)
  expect(all().split('svc dev takes every end user to hold every permission')).toHaveLength(2)
}, 60_000)

test('with --no-watch files may change, and what was loaded goes on', async () => {
  const folder = shop(WORD('first'))
  const still = startDev(folder, ['--port', '0', '--no-watch'])
  const watching = startDev(folder)
  const url = await still.said(SERVING)
  await watching.said(SERVING)
  writeFileSync(join(folder, '.svc/runtime.ts'), WORD('second'))
  await watching.said(/changed: reloaded/)
  expect(await call(url)).toMatchObject({ body: { output: 'first' } })
  expect(still.all()).not.toContain('changed')
}, 60_000)
