import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { freePort, start } from './support/programs.ts'
import { ROOT } from './support/source-tree.ts'

const run = promisify(execFile)
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')

const Registered = z.object({ runtimeId: z.string(), secret: z.string(), deployKey: z.string(), publicKey: z.string() })

test('whoever follows the README word for word gets their own capability’s answer', async () => {
  const port = await freePort()
  // In the clone, as the README says: that is where the packages are found.
  const folder = mkdtempSync(join(ROOT, 'my-app-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [path, code] of filesOfReadme()) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), code.replaceAll('8790', String(port)))
  }
  const controlPlane = await start(process.execPath, ['packages/server/dist/main.js'], {
    cwd: ROOT,
    until: /listening on (\S+)/,
    env: serverEnv(folder),
  })
  const url = controlPlane.match
  const admin = ['packages/server/dist/admin.js', 'create-owner', '--email', 'you@example.com']
  const { stdout } = await run(process.execPath, admin, { cwd: ROOT, env: serverEnv(folder) })
  const { apiKey } = z.object({ apiKey: z.string() }).parse(JSON.parse(stdout))
  const registration = { name: 'My app', endpoint: `http://127.0.0.1:${port}/svc` }
  const runtime = Registered.parse(await post(`${url}/v1/runtimes`, apiKey, registration))
  writeFileSync(
    join(folder, '.env'),
    `SVC_API_KEY=${runtime.deployKey}\nSVC_RUNTIME_ID=${runtime.runtimeId}\nSVC_RUNTIME_SECRET=${runtime.secret}\n`,
  )
  const [, serve] = /cd my-app && node (.+)\n/.exec(readme) ?? []
  await start(process.execPath, (serve ?? '').split(' '), { cwd: folder, until: port })
  await run(join(ROOT, 'node_modules/.bin/svc'), ['deploy'], {
    cwd: folder,
    env: { ...process.env, SVC_BASE_URL: url },
  })

  const [, question] = /-d '(\{"messages".+\})'/.exec(readme) ?? []
  const answer = await post(`${url}/v1/runtime/execute`, runtime.publicKey, JSON.parse(question ?? ''))

  expect(answer).toMatchObject({ status: 'completed', finishReason: 'stop' })
  expect(JSON.stringify(answer)).toContain('"output":{"day":"sunday","hours":"closed"}')
}, 60_000)

/** The files that the README shows: each code block after a line that ends in its path. */
function filesOfReadme(): [path: string, code: string][] {
  const blocks = [...readme.matchAll(/`my-app\/([\w./]+\.ts)`:\n\n```ts\n([\s\S]*?)```/g)]
  const files = blocks.map(([, path = '', code = '']): [string, string] => [path, code])
  expect(files.map(([path]) => path)).toEqual(['.svc/runtime.ts', 'svc.config.ts', 'server.ts'])
  return files
}

function serverEnv(folder: string): NodeJS.ProcessEnv {
  const data = { SVC_DATA_DIR: join(folder, 'data'), PORT: '0', SVC_MODEL: 'demo:rules', SVC_LOG_LEVEL: 'warn' }
  return { PATH: process.env['PATH'], ...data }
}

async function post(url: string, key: string, body: unknown): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return response.json()
}
