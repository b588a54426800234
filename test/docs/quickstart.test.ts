import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { CreatedRuntime } from '@svc/contract'
import { isThere } from '@svc/testkit/needs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { DEPLOY_STEPS } from '../../packages/dashboard/src/routes/runtimes/deploy-steps.ts'
import { environmentLines } from '../../packages/dashboard/src/routes/runtimes/environment-lines.ts'
import { commandsOf, samplesOf } from '../support/doc-samples.ts'
import { freePort, start } from '../support/programs.ts'
import { scratchFolder } from '../support/sample-folder.ts'
import { ROOT } from '../support/source-tree.ts'

const run = promisify(execFile)
const FIRST_CAPABILITY = 'docs/guides/first-capability.md'
const commands = commandsOf('docs/guides/quickstart.md')
const furtherCommands = commandsOf(FIRST_CAPABILITY)

const Executed = z.object({
  status: z.string(),
  finishReason: z.string(),
  messages: z.array(z.object({ role: z.string(), parts: z.array(z.record(z.string(), z.unknown())) })),
})

test('the commands of both pages are these, in this order', () => {
  const all = [...commands, ...furtherCommands]
  expect(all.map((command) => command.replace(/ --workspace.*| "\$SVC_BASE_URL.*/, ' …'))).toEqual([
    'npm install',
    'npm start',
    'npm run -s admin -- create-owner --email you@example.com --tier pro',
    'npm pack --silent …',
    'mkdir ../my-app && cd ../my-app',
    'npm install --no-save ../svc-*.tgz',
    'npx svc init',
    'npm install ../svc-*.tgz',
    'npx svc dev',
    'npx svc deploy',
    '. ./.env',
    'curl …',
    `npx svc dev call shipping-cost --input '{"country": "norway"}'`,
    'npx svc deploy',
    '. ./.env',
    'curl …',
  ])
})

test('the dashboard shows them to who deploys for the first time, and has npx run what is installed or nothing', () => {
  const shown = DEPLOY_STEPS.flatMap(({ commands }) => commands)
  const taken = shown.filter((command) => command.startsWith('npx '))
  expect(taken.filter((command) => !command.startsWith('npx --no svc '))).toEqual([])
  const plain = shown.map((command) => command.replace('npx --no svc', 'npx svc').replace(' --yes', ''))
  expect(commands.filter((command) => plain.includes(command))).toEqual(plain)
})

describe('on packed packages', () => {
  const place = scratchFolder(afterAll)
  let controlPlane: { url: string; accountKey: string }
  const ends: (() => Promise<void>)[] = []
  beforeAll(async () => {
    await pack(place)
    controlPlane = await startControlPlane(place, (end) => void ends.push(end))
  }, 120_000)
  afterAll(() => Promise.all(ends.map((end) => end())))

  test('the quickstart and the first capability, word for word, end with answers of the project’s capabilities', async () => {
    const { url, accountKey } = controlPlane
    const folder = join(place, 'my-app')
    await installPacked(place, folder)
    const port = await freePort()
    const type = terminalIn(folder)

    // A person types the answers; here the environment and two options give them.
    const account = { SVC_ACCOUNT_KEY: accountKey, SVC_BASE_URL: url }
    await type(`${commandLike('npx svc init')} --yes --port ${port}`, account)
    // The tool itself: npx would not pass on the signal that ends it.
    const [, , ...dev] = commandLike('npx svc dev').split(' ')
    const svc = join(folder, 'node_modules/.bin/svc')
    const options = { cwd: folder, until: /Serving 1 capability at (\S+)/, env: TYPED_IN }
    const { logged } = await start(svc, dev, options)
    expect(await type(commandLike('npx svc deploy'))).toContain('✔ Deployment 1 is active.')
    const answer = Executed.parse(JSON.parse(await ask(type, folder, commands)))
    expect(answer).toMatchObject({ status: 'completed', finishReason: 'stop' })
    expect(resultsIn(answer)).toMatchObject([{ name: 'opening-hours', output: { day: 'sunday', hours: 'closed' } }])

    for (const { path, code, language } of samplesOf(FIRST_CAPABILITY)) {
      if (language === 'ts' && path !== null && !path.endsWith('opening-hours.ts')) write(folder, path, code)
    }
    const [call = '', deploy = ''] = furtherCommands
    expect(JSON.parse(await type(call))).toEqual({ country: 'norway', euros: 12 })
    await logged(/reloaded, 2 capabilities/)
    expect(await type(deploy)).toContain('✔ Deployment 2 is active.')
    const further = Executed.parse(JSON.parse(await ask(type, folder, furtherCommands)))
    expect(resultsIn(further)).toMatchObject([{ name: 'shipping-cost', output: { country: 'norway', euros: 12 } }])
  }, 300_000)

  test('the dashboard’s steps, with the .env that it shows, end with an answer', async () => {
    const { url, accountKey } = controlPlane
    const folder = join(place, 'shown')
    const port = await freePort()
    const body = { name: 'Shown', endpoint: `http://127.0.0.1:${port}/svc` }
    const runtime = CreatedRuntime.parse(await post(`${url}/v1/runtimes`, accountKey, body))
    write(folder, '.env', environmentLines(runtime, url))
    const svc = join(folder, 'node_modules/.bin/svc')
    // The first test runs npx itself, which starts this file.
    const type = (command = '') => terminalIn(folder)(command.replace(/^npx --no svc /, `${svc} `))

    const [packing, making, serving, publishing] = DEPLOY_STEPS.map((step) => step.commands)
    expect(packing).toEqual([commandLike('npm pack')])
    await installPacked(place, folder)
    await type(making?.[1])
    expect(readFileSync(join(folder, '.env'), 'utf8')).toBe(environmentLines(runtime, url))

    const [, , , ...dev] = serving?.join().split(' ') ?? []
    const env = { ...TYPED_IN, PORT: String(port) }
    await start(svc, dev, { cwd: folder, until: /Serving 1 capability at (\S+)/, env })
    expect(await type(publishing?.join())).toContain('✔ Deployment 1 is active.')

    const messages = [{ role: 'user', parts: [{ type: 'text', content: 'Are you open on sunday?' }] }]
    const answer = Executed.parse(await post(`${url}/v1/runtime/execute`, runtime.publicKey, { messages }))
    expect(resultsIn(answer)).toMatchObject([{ name: 'opening-hours', output: { day: 'sunday', hours: 'closed' } }])
  }, 300_000)
})

// Offline: whatever npm does not find installed, it cannot have from elsewhere.
const TYPED_IN = {
  PATH: process.env['PATH'],
  npm_config_offline: 'true',
  npm_config_update_notifier: 'false',
}

type Terminal = (command: string, more?: NodeJS.ProcessEnv) => Promise<string>

/** Types commands in a folder; each gives what it printed, or throws where it failed. */
function terminalIn(folder: string): Terminal {
  return async (command, more = {}) => {
    const { stdout } = await run('sh', ['-c', command], { cwd: folder, env: { ...TYPED_IN, HOME: folder, ...more } })
    return stdout
  }
}

async function post(url: string, key: string, body: unknown): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return answer.json()
}

function resultsIn({ messages }: z.infer<typeof Executed>) {
  return messages.flatMap(({ parts }) => parts).filter(({ type }) => type === 'tool_result')
}

/** The one command of a page, by default the quickstart, that begins so, or is it where several do. */
function commandLike(beginning: string, page: readonly string[] = commands): string {
  const found = page.filter((command) => command.startsWith(beginning))
  const exact = found.find((command) => command === beginning)
  expect(exact ?? found).toBeDefined()
  return exact ?? found[0] ?? ''
}

async function startControlPlane(
  place: string,
  whenOver: (end: () => Promise<void>) => void,
): Promise<{ url: string; accountKey: string }> {
  const data = {
    SVC_DATA_DIR: mkdtempSync(join(place, 'data-')),
    PORT: '0',
    SVC_MODEL: 'demo:rules',
    SVC_LOG_LEVEL: 'warn',
  }
  const env = { PATH: process.env['PATH'], ...data }
  const server = ['packages/server/dist/bundle/main.js']
  const { match: url } = await start(process.execPath, server, {
    cwd: ROOT,
    until: /listening on (\S+)/,
    env,
    whenOver,
  })
  const [, words = ''] = commandLike('npm run -s admin').split(' -- ')
  const { stdout } = await run(process.execPath, ['packages/server/dist/bundle/admin.js', ...words.split(' ')], {
    cwd: ROOT,
    env,
  })
  return { url, accountKey: z.object({ apiKey: z.string() }).parse(JSON.parse(stdout)).apiKey }
}

// Into a folder that goes with the test, and not beside the clone.
async function pack(place: string): Promise<void> {
  const command = commandLike('npm pack')
  expect(command).toMatch(/ --pack-destination \.\.$/)
  const [npm = '', ...args] = command.replace(/\.\.$/, place).split(' ')
  // The packages are built already, and other tests use what is built.
  await run(npm, args, { cwd: ROOT, env: { ...process.env, npm_config_ignore_scripts: 'true' } })
}

/** What `npm install` would make of the packed packages, without a network: the others are linked from the clone. */
async function installPacked(place: string, folder: string): Promise<void> {
  const packages = join(folder, 'node_modules')
  mkdirSync(join(packages, '.bin'), { recursive: true })
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (!name.startsWith('.') && name !== '@svc') symlinkSync(join(ROOT, 'node_modules', name), join(packages, name))
  }
  for (const archive of readdirSync(place).filter((name) => /^svc-.*\.tgz$/.test(name))) {
    const unpacked = join(packages, '@svc', archive.replace(/^svc-([a-z]+)-.*$/, '$1'))
    mkdirSync(unpacked, { recursive: true })
    await run('tar', ['-xzf', join(place, archive), '-C', unpacked, '--strip-components=1'])
  }
  expect(readdirSync(join(packages, '@svc')).sort()).toEqual(['cli', 'contract', 'sdk'])
  symlinkSync('../@svc/cli/bin/svc.js', join(packages, '.bin/svc'))
}

function write(folder: string, path: string, code: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), code)
}

/** Types a page’s last commands; where there is no curl, the same request is sent without it. */
async function ask(type: Terminal, folder: string, page: readonly string[]): Promise<string> {
  const curl = commandLike('curl', page)
  if (isThere('curl')) return type(`${commandLike('. ./.env', page)}\n${curl} --silent`)
  const [, question = ''] = /-d '(.+)'$/.exec(curl) ?? []
  const value = (name: string) =>
    new RegExp(`^${name}=(.*)$`, 'm').exec(readFileSync(join(folder, '.env'), 'utf8'))?.[1]
  const headers = { authorization: `Bearer ${value('SVC_PUBLIC_KEY')}`, 'content-type': 'application/json' }
  const url = `${value('SVC_BASE_URL')}/v1/runtime/execute`
  return (await fetch(url, { method: 'POST', headers, body: question })).text()
}
