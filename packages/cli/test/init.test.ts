import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { keyChecksum } from '@svc/contract'
import { expect, test } from 'vitest'
import { envelope, type Reply, startControlPlane } from './support/fake-control-plane.ts'
import { createProject } from './support/project.ts'
import { NOWHERE, runSvc } from './support/run-svc.ts'

const ACCOUNT_BODY = 'svc_ak_0123456789abcdefghijklmnopqrstuv'
const ACCOUNT_KEY = ACCOUNT_BODY + keyChecksum(ACCOUNT_BODY)
const DEPLOY_KEY = 'svc_sk_dddddddddddddddddddddddddddddddddddddd'
const PUBLIC_KEY = 'svc_pk_pppppppppppppppppppppppppppppppppppppp'
const SECRET = 'the-signing-secret-that-is-shown-once'
const FILES = [
  ...['.env', '.env.example', '.gitignore', 'package.json', 'tsconfig.json', 'svc.config.ts', '.svc/runtime.ts'],
  ...['src/capabilities/opening-hours.ts', 'src/server.ts', 'tests/opening-hours.svc-test.yaml'],
]
const run = promisify(execFile)

const REGISTERED: Reply = {
  status: 201,
  body: {
    ...{ runtimeId: 'rt_fresh', projectId: 'proj_1', tier: 'free', secret: SECRET },
    ...{
      deployKey: DEPLOY_KEY,
      publicKey: PUBLIC_KEY,
      deployKeyPrefix: 'svc_sk_dddd…dddd',
      publicKeyPrefix: 'svc_pk_pppp…pppp',
    },
  },
}

const registered = (fields: object): Reply => ({ status: 201, body: { ...Object(REGISTERED.body), ...fields } })

const read = (folder: string, path: string) => readFileSync(join(folder, path), 'utf8')
const emptyFolder = () => createProject({})
/** Names, inputs and outputs are the project’s: what is none of them is refused by the compiler. */
const TYPED_TEST = `import { defineTest } from '@svc/sdk/testing'

const user = 'Are you open?'
const model = [{ call: 'opening-hours', input: { day: 'monday' } }, { say: 'Yes.' }] as const
export const right = defineTest({
  mocks: { 'opening-hours': { input: { day: 'monday' }, output: { day: 'monday', hours: 'all day' } } },
  turns: [{ user, model, expect: { calls: [{ capability: 'opening-hours', output: { hours: 'all day' } }] } }],
})
export const wrong = [
  // @ts-expect-error there is no such capability
  defineTest({ turns: [{ user, model, expect: { calls: [{ capability: 'closing-hours' }] } }] }),
  // @ts-expect-error there is no such day
  defineTest({ turns: [{ user, model: [{ call: 'opening-hours', input: { day: 'funday' } }], expect: { calls: [] } }] }),
  // @ts-expect-error it has no such output
  defineTest({ turns: [{ user, model, expect: { calls: [{ capability: 'opening-hours', output: { hour: 1 } }] } }] }),
]
export default right
`

/** Everything in a folder but its packages. */
const contents = (folder: string) => readdirSync(folder).filter((name) => name !== 'node_modules')

test('init makes a project whose every file is new, and says which', async () => {
  const parent = emptyFolder()
  const { exitCode, stdout } = await runSvc(parent, ['init', 'my-app', '--yes'], { env: {} })
  expect(exitCode).toBe(0)
  expect(FILES.filter((path) => !existsSync(join(parent, 'my-app', path)))).toEqual([])
  expect(stdout).toContain('✔ My app is in my-app.')
  for (const path of FILES) expect(stdout).toContain(`created  ${path}`)
  expect(JSON.parse(read(parent, 'my-app/package.json'))).toMatchObject({ name: 'my-app', type: 'module' })
})

test('what init makes type-checks as it stands, with the tsconfig.json that it makes', async () => {
  const folder = emptyFolder()
  await runSvc(folder, ['init', '--yes', '--website', 'https://shop.example.com'], { env: {} })
  await runSvc(folder, ['generate'], { env: {} })
  writeFileSync(join(folder, 'tests/typed.svc-test.ts'), TYPED_TEST)
  const tsc = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url))
  const options = ['--noEmit', '--noUnusedLocals']
  expect(await run(process.execPath, [tsc, '-p', folder, ...options])).toEqual({ stdout: '', stderr: '' })
}, 120_000)

test('what init makes passes svc dev --check and answers svc dev call', async () => {
  const folder = emptyFolder()
  await runSvc(folder, ['init', '--yes', '--name', 'It’s “mine” \\ here'], { env: {} })
  expect((await runSvc(folder, ['dev', '--check'], { env: {} })).exitCode).toBe(0)
  const call = ['dev', 'call', 'opening-hours', '--input', '{"day": "sunday"}']
  const { stdout } = await runSvc(folder, call, { env: {} })
  expect(JSON.parse(stdout)).toEqual({ day: 'sunday', hours: 'closed' })
})

test('init registers the runtime with the account key and keeps its credentials in .env, for the owner alone', async () => {
  const controlPlane = await startControlPlane({ 'POST /v1/runtimes': REGISTERED })
  const folder = emptyFolder()
  const env = { SVC_ACCOUNT_KEY: ACCOUNT_KEY, SVC_BASE_URL: controlPlane.url }
  const { exitCode, stdout, stderr } = await runSvc(folder, ['init', '--yes', '--name', 'Shop', '--port', '8899'], {
    env,
  })
  expect(exitCode).toBe(0)
  expect(controlPlane.requests).toEqual([
    {
      ...{ method: 'POST', path: '/v1/runtimes', authorization: `Bearer ${ACCOUNT_KEY}` },
      body: { name: 'Shop', endpoint: 'http://127.0.0.1:8899/svc' },
    },
  ])
  const lines = read(folder, '.env').split('\n')
  expect(lines).toContain(`SVC_BASE_URL=${controlPlane.url}`)
  expect(lines).toContain(`SVC_API_KEY=${DEPLOY_KEY}`)
  expect(lines).toContain('SVC_RUNTIME_ID=rt_fresh')
  expect(lines).toContain(`SVC_RUNTIME_SECRET=${SECRET}`)
  expect(lines).toContain(`SVC_PUBLIC_KEY=${PUBLIC_KEY}`)
  expect(lines).toContain('PORT=8899')
  expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600)
  expect(read(folder, '.env.example')).not.toContain('svc_')
  for (const secret of [ACCOUNT_KEY, DEPLOY_KEY, PUBLIC_KEY, SECRET]) expect(stdout + stderr).not.toContain(secret)
})

test('a control plane that is not on this machine is told no local endpoint', async () => {
  const asked: unknown[] = []
  const answer: typeof fetch = async (_url, init) => {
    asked.push(JSON.parse(String(init?.body)))
    return Response.json(REGISTERED.body, { status: 201 })
  }
  const env = { SVC_ACCOUNT_KEY: ACCOUNT_KEY, SVC_BASE_URL: 'https://svc.example.com' }
  const { stdout } = await runSvc(emptyFolder(), ['init', '--yes', '--name', 'Shop'], { env, fetch: answer })
  expect(asked).toEqual([{ name: 'Shop' }])
  expect(stdout).toContain('It has no endpoint yet: set `endpoint` in svc.config.ts')
})

test('init leaves every file that is there as it is, links that lead nowhere included', async () => {
  const mine = Object.fromEntries(FILES.filter((path) => path !== '.gitignore').map((path) => [path, `mine: ${path}`]))
  const folder = createProject(mine)
  symlinkSync(join(folder, 'nowhere'), join(folder, '.gitignore'))
  const { exitCode, stdout } = await runSvc(folder, ['init', '--yes'], { env: {} })
  expect(exitCode).toBe(0)
  for (const [path, text] of Object.entries(mine)) {
    expect(read(folder, path)).toBe(text)
    expect(stdout).toContain(`kept     ${path}`)
  }
  expect(existsSync(join(folder, 'nowhere'))).toBe(false)
})

test('with an .env already there nothing is registered, since the credentials could not be kept', async () => {
  const controlPlane = await startControlPlane({ 'POST /v1/runtimes': REGISTERED })
  const folder = createProject({ '.env': 'SVC_API_KEY=mine\n' })
  const env = { SVC_ACCOUNT_KEY: ACCOUNT_KEY, SVC_BASE_URL: controlPlane.url }
  const { exitCode, stdout } = await runSvc(folder, ['init', '--yes'], { env })
  expect(exitCode).toBe(0)
  expect(controlPlane.requests).toEqual([])
  expect(stdout).toContain('No runtime was registered: .env is there')
  expect(read(folder, '.env')).toBe('SVC_API_KEY=mine\n')
})

test('of a package.json and a .gitignore that are kept, init names what they lack', async () => {
  const manifest = JSON.stringify({ type: 'module', scripts: { dev: 'vite' }, dependencies: { zod: '^4.0.0' } })
  const folder = createProject({ 'package.json': manifest, '.gitignore': '/node_modules\n.env\ndist\n' })
  const { stdout, stderr } = await runSvc(folder, ['init', '--yes', '--json'], { env: {} })
  expect(JSON.parse(stdout)).toMatchObject({
    ok: true,
    runtime: null,
    missing: [
      { file: '.gitignore', advice: ['add the line .svc/generate.cache.json'] },
      {
        file: 'package.json',
        advice: [
          expect.stringMatching(/^npm install '@svc\/sdk@\^[\d.]+'$/),
          expect.stringMatching(/^npm install --save-dev '@svc\/cli@.+' '@types\/node@.+' 'typescript@.+'$/),
          "npm pkg set 'scripts.test=svc test' 'scripts.deploy=svc deploy' 'scripts.start=tsc && node dist/src/server.js'",
        ],
      },
    ],
  })
  expect(stderr).toContain('package.json was there and stays as it is.')
})

test.each([
  [
    'an account key that is not valid',
    envelope(401, 'unauthorized', 'This key is not valid here.'),
    4,
    'set SVC_ACCOUNT_KEY',
  ],
  ['a plan that allows no more', envelope(403, 'forbidden', 'The free plan allows 1 runtime.'), 4, 'set-tier --email'],
  ['something that is no control plane', '<html>', 4, 'Set SVC_BASE_URL'],
  ['a secret that a shell would run', registered({ secret: '$(touch here)' }), 4, 'Set SVC_BASE_URL'],
  ['a key that is another line, too', registered({ deployKey: 'svc_sk_1\nNODE_OPTIONS=x' }), 4, 'Set SVC_BASE_URL'],
  ['an id that is none', registered({ runtimeId: 'rt_`id`' }), 4, 'Set SVC_BASE_URL'],
  [
    'a redirect',
    { status: 307, body: {}, headers: { location: 'https://x.example' } },
    4,
    'redirect to https://x.example',
  ],
])('%s ends init before anything is written, and the message names the fix', async (_name, reply, code, fix) => {
  const controlPlane = await startControlPlane({ 'POST /v1/runtimes': reply })
  const folder = emptyFolder()
  const env = { SVC_ACCOUNT_KEY: ACCOUNT_KEY, SVC_BASE_URL: controlPlane.url }
  const { exitCode, stderr } = await runSvc(folder, ['init', 'a/new/app', '--yes'], { env })
  expect(exitCode).toBe(code)
  expect(stderr).toContain(fix)
  expect(contents(folder)).toEqual([])
})

test('of what was there, nothing is taken away when the registration fails', async () => {
  const folder = createProject({ 'app/notes.txt': 'mine', 'app/.env': '' })
  const env = { SVC_ACCOUNT_KEY: ACCOUNT_KEY, SVC_BASE_URL: NOWHERE }
  expect((await runSvc(folder, ['init', 'app', '--yes'], { env })).exitCode).toBe(4)
  expect(contents(join(folder, 'app')).sort()).toEqual(['.env', 'notes.txt'])
})

test('.env is taken before a runtime is registered, so that its credentials cannot be lost', async () => {
  const folder = emptyFolder()
  const modes: number[] = []
  const answer: typeof fetch = async () => {
    modes.push(statSync(join(folder, '.env')).mode & 0o777)
    writeFileSync(join(folder, '.env'), 'MINE=1\n')
    return Response.json(REGISTERED.body, { status: 201 })
  }
  const env = { SVC_ACCOUNT_KEY: ACCOUNT_KEY, SVC_BASE_URL: 'https://svc.example.com' }
  const { exitCode, stderr } = await runSvc(folder, ['init', '--yes'], { env, fetch: answer })
  expect(modes).toEqual([0o600])
  expect(exitCode).toBe(1)
  expect(stderr).toContain('rt_fresh was registered, but its credentials could not be put into .env')
  expect(stderr).toContain('rotate its secret and its keys')
  expect(read(folder, '.env')).toBe('MINE=1\n')
})

test('an account key that would travel unencrypted to another machine is warned of', async () => {
  const env = { SVC_ACCOUNT_KEY: ACCOUNT_KEY, SVC_BASE_URL: 'http://svc.example.com' }
  const answer: typeof fetch = async () => Response.json(REGISTERED.body, { status: 201 })
  const { stderr } = await runSvc(emptyFolder(), ['init', '--yes'], { env, fetch: answer })
  expect(stderr).toContain('! http://svc.example.com is not https: the account key travels unencrypted.')
})

test('of other files that are kept, init names first what would give credentials away', async () => {
  const folder = createProject({
    '.gitignore': 'node_modules\n',
    '.env': 'SVC_API_KEY=mine\nOTHER=1\n',
    'package.json': '{ "type": "commonjs" }',
    'tsconfig.json': '{ // mine\n "compilerOptions": { "module": "commonjs" } }',
    'src/server.ts': 'listen()',
  })
  const { stdout } = await runSvc(folder, ['init', '--yes', '--json'], { env: {} })
  expect(JSON.parse(stdout)).toMatchObject({
    missing: [
      {
        file: '.gitignore',
        advice: expect.arrayContaining(['add the line .env: without it your credentials would be committed']),
      },
      {
        file: '.env',
        advice: ['set SVC_RUNTIME_ID to its id', 'set SVC_RUNTIME_SECRET to its signing secret'],
      },
      { file: 'package.json', advice: expect.arrayContaining([expect.stringContaining('named .cjs')]) },
      {
        file: 'tsconfig.json',
        advice: [
          'set "module": "nodenext"',
          'set "rewriteRelativeImportExtensions": true: imports end in .ts',
          'set "types": ["node"]',
        ],
      },
      { file: 'src/server.ts', advice: [expect.stringContaining('createHandler({ runtime, … })')] },
    ],
  })
})

test('the tsconfig.json and the server that init makes lack nothing', async () => {
  const folder = emptyFolder()
  await runSvc(folder, ['init', '--yes'], { env: {} })
  const { stdout } = await runSvc(folder, ['init', '--yes', '--json'], { env: {} })
  expect(JSON.parse(stdout)).toMatchObject({ missing: [{ file: '.env' }] })
})

test('packages that are there need not be installed, and a folder is quoted where a shell would split it', async () => {
  const folder = emptyFolder()
  const { stdout } = await runSvc(folder, ['init', "my shop's; id", '--yes'], { env: {} })
  expect(stdout).toContain("  cd 'my shop'\\''s; id'\n  npx svc dev call")
})

test('a control plane that is out of reach ends init before anything is written', async () => {
  const folder = emptyFolder()
  const env = { SVC_ACCOUNT_KEY: ACCOUNT_KEY, SVC_BASE_URL: NOWHERE }
  const { exitCode, stderr } = await runSvc(folder, ['init', '--yes'], { env })
  expect(exitCode).toBe(4)
  expect(stderr).toContain(`The control plane at ${NOWHERE} cannot be reached`)
  expect(contents(folder)).toEqual([])
})

test('all options with a fault are named together', async () => {
  const flags = ['--name', ' ', '--website', 'shop', '--namespace', 'shop', '--port', '99999']
  const folder = emptyFolder()
  const { exitCode, stderr } = await runSvc(folder, ['init', '--yes', ...flags], { env: {} })
  expect(exitCode).toBe(2)
  for (const flag of ['--name ', '--website ', '--namespace ', '--port ']) expect(stderr).toContain(flag)
  expect(contents(folder)).toEqual([])
})

test('a deploy key in SVC_ACCOUNT_KEY is told from an account key', async () => {
  const env = { SVC_ACCOUNT_KEY: DEPLOY_KEY }
  const { exitCode, stderr } = await runSvc(emptyFolder(), ['init', '--yes'], { env })
  expect(exitCode).toBe(3)
  expect(stderr).toContain('SVC_ACCOUNT_KEY must be an account key, which starts with svc_ak_.')
})

test('a folder that cannot be made is a failure that names it', async () => {
  const folder = createProject({ taken: 'a file' })
  const { exitCode, stderr } = await runSvc(folder, ['init', 'taken/app', '--yes'], { env: {} })
  expect(exitCode).toBe(1)
  expect(stderr).toContain(`No project can be made in ${join(folder, 'taken/app')}`)
})

test('the namespace follows from the website, and is left open where none does', async () => {
  const [shop, local] = [emptyFolder(), emptyFolder()]
  await runSvc(shop, ['init', '--yes', '--website', 'https://shop.example.com/here'], { env: {} })
  await runSvc(local, ['init', '--yes', '--website', 'http://localhost:3000'], { env: {} })
  expect(read(shop, 'svc.config.ts')).toContain("\n  adp: { namespace: 'com.example.shop' },")
  expect(read(local, 'svc.config.ts')).toContain("\n  // adp: { namespace: 'com.example.shop' },")
})

/** A keyboard: each answer is typed once the question that holds its words is on the screen. */
function keyboard(script: readonly (readonly [question: string, keys: string])[]) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true as const, setRawMode: () => stdin })
  const waiting = [...script]
  let screen = ''
  const look = (text: string) => {
    screen += text
    const [next] = waiting
    if (!next || !screen.includes(next[0])) return
    waiting.shift()
    screen = ''
    setImmediate(() => stdin.write(next[1]))
  }
  return { stdin, look }
}

test('on a terminal init asks for what the options leave open', async () => {
  const controlPlane = await startControlPlane({ 'POST /v1/runtimes': REGISTERED })
  const folder = emptyFolder()
  const { stdin, look } = keyboard([
    ['Address of its website', 'https://shop.example.com\r'],
    ['Namespace of', '\r'],
    ['Port on this machine', '\r'],
    ['Account key', `${ACCOUNT_KEY}\r`],
  ])
  const options = { env: { SVC_BASE_URL: controlPlane.url }, isTTY: true, stdin, onStderr: look }
  const { exitCode, stdout, stderr } = await runSvc(folder, ['init', '--name', 'Shop'], options)
  expect(exitCode).toBe(0)
  expect(read(folder, 'svc.config.ts')).toContain("website: { name: 'Shop', url: 'https://shop.example.com' },")
  expect(read(folder, 'svc.config.ts')).toContain("adp: { namespace: 'com.example.shop' },")
  expect(controlPlane.requests).toMatchObject([{ authorization: `Bearer ${ACCOUNT_KEY}` }])
  expect(stdout + stderr).not.toContain(ACCOUNT_KEY)
})

test('Ctrl-C at a question ends init with 130, and nothing is written', async () => {
  const folder = emptyFolder()
  const { stdin, look } = keyboard([
    ['What is it called?', '\r'],
    ['Address of its website', '\u0003'],
  ])
  const { exitCode, stderr } = await runSvc(folder, ['init', 'app'], { env: {}, isTTY: true, stdin, onStderr: look })
  expect(exitCode).toBe(130)
  expect(stderr).toContain('Nothing was written.')
  expect(contents(folder)).toEqual([])
})

test('without a terminal, and in CI, init asks nothing', async () => {
  const stdin = Object.assign(new PassThrough(), { isTTY: true as const })
  const inCi = await runSvc(emptyFolder(), ['init'], { env: { CI: '1' }, isTTY: true, stdin })
  expect(inCi.exitCode).toBe(0)
  const piped = await runSvc(emptyFolder(), ['init'], { env: {}, stdin })
  expect(piped.exitCode).toBe(0)
})

test('a file where a folder has to be leaves what was written complete', async () => {
  const folder = createProject({ src: 'a file' })
  const { exitCode, stderr } = await runSvc(folder, ['init', '--yes'], { env: {} })
  expect(exitCode).toBe(1)
  expect(stderr).toContain(`${join(folder, 'src/capabilities/opening-hours.ts')} cannot be written`)
  expect(read(folder, 'svc.config.ts')).toContain('defineConfig')
})
