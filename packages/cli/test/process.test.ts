import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
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

test('a module that holds the process open does not keep svc from ending', async () => {
  const controlPlane = await startControlPlane({ 'GET /v1/runtime/status': statusReply(['order-status', 'refund']) })
  const files = { ...shopProject(), 'svc.config.ts': `setInterval(() => {}, 1000)\n${CONFIG}` }
  const { exitCode, stdout } = await startSvc(createProject(files), ['status'], controlPlane.env(DEPLOY_KEY)).ended
  expect(exitCode).toBe(0)
  expect(stdout).toContain('✔ in sync (by name)\n')
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
