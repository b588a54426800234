import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { needs } from '@svc/testkit/needs'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { commandsOf, samplesOf } from '../support/doc-samples.ts'
import { freePort, start } from '../support/programs.ts'
import { ROOT } from '../support/source-tree.ts'

const run = promisify(execFile)
const SVC = join(ROOT, 'node_modules/.bin/svc')
const samples = samplesOf('README.md')

const commands = commandsOf('README.md')

const Executed = z.object({
  status: z.string(),
  messages: z.array(z.object({ parts: z.array(z.record(z.string(), z.unknown())) })),
})

needs('curl')('the first capability', () => {
  test('the README, followed word for word, gives the answer of one’s own capability', async () => {
    // In the clone, as the README says: that is where the packages are found.
    const folder = mkdtempSync(join(ROOT, 'my-app-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const data = { SVC_DATA_DIR: join(folder, 'data'), PORT: '0', SVC_MODEL: 'demo:rules', SVC_LOG_LEVEL: 'warn' }
    const env = { PATH: process.env['PATH'], ...data }
    const server = ['packages/server/dist/bundle/main.js']
    const { match: url } = await start(process.execPath, server, { cwd: ROOT, until: /listening on (\S+)/, env })
    const admin = ['packages/server/dist/bundle/admin.js', 'create-owner', '--email', 'you@example.com']
    const { stdout } = await run(process.execPath, admin, { cwd: ROOT, env })
    const { apiKey } = z.object({ apiKey: z.string() }).parse(JSON.parse(stdout))

    const home = { PATH: process.env['PATH'] }
    const port = String(await freePort())
    const [, init = ''] = commandWith('npx svc init').split('npx svc ')
    const account = { ...home, SVC_ACCOUNT_KEY: apiKey, SVC_BASE_URL: url }
    const args = init.replace('my-app', basename(folder)).split(' ')
    await run(SVC, [...args, '--port', port], { cwd: ROOT, env: account })
    for (const { path, code, language } of samples) {
      if (language === 'ts' && path !== null) writeFileSync(join(folder, path.replace(/^my-app\//, '')), code)
    }

    const call = commandWith('npx svc dev call').replace('npx svc', SVC)
    expect(JSON.parse((await run('sh', ['-c', call], { cwd: folder, env: home })).stdout)).toMatchObject({ euros: 12 })
    await start(SVC, ['dev'], { cwd: folder, until: /Serving 2 capabilities at (\S+)/, env: home })
    const deploy = commandWith('npx svc deploy').replace('cd my-app && npx svc', SVC)
    const ask = `{ ${deploy}; } >&2 && ${commandWith('curl').replace('curl', 'curl --silent --show-error')}`
    const answer = Executed.parse(JSON.parse((await run('sh', ['-c', ask], { cwd: folder, env: home })).stdout))

    expect(answer.status).toBe('completed')
    const results = answer.messages.flatMap(({ parts }) => parts).filter(({ type }) => type === 'tool_result')
    expect(results).toMatchObject([{ name: 'shipping-cost', output: { country: 'norway', euros: 12 } }])
  }, 120_000)
})

function commandWith(words: string): string {
  const found = commands.filter((command) => command.includes(words))
  expect(found, `commands of the README with “${words}”`).toHaveLength(1)
  return found[0] ?? ''
}
