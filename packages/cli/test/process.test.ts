import { spawn } from 'node:child_process'
import { on, once } from 'node:events'
import { createServer } from 'node:http'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startControlPlane, statusReply } from './support/fake-control-plane.ts'
import { DEPLOY_KEY } from './support/keys.ts'
import { CONFIG, createProject, shopProject } from './support/project.ts'

vi.setConfig({ testTimeout: 60_000 })

const SVC = fileURLToPath(new URL('../bin/svc.js', import.meta.url))

/** Starts the built tool as a process of its own. */
function startSvc(cwd: string, args: readonly string[], env: Record<string, string>) {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [SVC, ...args], { cwd, env: { PATH, HOME, ...env } })
  const written = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (written.stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (written.stderr += String(chunk)))
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'close').then(([exitCode]) => ({ exitCode, ...written }))
  return { child, ended }
}

test('what the project’s modules print goes to stderr, so that --json is alone on stdout', async () => {
  const controlPlane = await startControlPlane({ 'GET /v1/runtime/status': statusReply(['order-status', 'refund']) })
  const files = { ...shopProject(), 'svc.config.ts': `console.log('one'); process.stdout.write('two\\n')\n${CONFIG}` }
  const { ended } = startSvc(createProject(files), ['status', '--json'], controlPlane.env(DEPLOY_KEY))
  const { exitCode, stdout, stderr } = await ended
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, inSync: true })
  expect(stderr).toBe('one\ntwo\n')
})

const RUNTIME = '/v1/traces/runtime/rt_exampleShop'
const START = Date.parse('2026-03-01T10:00:00.000Z')

/** The executions that `svc logs --follow` reads, first of one execution that has ended; `end` ends another one. */
async function followed() {
  const item = (executionId: string) => ({
    ...{ executionId, runtimeId: 'rt_exampleShop', kind: 'execute', status: 'completed', finishReason: 'stop' },
    ...{ durationMs: 5, capabilityCalls: 0, failedCalls: 0, totalTokens: 1 },
    ...{ startedAt: new Date(START).toISOString(), completedAt: new Date(START + 5).toISOString() },
  })
  const reply = (...ids: string[]) => ({ status: 200, body: { traces: ids.map(item), nextCursor: null } })
  const script = {
    [`GET ${RUNTIME}?limit=1`]: reply('exec_1'),
    [`GET ${RUNTIME}?limit=20`]: reply('exec_1'),
    [`GET ${RUNTIME}?status=running&limit=200`]: reply(),
    [`GET ${RUNTIME}?from=${START - 30_000}&limit=200`]: reply('exec_1'),
  }
  const { url } = await startControlPlane(script)
  const env = { SVC_ACCOUNT_KEY: 'svc_ak_of_nobody', SVC_RUNTIME_ID: 'rt_exampleShop', SVC_BASE_URL: url }
  const { child, ended } = startSvc(createProject({}), ['logs', '--follow'], env)
  await said(child.stderr, 'Waiting for executions to end')
  return { child, ended, end: () => (script[`GET ${RUNTIME}?from=${START - 30_000}&limit=200`] = reply('exec_2')) }
}

async function said(stream: Readable, text: string): Promise<void> {
  for await (const chunk of on(stream, 'data')) if (String(chunk).includes(text)) return
}

test('svc logs --follow goes on in a process that nothing else keeps alive, and Ctrl-C ends it with 0', async () => {
  const { child, ended, end } = await followed()
  end()
  await said(child.stdout, 'exec_2')
  child.kill('SIGINT')
  const { exitCode, stdout, stderr } = await ended
  expect(exitCode).toBe(0)
  expect(stdout.match(/exec_\d/g)).toEqual(['exec_1', 'exec_2'])
  expect(stderr).toBe('Waiting for executions to end (Ctrl-C ends it).\n')
})

test('svc logs --follow ends once nobody reads what it prints', async () => {
  const { child, ended, end } = await followed()
  child.stdout.destroy()
  end()
  expect(await ended).toMatchObject({ exitCode: 0 })
})

test('a module that holds the process open does not keep svc from ending', async () => {
  const controlPlane = await startControlPlane({ 'GET /v1/runtime/status': statusReply(['order-status', 'refund']) })
  const files = { ...shopProject(), 'svc.config.ts': `setInterval(() => {}, 1000)\n${CONFIG}` }
  const { exitCode, stdout } = await startSvc(createProject(files), ['status'], controlPlane.env(DEPLOY_KEY)).ended
  expect(exitCode).toBe(0)
  expect(stdout).toContain('✔ in sync\n')
})

test.each([
  ['ends the process', 'process.exit(0)', [expect.stringMatching(/^at svc\.config\.ts:\d+$/)]],
  ['waits for what never comes', 'await new Promise(() => {})', []],
])('a module that %s is not taken for success, in words and with --json', async (_name, statement, lines) => {
  const files = { ...shopProject(), 'svc.config.ts': `${statement}\n${CONFIG}` }
  const { exitCode, stdout, stderr } = await startSvc(createProject(files), ['status', '--json'], {
    SVC_API_KEY: DEPLOY_KEY,
  }).ended
  expect(exitCode).toBe(3)
  const message = 'The project’s own code ended svc, or waits for something that never comes.'
  expect(stderr).toContain(`✖ ${message}`)
  expect(JSON.parse(stdout)).toEqual({ ok: false, error: { kind: 'project', message, lines } })
})

test('Ctrl-C ends a command that waits, with exit code 130 and no more words', async () => {
  const silent = createServer()
  onTestFinished(() => {
    silent.closeAllConnections()
    silent.close()
  })
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const address = silent.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const env = { SVC_API_KEY: DEPLOY_KEY, SVC_BASE_URL: `http://127.0.0.1:${port}` }
  const { child, ended } = startSvc(createProject(shopProject()), ['status'], env)
  await Promise.race([once(silent, 'request'), ended])
  child.kill('SIGINT')
  expect(await ended).toEqual({ exitCode: 130, stdout: '', stderr: '' })
})
