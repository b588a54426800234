import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { sampleOf } from '../support/doc-samples.ts'
import { isInstalled } from '../support/is-installed.ts'
import { start } from '../support/programs.ts'
import { scratchFolder } from '../support/sample-folder.ts'
import { ROOT } from '../support/source-tree.ts'

const run = promisify(execFile)

const PAGE = 'docs/operating.md'
const page = readFileSync(join(ROOT, PAGE), 'utf8')
const hasSqlite3 = isInstalled('sqlite3', '--version')

const BACKUPS = [
  { tool: 'sqlite3', isThere: hasSqlite3, backup: () => backUp() },
  { tool: 'the clone’s own library', isThere: true, backup: () => backUp(sampleOf(PAGE, 'no `sqlite3`', 'sh').code) },
]

for (const { tool, isThere, backup } of BACKUPS) {
  const title = `a backup made with ${tool}, as the page says, of a server at work brings back accounts, keys and executions`
  test.skipIf(!isThere)(
    isThere ? title : `${title} (${tool} is not on this machine)`,
    async () => {
      const folder = scratchFolder()
      symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
      const server = await startOn(folder, '.svc-data')
      const owner = z.object({ apiKey: z.string() }).parse(JSON.parse(await admin(folder, 'create-owner')))
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
      await sh(folder, backup())
      for (const answer of await Promise.all(meanwhile)) expect(answer).toMatchObject({ status: 'completed' })
      for (const file of ['svc.db', 'master.key']) expect(statSync(join(folder, 'backup', file)).mode & 0o077).toBe(0)

      const integrity = await sh(
        folder,
        without(sampleOf(PAGE, 'Into a new folder', 'sh').code, hasSqlite3 ? '' : 'sqlite3'),
      )

      expect(integrity.trim()).toBe(hasSqlite3 ? 'ok' : '')
      const restored = await startOn(folder, 'restored')
      const reveal = `${restored.url}/v1/runtimes/${runtime.runtimeId}/reveal-key`
      expect(await post(reveal, owner.apiKey, { type: 'deploy' })).toMatchObject({ key: runtime.deployKey })
      const { executionId } = z.object({ executionId: z.string() }).parse(answered)
      const trace = await get(`${restored.url}/v1/traces/${executionId}`, owner.apiKey)
      expect(trace).toMatchObject({ executionId, status: 'completed' })
      expect(await get(`${restored.url}/v1/executions?status=running`, owner.apiKey)).toMatchObject({ executions: [] })
    },
    120_000,
  )
}

test('the page lists every message that the service logs, and no other', () => {
  const folder = join(ROOT, 'packages/server/src')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const calls = files.flatMap((name) => [
    ...readFileSync(join(folder, name), 'utf8').matchAll(
      /logger\??\.(?:fatal|error|warn|info)\((?:[^()]|\([^()]*\))*?(['`])([^'`]+)\1,?\s*\)/g,
    ),
  ])
  // A template’s variable part is “…” on the page.
  const logged = calls.map(([, , message = '']) => message.replace(/\$\{[^}]+\}/g, '…').replace(/: …$/, ': …'))
  expect(logged.length).toBeGreaterThan(10)
  const table = page.slice(page.indexOf('| level | `msg` |'), page.indexOf('`requestId` is'))
  const rows = [...table.matchAll(/^\| (?!level|---)[^|]+\| ([^|]+) \|/gm)].map(([, cell = '']) => cell)
  const listed = rows.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, message = '']) => message))
  expect(listed.sort()).toEqual([...new Set(logged)].sort())
})

function backUp(instead?: string): string {
  const { code } = sampleOf(PAGE, 'While the server runs', 'sh')
  return instead === undefined
    ? code
    : without(code, 'sqlite3').replace('mkdir -p backup\n', `mkdir -p backup\n${instead}`)
}

function without(script: string, program: string): string {
  const lines = script.split('\n')
  return lines.filter((line) => program === '' || !line.startsWith(program)).join('\n')
}

function environment(folder: string, data: string): NodeJS.ProcessEnv {
  const settings = { SVC_DATA_DIR: join(folder, data), PORT: '0', SVC_MODEL: 'demo:rules', SVC_LOG_LEVEL: 'error' }
  return { PATH: process.env['PATH'], ...settings }
}

async function startOn(folder: string, data: string): Promise<{ url: string }> {
  const main = join(ROOT, 'packages/server/dist/main.js')
  const env = environment(folder, data)
  const { match } = await start(process.execPath, [main], { cwd: folder, until: /listening on (\S+)/, env })
  return { url: match }
}

async function admin(folder: string, command: string): Promise<string> {
  const args = [join(ROOT, 'packages/server/dist/admin.js'), command, '--email', 'owner@example.com']
  return (await run(process.execPath, args, { env: environment(folder, '.svc-data') })).stdout
}

async function sh(folder: string, script: string): Promise<string> {
  return (await run('sh', ['-ec', script], { cwd: folder })).stdout
}

async function post(url: string, key: string, body: unknown): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', connection: 'close' }
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json()
}

async function get(url: string, key: string): Promise<unknown> {
  return (await fetch(url, { headers: { authorization: `Bearer ${key}`, connection: 'close' } })).json()
}
