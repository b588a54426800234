import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createPrometheusMetrics } from '../../packages/server/src/telemetry/prometheus-metrics.ts'
import { sampleOf } from '../support/doc-samples.ts'
import { start } from '../support/programs.ts'
import { scratchFolder } from '../support/sample-folder.ts'
import { ROOT } from '../support/source-tree.ts'

const run = promisify(execFile)

const PAGE = 'docs/operating/backup.md'
const telemetry = readFileSync(join(ROOT, 'docs/reference/telemetry.md'), 'utf8')

test('a backup made as the page says, of a server at work, brings back accounts, keys and executions', async () => {
  const folder = scratchFolder()
  const server = await startOn(folder, '.svc-data')
  const owner = z.object({ apiKey: z.string() }).parse(JSON.parse(await admin(folder, CREATE)))
  const runtime = z
    .object({ runtimeId: z.string(), deployKey: z.string() })
    .parse(await post(`${server.url}/v1/runtimes`, owner.apiKey, { name: 'Shop' }))
  const asked = {
    runtimeId: runtime.runtimeId,
    messages: [{ role: 'user', parts: [{ type: 'text', content: 'hi' }] }],
  }
  const answered = await post(`${server.url}/v1/executions`, owner.apiKey, asked)
  // Under way while the copy is made.
  const meanwhile = Array.from({ length: 20 }, () => post(`${server.url}/v1/executions`, owner.apiKey, asked))
  const backedUp = JSON.parse(await admin(folder, commandOf('While the server runs')))
  for (const answer of await Promise.all(meanwhile)) expect(answer).toMatchObject({ status: 'completed' })
  expect(Object.keys(backedUp)).toEqual(Object.keys(shown('prints one line')))

  const restored = JSON.parse(await admin(folder, commandOf('Restore into a data folder'), 'restored'))
  expect(Object.keys(restored)).toEqual(Object.keys(shown('It says what it put there')))
  expect(restored).toMatchObject({ masterKey: 'missing', executions: backedUp.executions })
  await run('sh', ['-ec', sampleOf(PAGE, 'put it there before the first start', 'sh').code], { cwd: folder })
  const again = await startOn(folder, 'restored')
  const reveal = `${again.url}/v1/runtimes/${runtime.runtimeId}/reveal-key`
  expect(await post(reveal, owner.apiKey, { type: 'deploy' })).toMatchObject({ key: runtime.deployKey })
  const { executionId } = z.object({ executionId: z.string() }).parse(answered)
  const trace = await get(`${again.url}/v1/traces/${executionId}`, owner.apiKey)
  expect(trace).toMatchObject({ executionId, status: 'completed' })
  expect(await get(`${again.url}/v1/executions?status=running`, owner.apiKey)).toMatchObject({ executions: [] })
}, 240_000)

test('the page lists every metric of the service with its labels, and no other', async () => {
  const metrics = createPrometheusMetrics()
  const counted = [...(await metrics.text()).matchAll(/^# TYPE (svc_\w+)/gm)].map(([, name = '']) => name)
  const table = telemetry.slice(telemetry.indexOf('| metric | labels |'), telemetry.indexOf('No label names'))
  const listed = [...table.matchAll(/^\| (`svc_[^|]+) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(svc_\w+)`/g)].map(([, name = '']) => name),
  )
  expect(listed.sort()).toEqual(counted.sort())
})

test('the page lists every message that the service logs, and no other', () => {
  const folder = join(ROOT, 'packages/server/src')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const calls = files.flatMap((name) => [
    ...readFileSync(join(folder, name), 'utf8').matchAll(
      /logger\??\.(?:fatal|error|warn|info)\((?:[^()]|\([^()]*\))*?(['`])([^'`]+)\1,?\s*\)/g,
    ),
  ])
  // Jobs pass their message on.
  const jobs = readFileSync(join(folder, 'ops/background-jobs.ts'), 'utf8').matchAll(
    /(?:attempt\(deps|repeat\(\w+),[^']*(')([^']+)'/g,
  )
  // A template’s variable part is “…” on the page.
  const logged = [...calls, ...jobs].map(([, , message = '']) =>
    message.replace(/\$\{[^}]+\}/g, '…').replace(/: …$/, ': …'),
  )
  expect(logged.length).toBeGreaterThan(10)
  const table = telemetry.slice(telemetry.indexOf('| level | `msg` |'))
  const rows = [...table.matchAll(/^\| (?!level|---)[^|]+\| ([^|]+) \|/gm)].map(([, cell = '']) => cell)
  const listed = rows.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, message = '']) => message))
  expect(listed.sort()).toEqual([...new Set(logged)].sort())
})

const CREATE = ['create-owner', '--email', 'owner@example.com']

/** The operator's command of a sample, as arguments. */
function commandOf(above: string): string[] {
  const { code } = sampleOf(PAGE, above, 'sh')
  const [, words = ''] = /admin -- (.+)$/m.exec(code) ?? []
  return words.split(' ')
}

/** The line of output that the page shows below these words. */
function shown(above: string): object {
  return z.record(z.string(), z.unknown()).parse(JSON.parse(sampleOf(PAGE, above, 'json').code))
}

function environment(folder: string, data: string): NodeJS.ProcessEnv {
  const settings = { SVC_DATA_DIR: join(folder, data), PORT: '0', SVC_MODEL: 'demo:rules', SVC_LOG_LEVEL: 'error' }
  return { PATH: process.env['PATH'], ...settings }
}

async function startOn(folder: string, data: string): Promise<{ url: string }> {
  const main = join(ROOT, 'packages/server/dist/bundle/main.js')
  const env = environment(folder, data)
  const { match } = await start(process.execPath, [main], { cwd: folder, until: /listening on (\S+)/, env })
  return { url: match }
}

async function admin(folder: string, args: readonly string[], data = '.svc-data'): Promise<string> {
  const program = join(ROOT, 'packages/server/dist/bundle/admin.js')
  return (await run(process.execPath, [program, ...args], { cwd: folder, env: environment(folder, data) })).stdout
}

async function post(url: string, key: string, body: unknown): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', connection: 'close' }
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json()
}

async function get(url: string, key: string): Promise<unknown> {
  return (await fetch(url, { headers: { authorization: `Bearer ${key}`, connection: 'close' } })).json()
}
