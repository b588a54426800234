import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { signCall } from '@svc/sdk/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createProject } from './support/project.ts'
import { runSvc } from './support/run-svc.ts'

const SVC = fileURLToPath(new URL('../bin/svc.js', import.meta.url))
const IDENTITY = { runtimeId: 'rt_exampleShop', secret: 'the-signing-secret-of-the-shop' }
const NEW_SECRET = 'the-new-secret-of-the-shop'
// As during a rotation, and on any free port.
const ENVIRONMENT_FILE = `SVC_RUNTIME_ID=${IDENTITY.runtimeId}\nSVC_RUNTIME_SECRET=${IDENTITY.secret},${NEW_SECRET}\nPORT=0\n`

/** A runtime that answers with a word, at once or late, throws its end user’s token, at once or when `go-on` is there, or ends. */
const saying = (word: string) => `
import { existsSync } from 'node:fs'
import { defineCapability, defineRuntime } from '@svc/sdk'
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const handlers = {
  say: () => '${word}',
  fail: (_input, { endUserToken }) => { throw new Error('no session ' + endUserToken) },
  'fail-later': async (_input, { endUserToken }) => {
    console.log('failing')
    while (!existsSync('go-on')) await pause(20)
    throw new Error(endUserToken.split(' ')[1] + ' ' + encodeURIComponent(endUserToken.split(' ')[1]))
  },
  'say-late': async () => {
    console.log('called')
    await pause(300)
    return 'late'
  },
  'end-process': () => process.exit(7),
}
const permissions = { fail: ['speak'] }
const capabilities = Object.entries(handlers).map(([name, handler]) =>
  defineCapability({ name, version: '1.0.0', permissions: permissions[name] ?? [], handler }))
export default defineRuntime({ capabilities })
`

const shopFiles = (runtime: string, environment = ENVIRONMENT_FILE) => ({
  'svc.config.ts': 'export default {}',
  '.svc/runtime.ts': runtime,
  '.env': environment,
})

/** `svc dev` as a process of its own; `said` waits until it has printed something since the last mark. */
function startDev(
  folder: string,
  args: readonly string[] = [],
  whenOver: (end: () => Promise<void>) => void = onTestFinished,
) {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [SVC, 'dev', ...args], { cwd: folder, env: { PATH, HOME } })
  let written = ''
  let marked = 0
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
  // A wait for a text looks once more then.
  child.on('close', () => child.emit('svc-text'))
  whenOver(() => end(child))
  const said = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const match = pattern.exec(written.slice(marked))
      if (match) return match[1] ?? match[0]
      const code = child.exitCode ?? child.signalCode
      if (code !== null) throw new Error(`svc dev ended with ${code}: ${written}`)
      await once(child, 'svc-text')
    }
  }
  const mark = () => {
    marked = written.length
  }
  const ended = once(child, 'close').then(([code]) => code)
  return { child, said, mark, all: () => written, stdout: () => stdout, ended }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  child.kill('SIGTERM')
  await closed
}

const SERVING = /Serving 5 capabilities at (\S+)/

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
  let folder: string
  const ends: (() => unknown)[] = []
  const write = (path: string, text: string) => writeFileSync(join(folder, path), text)
  const edit = (runtime: string) => write('.svc/runtime.ts', runtime)
  beforeAll(async () => {
    const whenOver = (end: () => unknown) => void ends.unshift(end)
    const ignored = { 'data/orders.json': '{}', '.svc/generated/x.json': '{}', 'dist/a.js': '' }
    folder = createProject({ ...shopFiles('this is no code'), ...ignored }, whenOver)
    dev = startDev(folder, [], whenOver)
  })
  beforeEach(() => dev.mark())
  afterAll(async () => {
    for (const end of ends) await end()
  })

  test('serves a project that is broken at the start once it is mended', async () => {
    await dev.said(/Nothing is served\. Waiting for a change\./)
    edit(saying('hello'))
    url = await dev.said(SERVING)
    expect(await call(url)).toMatchObject({ body: { output: 'hello' } })
  })

  test('lists the capabilities, serves signed calls on this machine and prints a line for each, but for probes', async () => {
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/svc$/)
    expect(dev.all()).toMatch(/^say 1\.0\.0$/m)
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

  test('prints what a handler throws with its stack and without the end user’s token', async () => {
    await call(url, { capability: 'fail', endUserToken: 'session-of-alice' })
    await dev.said(/^fail {2}\d+ ms {2}failed \(handler_failed\): no session \[end-user token\]$/m)
    await dev.said(/Error: no session \[end-user token\]\n\s+at .*runtime\.ts/)
    expect(dev.all()).not.toContain('session-of-alice')
  })

  test('withholds a token without its scheme and as a URL writes it, also after a forged call of the same id', async () => {
    const withToken = { capability: 'fail-later', endUserToken: 'Bearer secret+of/alice', callId: 'one' }
    const answer = post(url, await signCall({ ...IDENTITY, ...withToken }))
    await dev.said(/failing/)
    await fetch(url, { method: 'POST', body: JSON.stringify({ callId: 'one', endUserToken: 'something-else' }) })
    write('go-on', '')
    await answer
    await dev.said(/Error: \[end-user token\] \[end-user token\]/)
    expect(dev.all()).not.toMatch(/secret.*alice/)
  })

  test('refuses what is signed with neither secret of a rotation, and replays, a reload between them included', async () => {
    expect(await call(url, { secret: 'another-secret' })).toMatchObject({
      status: 401,
      body: { error: 'signature_mismatch' },
    })
    await dev.said(/^say {2}\d+ ms {2}refused: 401 signature_mismatch$/m)
    expect(await call(url, { secret: NEW_SECRET })).toMatchObject({ status: 200 })
    const signed = await signCall({ ...IDENTITY, capability: 'say' })
    expect(await post(url, signed)).toMatchObject({ status: 200 })
    edit(saying('after'))
    await dev.said(/runtime\.ts changed: reloaded/)
    expect(await post(url, signed)).toMatchObject({ status: 401, body: { error: 'nonce_replayed' } })
    expect(await call(url)).toMatchObject({ body: { output: 'after' } })
  })

  test('shows the fault of a broken edit while the version before goes on, and the next edit mends it', async () => {
    edit(`${saying('second')} this is no code`)
    await dev.said(/\.svc\/runtime\.ts could not be loaded\.[\s\S]*The version before goes on answering\./)
    expect(await call(url)).toMatchObject({ body: { output: 'after' } })
    edit(saying('third'))
    await dev.said(/runtime\.ts changed: reloaded, 5 capabilities/)
    expect(await call(url)).toMatchObject({ body: { output: 'third' } })
  })

  test('reloads for code in a new folder and for .env, whose other PORT it tells of, and not for packages, generated files and data', async () => {
    for (const path of ['data/orders.json', '.svc/generated/x.json', 'dist/a.js', 'notes.txt', 'shop.sqlite']) {
      write(path, String(Math.PI))
    }
    write('.env', ENVIRONMENT_FILE.replace('PORT=0', 'PORT=1'))
    expect(await dev.said(/(\S+) changed: reloaded/)).toBe('.env')
    await dev.said(/The port has changed: start svc dev again for it\./)
    expect(dev.all()).not.toMatch(/orders\.json|x\.json|a\.js|notes\.txt|sqlite/)
    rmSync(join(folder, 'data'), { recursive: true })
    write('words.ts', 'export {}')
    await dev.said(/words\.ts changed: reloaded/)
  })

  test('goes on when code of the project ends its process', async () => {
    expect(await call(url, { capability: 'end-process' })).toMatchObject({
      status: 503,
      body: { error: 'not_serving' },
    })
    await dev.said(/The project’s own code ended its process\./)
    edit(saying('alive'))
    await dev.said(/changed: reloaded/)
    expect(await call(url)).toMatchObject({ body: { output: 'alive' } })
  })

  test('lets files change with --no-watch, and what was loaded goes on', async () => {
    const still = startDev(folder, ['--port', '0', '--no-watch'])
    const stillUrl = await still.said(SERVING)
    edit(saying('changed'))
    await dev.said(/changed: reloaded/)
    expect(await call(url)).toMatchObject({ body: { output: 'changed' } })
    expect(await call(stillUrl)).toMatchObject({ body: { output: 'alive' } })
    expect(still.all()).not.toContain('reloaded')
  })

  test('remarks on permissions once, however often the project is loaded again', () => {
    expect(dev.all().match(/changed: reloaded/g)?.length).toBeGreaterThan(3)
    expect(dev.all().split('svc dev takes every end user to hold every permission')).toHaveLength(2)
  })

  // The last: it ends the process.
  test('lets a call under way end at SIGINT, and exits with 0', () => expectEndAt('SIGINT', dev, url))
})

/** The call is answered, the port is closed, and the exit code is 0. */
async function expectEndAt(signal: 'SIGINT' | 'SIGTERM', dev: ReturnType<typeof startDev>, url: string): Promise<void> {
  const { headers, body } = await signCall({ ...IDENTITY, capability: 'say-late' })
  // A connection that the client keeps is waited for.
  const answer = post(url, { headers: { ...headers, connection: 'close' }, body })
  await dev.said(/called/)
  dev.child.kill(signal)
  expect(await answer).toEqual({ status: 200, body: { output: 'late' } })
  expect(await dev.ended).toBe(0)
  await expect(fetch(url)).rejects.toThrow('fetch failed')
}

test('--json prints one document on stdout, whatever the project’s own code prints, and SIGTERM lets a call under way end', async () => {
  const folder = createProject(shopFiles(`console.log('loaded')\n${saying('hello')}`))
  const dev = startDev(folder, ['--port', '0', '--json'])
  const url = await dev.said(/"url": "([^"]+)"/)
  await call(url)
  await dev.said(/say {2}\d+ ms {2}ok/)
  await expectEndAt('SIGTERM', dev, url)
  const capabilities = expect.arrayContaining([expect.objectContaining({ name: 'say' })])
  expect(JSON.parse(dev.stdout())).toMatchObject({ ok: true, url, capabilities })
})

test('a port that is taken ends dev with a message that names it', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  onTestFinished(() => void other.close())
  const address = other.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const folder = createProject(shopFiles(saying('hello'), ENVIRONMENT_FILE.replace('PORT=0', `PORT=${port}`)))
  const listening = () => ['SIGINT', 'SIGTERM'].map((signal) => process.listenerCount(signal))
  const before = listening()
  const { exitCode, stderr } = await runSvc(folder, ['dev'], { env: {} })
  expect(exitCode).toBe(1)
  expect(stderr).toContain(`✖ Port ${port} is taken`)
  expect(listening()).toEqual(before)
})

const WITHOUT_CREDENTIALS = shopFiles(saying('hello'), 'SVC_RUNTIME_ID=\n')

test('without the runtime’s credentials --no-watch ends dev with their names', async () => {
  const args = ['dev', '--port', '0', '--no-watch']
  const { exitCode, stderr } = await runSvc(createProject(WITHOUT_CREDENTIALS), args, { env: {} })
  expect(exitCode).toBe(3)
  expect(stderr).toContain('SVC_RUNTIME_ID and SVC_RUNTIME_SECRET are not set.')
})

test('with --json a project that cannot be served ends dev with the document of the failure', async () => {
  const args = ['dev', '--port', '0', '--json']
  const { exitCode, stdout } = await runSvc(createProject(WITHOUT_CREDENTIALS), args, { env: {} })
  expect(exitCode).toBe(3)
  const message = expect.stringContaining('SVC_RUNTIME_ID and SVC_RUNTIME_SECRET are not set.')
  expect(JSON.parse(stdout)).toMatchObject({ ok: false, error: { kind: 'project', message } })
})
