import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { DeploymentManifest } from '@svc/contract'
import { locate, needs } from '@svc/testkit/needs'
import { describe, expect, test } from 'vitest'
import { runGit } from '../src/run-git.ts'
import { deployReply, envelope, startControlPlane, statusReply } from './support/fake-control-plane.ts'
import { CACHE, CAPABILITIES, generatedFiles, RUNTIME, TEST_TYPES } from './support/generated.ts'
import { DEPLOY_KEY } from './support/keys.ts'
import { CONFIG, createProject, runtimeModule, shopProject } from './support/project.ts'
import { NOWHERE, runSvc } from './support/run-svc.ts'

const STATUS = 'GET /v1/runtime/status'
const DEPLOY = 'POST /v1/deployments'

describe('a deploy that succeeds', () => {
  // holds CFG-01, CFG-06, CLI-03, CLI-04, DEP-10
  test('publishes a whole manifest with the deploy key, after one look-up of what is live', async () => {
    const controlPlane = await startControlPlane({
      [STATUS]: statusReply(['order-status']),
      [DEPLOY]: deployReply([
        { name: 'order-status', hasInputSchema: true },
        { name: 'refund', hasInputSchema: true },
      ]),
    })
    const { exitCode, stdout, stderr } = await runSvc(createProject(shopProject()), ['deploy'], {
      env: controlPlane.env(DEPLOY_KEY),
    })

    expect(stderr).toBe('')
    expect(exitCode).toBe(0)
    expect(controlPlane.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([STATUS, DEPLOY, STATUS])
    const credentials = controlPlane.requests.map(({ authorization }) => authorization)
    expect(credentials).toEqual(Array(3).fill(`Bearer ${DEPLOY_KEY}`))
    const body = controlPlane.requests[1]?.body
    expect(body).toMatchObject({
      manifest: {
        schemaVersion: 2,
        endpoint: 'https://shop.example.com/svc',
        website: { name: 'Example Shop', url: 'https://shop.example.com' },
        adp: { namespace: 'com.example.shop' },
        agent: { instructions: 'Be brief.' },
        runtime: { sdkVersion: expect.stringMatching(/^\d+\.\d+\.\d+/) },
        metadata: { cliVersion: expect.stringMatching(/^\d+\.\d+\.\d+/) },
        capabilities: [
          {
            name: 'order-status',
            version: '1.0.0',
            description: 'About order-status',
            actions: [{ inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } }],
          },
          { name: 'refund' },
        ],
      },
    })
    expect(stdout).toMatch(
      / \+ refund\n {2}= 1 unchanged\n✔ Deployment 5 is active\.\nhttp\S+\/dashboard\/runtimes\/rt_exampleShop {2}0\.0 s\n$/,
    )
  })

  // holds DEP-25
  test('publishes what the agent may use, and refuses a limit of zero by its name', async () => {
    const controlPlane = await startControlPlane({ [STATUS]: statusReply([]), [DEPLOY]: deployReply([]) })
    const withLimits = (limits: string) => {
      const config = CONFIG.replace('agent: {', `agent: { limits: ${limits},`)
      return runSvc(createProject({ ...shopProject(), 'svc.config.ts': config }), ['deploy'], {
        env: controlPlane.env(DEPLOY_KEY),
      })
    }
    expect((await withLimits('{ steps: 3, tokens: 50_000 }')).exitCode).toBe(0)
    expect(controlPlane.requests.at(1)?.body).toMatchObject({
      manifest: { agent: { limits: { steps: 3, tokens: 50_000 } } },
    })
    const refused = await withLimits('{ tokens: 0 }')
    expect(refused.exitCode).not.toBe(0)
    expect(refused.stderr).toContain('agent.limits.tokens')
  })

  test('publishes who signs end users in, and refuses another address than an endpoint may have', async () => {
    const controlPlane = await startControlPlane({ [STATUS]: statusReply([]), [DEPLOY]: deployReply([]) })
    const withIssuer = (issuer: string) => {
      const config = CONFIG.replace('agent: {', `endUsers: { issuer: '${issuer}' }, agent: {`)
      const options = { env: controlPlane.env(DEPLOY_KEY) }
      return runSvc(createProject({ ...shopProject(), 'svc.config.ts': config }), ['deploy'], options)
    }
    const refused = await withIssuer('http://login.example.com')
    expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining('endUsers.issuer')])
    expect((await withIssuer('https://login.example.com')).exitCode).toBe(0)
    const endUsers = { issuer: 'https://login.example.com' }
    expect(controlPlane.requests.at(1)?.body).toMatchObject({ manifest: { endUsers } })
  })

  needs('git')('from a repository of git', () => {
    // holds DEP-30
    test('sends author and commit, and whether files differ from it; without a repository, nothing', async () => {
      const controlPlane = await startControlPlane({ [STATUS]: statusReply([]), [DEPLOY]: deployReply([]) })
      const folder = createProject(shopProject())
      const git = (...args: string[]) => execFileSync(locate('git'), args, { cwd: folder, encoding: 'utf8' }).trim()
      const sent = async () => {
        const options = { env: controlPlane.env(DEPLOY_KEY), git: runGit }
        expect(await runSvc(folder, ['deploy'], options)).toMatchObject({ exitCode: 0, stderr: '' })
        return Object(controlPlane.requests.findLast(({ method }) => method === 'POST')?.body).source
      }
      expect(await sent()).toBeUndefined()
      git('init', '--quiet')
      expect(await sent()).toBeUndefined()
      git('add', 'svc.config.ts')
      const author = `--author=Ada \u202e\u0007${'n'.repeat(150)} <ada@shop.example>`
      git('-c', 'user.name=CI', '-c', 'user.email=ci@shop.example', 'commit', '--quiet', '--message=One', author)
      const commit = git('rev-parse', 'HEAD')
      expect(await sent()).toEqual({ commit, author: `Ada ${'n'.repeat(96)}`, dirty: false })
      writeFileSync(join(folder, 'svc.config.ts'), `${CONFIG}\n// Changed.\n`)
      expect(await sent()).toMatchObject({ commit, dirty: true })
    })
  })

  test('publishes without author and commit where the control plane does not know them yet', async () => {
    const controlPlane = await startControlPlane({ [STATUS]: statusReply([]), [DEPLOY]: deployReply([]) })
    const bodies: unknown[] = []
    const earlier: typeof fetch = (input, init) => {
      if (init?.method === 'POST') bodies.push(JSON.parse(String(init.body)))
      const { body } = envelope(400, 'validation_error', 'source is not known.', { source: ['is not a known field.'] })
      return bodies.length === 1 && init?.method === 'POST'
        ? Promise.resolve(Response.json(body, { status: 400 }))
        : fetch(input, init)
    }
    const git = async ([command]: readonly string[]) => (command === 'log' ? `${'1f'.repeat(20)}\nAda\n` : null)
    const options = { env: controlPlane.env(DEPLOY_KEY), fetch: earlier, git }
    expect(await runSvc(createProject(shopProject()), ['deploy'], options)).toMatchObject({ exitCode: 0, stderr: '' })
    const [first, second] = bodies.map((body) => Object(body).source)
    expect([first, second]).toEqual([{ commit: '1f'.repeat(20), author: 'Ada' }, undefined])
  })

  // holds CLI-05
  test('prints what it adds to and removes from the live names before it publishes', async () => {
    const controlPlane = await startControlPlane({
      [STATUS]: statusReply(['order-status', 'track-parcel']),
      [DEPLOY]: deployReply([]),
    })
    const stdin = Object.assign(Readable.from([]), { isTTY: true })
    const options = { env: controlPlane.env(DEPLOY_KEY), isTTY: true, stdin }
    const { stdout } = await runSvc(createProject(shopProject()), ['deploy'], options)
    const plain = stripVTControlCharacters(stdout)

    expect(plain).toContain('Compared with deployment 4:\n  + refund\n  - track-parcel, breaking\n  = 1 unchanged\n')
    expect(plain.indexOf('+ refund')).toBeLessThan(plain.indexOf('Deployment 5'))
  })

  test.each([
    ['without a terminal', {}, false],
    ['in a pipeline', { CI: 'true' }, true],
  ])('refuses changes that break callers %s, unless it is told to publish them', async (_, extra, isTTY) => {
    const controlPlane = await startControlPlane({ [STATUS]: statusReply(['gone']), [DEPLOY]: deployReply([]) })
    const stdin = Object.assign(Readable.from([]), { isTTY })
    const options = { env: { ...controlPlane.env(DEPLOY_KEY), ...extra }, isTTY, stdin }
    const pushes = () => controlPlane.requests.filter(({ method }) => method === 'POST').length
    const folder = createProject(shopProject())

    for (const args of [['deploy'], ['deploy', '--dry-run'], ['deploy', '--if-changed']]) {
      const { exitCode, stderr } = await runSvc(folder, args, options)
      expect([exitCode, pushes()]).toEqual([3, 0])
      expect(stderr).toContain('gone: removed, breaking')
      expect(stderr).toContain('--allow-breaking')
    }
    expect(await runSvc(folder, ['deploy', '--allow-breaking'], options)).toMatchObject({ exitCode: 0 })
    expect(pushes()).toBe(1)
  })

  test('says so when the names are the ones already live, and when there were none before', async () => {
    const same = await startControlPlane({
      [STATUS]: statusReply(['refund', 'order-status']),
      [DEPLOY]: deployReply([]),
    })
    const first = await startControlPlane({ [STATUS]: statusReply([], null), [DEPLOY]: deployReply([]) })
    const folder = createProject(shopProject())

    expect((await runSvc(folder, ['deploy'], { env: same.env(DEPLOY_KEY) })).stdout).toContain(
      'identical, 2 capabilities',
    )
    expect((await runSvc(folder, ['deploy'], { env: first.env(DEPLOY_KEY) })).stdout).toContain(
      'First deployment:\n  + order-status\n  + refund\n',
    )
  })

  // holds CLI-15
  test('publishes what is identical all the same, but not with --if-changed', async () => {
    const same = statusReply(['order-status', 'refund'])
    const other = statusReply(['order-status'])
    const run = async (status: typeof same, ...args: string[]) => {
      const controlPlane = await startControlPlane({ [STATUS]: status, [DEPLOY]: deployReply([]) })
      const outcome = await runSvc(createProject(shopProject()), ['deploy', ...args], {
        env: controlPlane.env(DEPLOY_KEY),
      })
      expect(outcome.exitCode).toBe(0)
      return { ...outcome, isPushed: controlPlane.requests.some(({ method }) => method === 'POST') }
    }
    expect(await run(same)).toMatchObject({ isPushed: true })
    expect(await run(other, '--if-changed')).toMatchObject({ isPushed: true })
    const left = await run(same, '--if-changed', '--json')
    expect(left.isPushed).toBe(false)
    expect(JSON.parse(left.stdout)).toMatchObject({
      published: false,
      deployment: { version: 4 },
      difference: { changes: [], unchanged: ['order-status', 'refund'] },
    })
    expect((await run(same, '--if-changed')).stdout).toContain('✔ Deployment 4 serves this already.')
    expect(await run(statusReply([], null), '--if-changed')).toMatchObject({ isPushed: true })
  })

  test('a dry run warns where neither project nor runtime has an endpoint', async () => {
    const files = { ...shopProject(), 'svc.config.ts': CONFIG.replace(/endpoint: .*/, '') }
    const warned = async (endpoint: string | null) => {
      const controlPlane = await startControlPlane({ [STATUS]: statusReply(['refund'], 4, { endpoint }) })
      const env = controlPlane.env(DEPLOY_KEY)
      return (await runSvc(createProject(files), ['deploy', '--dry-run'], { env })).stderr
    }
    expect(await warned(null)).toContain('! The runtime has no endpoint')
    expect(await warned('https://shop.example.com/svc')).toBe('')
  })

  // holds CLI-07
  test('passes on the server’s warnings and names each capability published without an input schema', async () => {
    const controlPlane = await startControlPlane({
      [STATUS]: statusReply(['gone']),
      [DEPLOY]: deployReply(
        [
          { name: 'order-status', hasInputSchema: true },
          { name: 'refund', hasInputSchema: false },
        ],
        ['“gone” was removed without having been deprecated.'],
      ),
    })
    const files = { 'svc.config.ts': CONFIG, '.svc/runtime.ts': runtimeModule(['order-status', 'refund'], ['refund']) }
    const options = { env: controlPlane.env(DEPLOY_KEY) }
    const { exitCode, stderr } = await runSvc(createProject(files), ['deploy', '--allow-breaking'], options)

    expect(exitCode).toBe(0)
    expect(stderr).toContain('! “gone” was removed without having been deprecated.')
    expect(stderr).toContain('! “refund” has no input schema')
    expect(stderr).not.toContain('“order-status”')
  })

  // holds CLI-06
  test('is not held up by a failed look-up of what is live, and mentions it in one line', async () => {
    const controlPlane = await startControlPlane({
      [STATUS]: envelope(500, 'internal_error', 'Something went wrong.'),
      [DEPLOY]: deployReply([{ name: 'refund', hasInputSchema: true }]),
    })
    const { exitCode, stdout, stderr } = await runSvc(createProject(shopProject()), ['deploy'], {
      env: { ...controlPlane.env(DEPLOY_KEY), SVC_RUNTIME_ID: 'rt_exampleShop' },
    })

    expect(exitCode).toBe(0)
    expect(stderr).toBe('Not compared with what is live: Something went wrong.\n')
    expect(stdout).toContain('✔ Deployment 5 is active.\n  refund\n')
  })
})

describe('a dry run', () => {
  // holds CLI-08
  test('publishes nothing and shows what would have been published', async () => {
    const controlPlane = await startControlPlane({ [STATUS]: statusReply(['order-status']) })
    const files = { 'svc.config.ts': CONFIG, '.svc/runtime.ts': runtimeModule(['order-status', 'refund'], ['refund']) }
    const { exitCode, stdout, stderr } = await runSvc(createProject(files), ['deploy', '--dry-run'], {
      env: controlPlane.env(DEPLOY_KEY),
    })

    expect(exitCode).toBe(0)
    expect(controlPlane.requests.map(({ method }) => method)).toEqual(['GET'])
    expect(stdout).toContain('  + refund\n')
    expect(stdout).toContain('Nothing was published')
    expect(stderr).toContain('“refund” has no input schema')
  })

  // holds CLI-08
  test('works without a control plane in reach', async () => {
    const folder = createProject(shopProject())
    const { exitCode, stdout, stderr } = await runSvc(folder, ['deploy', '--dry-run'])
    expect(exitCode).toBe(0)
    expect(stdout).toContain('Everything is in order')
    expect(stderr).toContain(`${NOWHERE} cannot be reached`)
    expect(Object.keys(generatedFiles(folder))).toEqual([CACHE, CAPABILITIES, RUNTIME, TEST_TYPES].sort())
  })
})

describe('a project of any shape', () => {
  // holds CFG-05
  test('is found from a folder below it, with its runtime as a named export at a path of its own', async () => {
    const folder = createProject({
      'svc.config.ts': CONFIG.replace('endpoint:', "runtime: './src/capabilities.ts', endpoint:"),
      'src/capabilities.ts': runtimeModule(['refund']).replace('export default', 'export const runtime ='),
      'src/deep/er/keep.txt': '',
    })
    const { exitCode, stdout } = await runSvc(`${folder}/src/deep/er`, ['deploy', '--dry-run'])
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^ {2}refund$/m)
  })

  test('may use enums, top-level await, import.meta and the path aliases of its tsconfig', async () => {
    const folder = createProject({
      'tsconfig.json': '{ /* with a comment */ "compilerOptions": { "paths": { "~/*": ["./src/*"] } } }',
      'src/site.ts': "export enum Site { name = 'Aliased' }\nexport const here: string = import.meta.url",
      'svc.config.ts': CONFIG.replace("'Example Shop'", 'await Promise.resolve(Site.name)').replace(
        'import',
        "import { Site } from '~/site.ts'\nimport",
      ),
      '.svc/runtime.ts': runtimeModule(['refund']),
    })
    const controlPlane = await startControlPlane({ [STATUS]: statusReply([], null), [DEPLOY]: deployReply([]) })
    const { exitCode } = await runSvc(folder, ['deploy'], { env: controlPlane.env(DEPLOY_KEY) })
    expect(exitCode).toBe(0)
    expect(controlPlane.requests[1]?.body).toMatchObject({ manifest: { website: { name: 'Aliased' } } })
  })

  // holds CFG-04
  test('may leave everything but the key out, and its manifest is still one the contract accepts', async () => {
    const folder = createProject({
      'svc.config.ts': 'export default { apiKey: process.env.SVC_API_KEY }',
      '.svc/runtime.ts': runtimeModule([]),
    })
    const controlPlane = await startControlPlane({ [STATUS]: statusReply([], null), [DEPLOY]: deployReply([]) })
    await runSvc(folder, ['deploy'], { env: controlPlane.env(DEPLOY_KEY) })
    const body = controlPlane.requests[1]?.body
    expect(body).toHaveProperty('manifest')
    const manifest = typeof body === 'object' && body && 'manifest' in body ? body.manifest : null
    expect(DeploymentManifest.safeParse(manifest).success).toBe(true)
  })
})
