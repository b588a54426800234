import { describe, expect, test } from 'vitest'
import { startControlPlane, statusReply } from './support/fake-control-plane.ts'
import { DEPLOY_KEY } from './support/keys.ts'
import { createProject, runtimeModule, shopProject } from './support/project.ts'
import { NOWHERE, runSvc } from './support/run-svc.ts'

async function unchanged(files: Record<string, string>, from = '') {
  const controlPlane = await startControlPlane({ 'GET /v1/runtime/status': statusReply(['order-status', 'refund']) })
  const folder = createProject(files)
  const outcome = await runSvc(`${folder}/${from}`, ['status', '--json'], { env: controlPlane.env(DEPLOY_KEY) })
  expect(outcome.stderr).toBe('')
  return JSON.parse(outcome.stdout).difference.unchanged
}

describe('the modules of a project', () => {
  test('are TypeScript with types, enums’ likes and top-level await', async () => {
    const files = {
      ...shopProject(),
      'svc.config.ts': `
        import type { SvcConfigInput } from '@svc/sdk'
        interface Shop { name: string }
        const shop = await Promise.resolve<Shop>({ name: 'Example Shop' })
        export default { apiKey: process.env.SVC_API_KEY, website: shop } satisfies SvcConfigInput`,
    }
    expect(await unchanged(files)).toEqual(['order-status', 'refund'])
  })

  test('may take defineConfig from the tool as well as from the SDK', async () => {
    const config = `import { defineConfig } from '@svc/cli'
      export default defineConfig({ apiKey: process.env.SVC_API_KEY })`
    expect(await unchanged({ ...shopProject(), 'svc.config.ts': config })).toContain('order-status')
  })

  test('may import by the path aliases of tsconfig.json', async () => {
    const runtime = runtimeModule(['order-status', 'refund'])
    const files = {
      'tsconfig.json': JSON.stringify({ compilerOptions: { paths: { '@shop/*': ['./src/*'] } } }),
      'src/settings/key.ts': 'export const apiKey: string | undefined = process.env.SVC_API_KEY',
      'src/runtime.ts': runtime,
      'svc.config.ts': "import { apiKey } from '@shop/settings/key'\nexport default { apiKey }",
      '.svc/runtime.ts': "export { default } from '@shop/runtime.ts'",
    }
    expect(await unchanged(files)).toEqual(['order-status', 'refund'])
  })

  test('are found from a folder far below them, and not from a nearer one that has none', async () => {
    const files = { ...shopProject(), 'src/deep/down/package.json': '{}' }
    expect(await unchanged(files, 'src/deep/down')).toEqual(['order-status', 'refund'])
  })

  test('may be CommonJS packages’ users and promise their configuration', async () => {
    const files = {
      ...shopProject(),
      'svc.config.ts': `
        import { createRequire } from 'node:module'
        const { join } = createRequire(import.meta.url)('node:path')
        export default Promise.resolve({ apiKey: process.env.SVC_API_KEY, runtime: join('.svc', 'runtime.ts') })`,
    }
    expect(await unchanged(files)).toEqual(['order-status', 'refund'])
  })
})

describe('fields that are refused', () => {
  const refusalOf = async (fields: string, env: Record<string, string> = {}) => {
    const folder = createProject({
      ...shopProject(),
      'svc.config.ts': `export default { apiKey: process.env.SVC_API_KEY, ${fields} }`,
    })
    const all = { SVC_API_KEY: DEPLOY_KEY, SVC_BASE_URL: NOWHERE, ...env }
    const { exitCode, stdout } = await runSvc(folder, ['status', '--json'], { env: all })
    expect(exitCode).toBe(3)
    return JSON.parse(stdout).error.fieldErrors
  }

  // holds CFG-07
  test('say why: provider, model, tier and adp.endpoint', async () => {
    const fields = `provider: 'x', model: 'y', tier: 'pro', adp: { namespace: 'com.example', endpoint: 'https://a.example' }`
    expect(await refusalOf(fields)).toEqual({
      provider: ['is not accepted: every execution runs on the service’s own model credential. Remove it.'],
      model: ['is not accepted: the service chooses the model, so that tokens can be metered. Remove it.'],
      tier: ['is not accepted: the tier follows from the account’s plan, never from a request. Remove it.'],
      'adp.endpoint': [
        'is not accepted: the published address is always the broker’s. Remove it; yours is `endpoint`.',
      ],
    })
  })

  test('name what a generator is missing, and every name that is taken', async () => {
    const custom = `{ name: 'routes', inputs() {} }, 'routes', { name: 'OpenAPI', inputs() {}, generate() {} }`
    expect(await refusalOf(`generators: { custom: [${custom}], disabled: ['swagger'] }`)).toEqual({
      'generators.disabled.0': [
        '"swagger" is no built-in generator: there are capability-manifest, runtime-manifest, openapi, adp, test-types.',
      ],
      'generators.custom.0': ['is not a generator: generate() is missing.'],
      'generators.custom.1': ['is not a generator: it must be an object with name, inputs() and generate().'],
      'generators.custom.2.name': [
        '“OpenAPI” is the name of a built-in generator already: names must be unique, disabled generators included.',
      ],
    })
  })

  test('show an example where the message has none', async () => {
    expect(await refusalOf('generators: 7')).toEqual({
      generators: ["must be a JSON object, not a number. For example generators: { disabled: ['openapi'] }"],
    })
  })

  test('include variables: a malformed SVC_RUNTIME_ID stands beside the configuration’s own', async () => {
    expect(await refusalOf('colour: 1', { SVC_RUNTIME_ID: 'shop' })).toEqual({
      colour: ['is not a known field. Remove it, or check its spelling.'],
      SVC_RUNTIME_ID: ['must be “rt_” followed by 4 to 64 letters, digits, underscores or hyphens.'],
    })
  })

  test('an empty SVC_API_KEY, as a copied example leaves it, asks for the key', async () => {
    expect(await refusalOf('', { SVC_API_KEY: '' })).toEqual({
      apiKey: ['is empty: set SVC_API_KEY to the runtime’s deploy key, which starts with svc_sk_.'],
    })
  })
})

describe('a deploy key', () => {
  const without = (args: readonly string[], env: Record<string, string>) =>
    runSvc(createProject(shopProject()), args, { env: { SVC_BASE_URL: NOWHERE, ...env } })

  test.each([
    ['generate', [], {}],
    ['generate', [], { SVC_API_KEY: 'svc_sk_cut' }],
    ['dev', ['--check'], { SVC_API_KEY: '' }],
  ] as const)('is not asked for by %s %j', async (command, options, env) => {
    const { exitCode, stderr } = await without([command, ...options], env)
    expect(exitCode).toBe(0)
    expect(stderr).not.toContain('API_KEY')
  })

  test.each([
    ['status', [], {}],
    ['deploy', ['--dry-run'], { SVC_API_KEY: 'svc_sk_cut' }],
  ] as const)('is asked for by %s %j', async (command, options, env) => {
    const { exitCode, stderr } = await without([command, ...options], env)
    expect(exitCode).toBe(3)
    expect(stderr).toMatch(/^ {2}apiKey /m)
  })
})

describe('a variable that looks misspelt', () => {
  const noteOn = async (env: Record<string, string>) => {
    const all = { SVC_API_KEY: DEPLOY_KEY, SVC_BASE_URL: NOWHERE, ...env }
    const { stderr } = await runSvc(createProject(shopProject()), ['status'], { env: all })
    return stderr.split('\n').filter((line) => line.includes('is not read'))
  }

  test.each(['SVC_RUNTIMEID', 'SVC_RUNNTIME_ID', 'SVC_RUNTME_ID', 'SVC_RUNITME_ID', 'svc_runtime_id'])(
    'is named with the right spelling: %s',
    async (name) => {
      expect(await noteOn({ [name]: 'rt_exampleShop' })).toEqual([
        `! ${name} is not read. Did you mean SVC_RUNTIME_ID?`,
      ])
    },
  )

  test.each([
    ['the right one is set, too', { SVC_RUNTIMEID: 'rt_exampleShop', SVC_RUNTIME_ID: 'rt_exampleShop' }],
    ['it is far from all', { SVC_MASTER_KEY: 'x', SVC_DATA_DIR: 'y', SVC_RUNTIME: 'z' }],
    ['it is somebody else’s', { API_KEY: 'x', AWS_RUNTIME_ID: 'y' }],
  ])('is not mentioned where %s', async (_name, env) => {
    expect(await noteOn(env)).toEqual([])
  })

  test('is mentioned before the fault that it leads to', async () => {
    const env = { SVC_APIKEY: DEPLOY_KEY, SVC_BASEURL: NOWHERE }
    const { exitCode, stderr } = await runSvc(createProject(shopProject()), ['status'], { env })
    expect(exitCode).toBe(3)
    expect(stderr.split('\n').slice(0, 3)).toEqual([
      '! SVC_APIKEY is not read. Did you mean SVC_API_KEY?',
      '! SVC_BASEURL is not read. Did you mean SVC_BASE_URL?',
      '✖ The configuration is not valid (svc.config.ts).',
    ])
  })
})
