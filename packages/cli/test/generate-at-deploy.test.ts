import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { keyChecksum } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { deploymentReply, deployReply, envelope, startControlPlane, statusReply } from './support/fake-control-plane.ts'
import {
  ADP,
  BUILT_IN_FILES,
  CACHE,
  CAPABILITIES,
  generatedFiles,
  generatorSource,
  OPENAPI,
  RUNTIME,
  readJson,
  TEST_TYPES,
  withGenerators,
} from './support/generated.ts'
import { DEPLOY_KEY } from './support/keys.ts'
import { CONFIG, createProject, shopProject } from './support/project.ts'
import { NOWHERE, runSvc } from './support/run-svc.ts'

const STATUS = 'GET /v1/runtime/status'
const DEPLOY = 'POST /v1/deployments'
const DEPLOYED = deployReply([
  { name: 'order-status', hasInputSchema: true },
  { name: 'refund', hasInputSchema: true },
])
const OTHER_BODY = DEPLOY_KEY.slice(0, -7) + (DEPLOY_KEY.at(-7) === 'A' ? 'B' : 'A')
const OTHER_KEY = OTHER_BODY + keyChecksum(OTHER_BODY)
const NAMED = { name: 'Hollow Pine' }

describe('the order of a deployment', () => {
  test('files are written before the push, so that a failed push leaves them and no deployment', async () => {
    const controlPlane = await startControlPlane({
      [STATUS]: statusReply([]),
      [DEPLOY]: envelope(500, 'internal_error', 'Something went wrong.'),
    })
    const folder = createProject(shopProject())
    const { exitCode, stdout } = await runSvc(folder, ['deploy'], { env: controlPlane.env(DEPLOY_KEY) })
    expect(exitCode).toBe(1)
    expect(stdout).not.toContain('is active')
    expect(Object.keys(generatedFiles(folder))).toEqual([CACHE, ...BUILT_IN_FILES].sort())
  })

  // holds CLI-02
  test('a manifest that cannot be published leaves nothing written and nothing sent', async () => {
    const controlPlane = await startControlPlane({ [STATUS]: statusReply([]), [DEPLOY]: DEPLOYED })
    const handmade = `export default { kind: 'svc-runtime', capabilities: [
      { kind: 'svc-capability', name: 'refund', version: 'one', handler: () => ({}) },
    ] }`
    const folder = createProject({ ...shopProject(), '.svc/runtime.ts': handmade })
    const { exitCode, stderr } = await runSvc(folder, ['deploy'], { env: controlPlane.env(DEPLOY_KEY) })
    expect(exitCode).toBe(3)
    expect(stderr).toContain('“refund” version')
    expect(generatedFiles(folder)).toEqual({})
    expect(controlPlane.requests).toEqual([])
  })

  // holds CLI-08
  test('a dry run writes the files and remembers them, and publishes nothing', async () => {
    const controlPlane = await startControlPlane({ [STATUS]: statusReply([]) })
    const folder = createProject(shopProject())
    await runSvc(folder, ['deploy', '--dry-run'], { env: controlPlane.env(DEPLOY_KEY) })
    const { stdout } = await runSvc(folder, ['deploy', '--dry-run'], { env: controlPlane.env(DEPLOY_KEY) })
    expect(Object.keys(generatedFiles(folder))).toEqual([CACHE, ...BUILT_IN_FILES].sort())
    expect(stdout.match(/ skipped \(cached\)$/gm)).toHaveLength(5)
    expect(controlPlane.requests.map(({ method }) => method)).toEqual(['GET', 'GET'])
  })
})

test('a generator that fails once the runtime is known leaves nothing written and nothing published', async () => {
  const failing = generatorSource({
    inputs: '({ runtimeId }) => runtimeId',
    generate: "({ runtimeId }) => { if (runtimeId) throw new Error('not for ' + runtimeId); return [] }",
  })
  const controlPlane = await startControlPlane({ [STATUS]: statusReply([]), [DEPLOY]: DEPLOYED })
  const config = withGenerators(CONFIG, `custom: [${failing}]`)
  const folder = createProject({ ...shopProject(), 'svc.config.ts': config })
  const { exitCode, stderr } = await runSvc(folder, ['deploy'], { env: controlPlane.env(DEPLOY_KEY) })
  expect(exitCode).toBe(3)
  expect(stderr).toContain('not for rt_exampleShop')
  expect(generatedFiles(folder)).toEqual({})
  expect(controlPlane.requests.map(({ method }) => method)).toEqual(['GET'])
})

test('a second deployment of the same project calls generate() of no generator', async () => {
  const counting = generatorSource({
    generate: "() => [{ path: 'notes.txt', contents: String((globalThis.__made = (globalThis.__made ?? 0) + 1)) }]",
  })
  const controlPlane = await startControlPlane({ [STATUS]: statusReply([]), [DEPLOY]: DEPLOYED })
  const config = withGenerators(CONFIG, `custom: [${counting}]`)
  const folder = createProject({ ...shopProject(), 'svc.config.ts': config })
  await runSvc(folder, ['deploy'], { env: controlPlane.env(DEPLOY_KEY) })
  const made: unknown = Reflect.get(globalThis, '__made')
  const { stdout } = await runSvc(folder, ['deploy'], { env: controlPlane.env(DEPLOY_KEY) })
  expect(stdout.match(/ skipped \(cached\)$/gm)).toHaveLength(6)
  expect(Reflect.get(globalThis, '__made')).toBe(made)
  expect(made).toEqual(expect.any(Number))
})

describe('what was committed', () => {
  const OTHER = 'rt_otherShop1'

  async function deployed() {
    const controlPlane = await startControlPlane({
      [STATUS]: statusReply([], null, { ...NAMED, baseUrl: 'https://svc.example.com' }),
      [DEPLOY]: DEPLOYED,
    })
    const folder = createProject(shopProject())
    await runSvc(folder, ['deploy'], { env: controlPlane.env(DEPLOY_KEY) })
    return { controlPlane, folder, files: generatedFiles(folder) }
  }

  test('is what a fresh clone makes, without key, cache and network', async () => {
    const { files } = await deployed()
    const committed = Object.fromEntries(BUILT_IN_FILES.map((path) => [path, files[path] ?? '']))
    const clone = createProject({ ...shopProject(), ...committed })
    expect(await runSvc(clone, ['generate', '--check'], { env: {} })).toMatchObject({ exitCode: 0 })
    await runSvc(clone, ['generate', '--force'], { env: {} })
    expect(generatedFiles(clone)).toMatchObject(committed)
  })

  test('is not spoiled by a second deploy key, nor by one that nobody has heard of', async () => {
    const { folder, files } = await deployed()
    const other = await startControlPlane({
      [STATUS]: statusReply([], null, { runtimeId: OTHER, name: 'Other' }),
      [DEPLOY]: DEPLOYED,
    })
    const unheard = { ...other.env(OTHER_KEY), SVC_BASE_URL: NOWHERE }
    await runSvc(folder, ['deploy', '--dry-run'], { env: unheard })
    expect(readJson(folder, RUNTIME)).toEqual(JSON.parse(files[RUNTIME] ?? ''))
    await runSvc(folder, ['deploy'], { env: other.env(OTHER_KEY) })
    expect(readJson(folder, RUNTIME)).toMatchObject({ runtimeId: OTHER, name: 'Other' })
    expect(await runSvc(folder, ['generate', '--check'], { env: { SVC_BASE_URL: other.url } })).toMatchObject({
      exitCode: 0,
    })
  })
})

describe('the runtime that generated documents name', () => {
  // holds GEN-07
  test('is the one that the control plane tells, in the first deployment already', async () => {
    const controlPlane = await startControlPlane({ [STATUS]: statusReply([], null, NAMED), [DEPLOY]: DEPLOYED })
    const folder = createProject(shopProject())
    const { stderr } = await runSvc(folder, ['deploy'], { env: controlPlane.env(DEPLOY_KEY) })
    expect(stderr).toBe('')
    expect(readJson(folder, RUNTIME)).toMatchObject({ runtimeId: 'rt_exampleShop', name: 'Hollow Pine' })
    expect(generatedFiles(folder)[ADP]).toContain(`${controlPlane.url}/v1/capabilities/rt_exampleShop/refund`)
  })

  // holds GEN-07
  test('is remembered, so that a deployment without an answer and svc generate without a key know it', async () => {
    const known = await startControlPlane({ [STATUS]: statusReply([], null, NAMED), [DEPLOY]: DEPLOYED })
    const folder = createProject(shopProject())
    const env = known.env(DEPLOY_KEY)
    await runSvc(folder, ['deploy'], { env })
    const before = generatedFiles(folder)

    const silent: typeof fetch = () => Promise.reject(new Error('no network'))
    const offline = await runSvc(folder, ['deploy', '--dry-run'], { env, fetch: silent })
    const keyless = await runSvc(folder, ['generate'], { env: { SVC_BASE_URL: known.url } })

    expect(offline.stdout.match(/ skipped \(cached\)$/gm)).toHaveLength(5)
    expect(keyless.stdout.match(/ skipped \(cached\)$/gm)).toHaveLength(5)
    expect(generatedFiles(folder)).toEqual(before)
  })

  test('stays the one that was generated where nobody says otherwise, and the key is written nowhere', async () => {
    const known = await startControlPlane({ [STATUS]: statusReply([], null, NAMED), [DEPLOY]: DEPLOYED })
    const folder = createProject({ ...shopProject(), 'other.config.ts': CONFIG })
    await runSvc(folder, ['deploy'], { env: known.env(DEPLOY_KEY) })
    expect(generatedFiles(folder)[CACHE]).toContain('rt_exampleShop')
    expect(Object.values(generatedFiles(folder)).join('\n')).not.toContain(DEPLOY_KEY.slice(0, 20))

    const silent: typeof fetch = () => Promise.reject(new Error('no network'))
    const otherKey = await runSvc(folder, ['deploy', '--dry-run', '--config', 'other.config.ts'], {
      env: known.env(OTHER_KEY),
      fetch: silent,
    })
    expect(otherKey.stdout).toMatch(/^ {2}adp +skipped \(cached\)$/m)
    expect(readJson(folder, RUNTIME)).toMatchObject({ runtimeId: 'rt_exampleShop' })
    const { stdout } = await runSvc(folder, ['deploy', '--dry-run'])
    expect(stdout).toMatch(/^ {2}adp +skipped \(cached\)$/m)
    expect(readJson(folder, RUNTIME)).toMatchObject({ runtimeId: 'rt_exampleShop' })
  })

  // holds GEN-12
  test('may be out of reach: what was made with it stays as it is, and is skipped when it is known again', async () => {
    const known = await startControlPlane({ [STATUS]: statusReply([], null, NAMED), [DEPLOY]: DEPLOYED })
    const folder = createProject({ ...shopProject(), 'other.config.ts': CONFIG })
    await runSvc(folder, ['deploy'], { env: known.env(DEPLOY_KEY) })
    rmSync(join(folder, RUNTIME))
    const { [OPENAPI]: openapi, [ADP]: adp } = generatedFiles(folder)

    const nowhere = await runSvc(folder, ['deploy'])
    expect(nowhere.exitCode).toBe(4)
    expect(nowhere.stdout).toMatch(/^ {2}openapi +kept$/m)
    expect(generatedFiles(folder)).toMatchObject({ [OPENAPI]: openapi, [ADP]: adp })

    // A new key of the same runtime: which one it is of comes out while it is deployed.
    const again = await runSvc(folder, ['deploy', '--config', 'other.config.ts'], { env: known.env(OTHER_KEY) })
    expect(again.stdout.match(/^ {2}(openapi|adp) +skipped \(cached\)$/gm)).toHaveLength(2)
    expect(generatedFiles(folder)).toMatchObject({ [OPENAPI]: openapi, [ADP]: adp })
  })

  test('does not keep a manifest that the project can no longer publish', async () => {
    const known = await startControlPlane({ [STATUS]: statusReply([], null, NAMED), [DEPLOY]: DEPLOYED })
    const folder = createProject({
      ...shopProject(),
      'bare.config.ts': 'export default { apiKey: process.env.SVC_API_KEY }',
    })
    await runSvc(folder, ['deploy'], { env: known.env(DEPLOY_KEY) })
    rmSync(join(folder, RUNTIME))
    const { stdout } = await runSvc(folder, ['deploy', '--dry-run', '--config', 'bare.config.ts'])
    expect(stdout).toMatch(/^ {2}adp +removed +/m)
    expect(stdout).toMatch(/^ {2}openapi +kept$/m)
  })

  // holds GEN-07
  test('is addressed as the control plane publishes it, wherever the tool reaches it, and without a key, too', async () => {
    const publicUrl = 'https://svc.example.com'
    const reply = statusReply([], null, { ...NAMED, baseUrl: publicUrl })
    const known = await startControlPlane({ [STATUS]: reply, [DEPLOY]: DEPLOYED })
    const folder = createProject(shopProject())
    await runSvc(folder, ['deploy'], { env: known.env(DEPLOY_KEY) })
    const { [CACHE]: _cache, ...documents } = generatedFiles(folder)
    expect(documents[ADP]).toContain(`${publicUrl}/v1/capabilities/rt_exampleShop/refund`)
    expect(Object.values(documents).join('\n')).not.toContain(known.url)

    const keyless = await runSvc(folder, ['generate'], { env: { SVC_BASE_URL: known.url } })
    expect(keyless.stdout.match(/ skipped \(cached\)$/gm)).toHaveLength(5)
  })

  test.each([[], ['--dry-run']])(
    'where SVC_RUNTIME_ID contradicts it, nothing is written or published: deploy %s',
    async (...flags) => {
      const controlPlane = await startControlPlane({ [STATUS]: statusReply([]), [DEPLOY]: DEPLOYED })
      const folder = createProject(shopProject())
      const env = { ...controlPlane.env(DEPLOY_KEY), SVC_RUNTIME_ID: 'rt_another' }
      const { exitCode, stderr } = await runSvc(folder, ['deploy', ...flags], { env })
      expect(exitCode).toBe(3)
      expect(stderr).toContain('✖ SVC_RUNTIME_ID is rt_another, but the deploy key is of rt_exampleShop.')
      expect(stderr).toContain('SVC_RUNTIME_ID to rt_exampleShop')
      expect(generatedFiles(folder)).toEqual({})
      expect(controlPlane.requests.map(({ method }) => method)).toEqual(['GET'])
    },
  )

  test('does not make a generator run twice whose inputs do not speak of it', async () => {
    const counting = generatorSource({
      inputs: '({ capabilities }) => capabilities',
      generate: "() => [{ path: 'notes.txt', contents: String((globalThis.__runs = (globalThis.__runs ?? 0) + 1)) }]",
    })
    const controlPlane = await startControlPlane({ [STATUS]: statusReply([]), [DEPLOY]: DEPLOYED })
    const config = withGenerators(CONFIG, `custom: [${counting}]`)
    const folder = createProject({ ...shopProject(), 'svc.config.ts': config })
    await runSvc(folder, ['deploy'], { env: controlPlane.env(DEPLOY_KEY) })
    expect(generatedFiles(folder)['.svc/generated/notes/notes.txt']).toBe('1')
  })
})

test('a project that publishes no manifest is deployed, and told so until that is what serves', async () => {
  const controlPlane = await startControlPlane({ [STATUS]: statusReply([], null, NAMED), [DEPLOY]: DEPLOYED })
  const folder = createProject({
    ...shopProject(),
    'svc.config.ts': 'export default { apiKey: process.env.SVC_API_KEY }',
  })
  const { exitCode, stderr } = await runSvc(folder, ['deploy'], { env: controlPlane.env(DEPLOY_KEY) })
  expect(exitCode).toBe(0)
  expect(stderr).toMatch(/^No public manifest is published\. .+adp\.namespace.+ svc\.config\.ts .+\n$/)
  expect(Object.keys(generatedFiles(folder))).toEqual([CACHE, CAPABILITIES, OPENAPI, RUNTIME, TEST_TYPES].sort())
  const again = await startControlPlane({
    [STATUS]: statusReply([], 4, NAMED),
    'GET /v1/runtime/deployment': deploymentReply([], { website: undefined, adp: undefined }),
    [DEPLOY]: DEPLOYED,
  })
  expect((await runSvc(folder, ['deploy'], { env: again.env(DEPLOY_KEY) })).stderr).toBe('')
})

test('a live capability that was never deprecated is named before it is removed, one that was is not', async () => {
  const announced = { name: 'announced', deprecatedSince: '1.1.0', removalNotBefore: null }
  const controlPlane = await startControlPlane({
    [STATUS]: statusReply(['announced', 'sudden'], 4, { deprecated: [announced] }),
  })
  const { stderr } = await runSvc(createProject(shopProject()), ['deploy', '--dry-run', '--allow-breaking'], {
    env: controlPlane.env(DEPLOY_KEY),
  })
  expect(stderr).toContain('! “sudden” is removed without having been deprecated')
  expect(stderr).not.toContain('announced')
})

test('after a real deployment the control plane alone says what a sudden removal means', async () => {
  const controlPlane = await startControlPlane({
    [STATUS]: statusReply(['sudden']),
    [DEPLOY]: deployReply([], ['“sudden” was removed without having been deprecated.']),
  })
  const { stderr } = await runSvc(createProject(shopProject()), ['deploy', '--allow-breaking'], {
    env: controlPlane.env(DEPLOY_KEY),
  })
  expect(stderr).toBe('! “sudden” was removed without having been deprecated.\n')
})

describe('--json', () => {
  test('tells all of a deployment in one document on stdout', async () => {
    const controlPlane = await startControlPlane({
      [STATUS]: statusReply(['order-status', 'sudden']),
      [DEPLOY]: deployReply(
        [
          { name: 'order-status', hasInputSchema: true },
          { name: 'refund', hasInputSchema: false },
        ],
        ['“sudden” was removed.'],
      ),
    })
    const { stdout } = await runSvc(createProject(shopProject()), ['deploy', '--allow-breaking', '--json'], {
      env: controlPlane.env(DEPLOY_KEY),
    })
    expect(JSON.parse(stdout)).toEqual({
      ok: true,
      dryRun: false,
      doctor: null,
      dashboard: `${controlPlane.url}/dashboard/runtimes/rt_exampleShop`,
      durationMs: 0,
      deployment: { version: 5, status: 'active' },
      published: true,
      capabilities: [
        { name: 'order-status', hasInputSchema: true },
        { name: 'refund', hasInputSchema: false },
      ],
      difference: {
        comparedWith: 4,
        added: ['refund'],
        removed: ['sudden'],
        changed: [],
        unchanged: ['order-status'],
        changes: [
          { of: 'capability', name: 'refund', kind: 'added', breaking: false, text: 'added' },
          { of: 'capability', name: 'sudden', kind: 'removed', breaking: true, text: 'removed' },
        ],
      },
      generators: [
        {
          name: 'capability-manifest',
          status: 'generated',
          files: [{ path: CAPABILITIES, status: 'created' }],
          note: null,
        },
        { name: 'runtime-manifest', status: 'generated', files: [{ path: RUNTIME, status: 'created' }], note: null },
        { name: 'openapi', status: 'generated', files: [{ path: OPENAPI, status: 'created' }], note: null },
        { name: 'adp', status: 'generated', files: [{ path: ADP, status: 'created' }], note: null },
        { name: 'test-types', status: 'generated', files: [{ path: TEST_TYPES, status: 'created' }], note: null },
      ],
      warnings: ['“sudden” was removed.', expect.stringContaining('“refund” has no input schema')],
    })
  })

  test('tells of a dry run that nothing was compared where the control plane is out of reach', async () => {
    const { stdout } = await runSvc(createProject(shopProject()), ['deploy', '--dry-run', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      dryRun: true,
      deployment: null,
      difference: null,
      warnings: [],
    })
  })
})
