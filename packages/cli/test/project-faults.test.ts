import { describe, expect, test } from 'vitest'
import { deployReply, startControlPlane, statusReply } from './support/fake-control-plane.ts'
import { DEPLOY_KEY } from './support/keys.ts'
import { CONFIG, createProject, runtimeModule, shopProject } from './support/project.ts'
import { type Outcome, runSvc } from './support/run-svc.ts'

/** Deploys a faulty project to a control plane that would accept it, and proves that it never heard of it. */
async function deployFaulty(files: Record<string, string>, env: Record<string, string> = {}): Promise<Outcome> {
  const controlPlane = await startControlPlane({
    'GET /v1/runtime/status': statusReply([]),
    'POST /v1/deployments': deployReply([]),
  })
  const outcome = await runSvc(createProject(files), ['deploy'], { env: { ...controlPlane.env(DEPLOY_KEY), ...env } })
  expect(controlPlane.requests).toEqual([])
  expect(outcome.exitCode).toBe(3)
  expect(outcome.stdout).toBe('')
  return outcome
}

describe('the configuration', () => {
  test('a missing one names the folder that was searched and shows what to write', async () => {
    const { stderr } = await deployFaulty({ 'README.md': '' })
    expect(stderr).toContain('There is no svc.config.ts in ')
    expect(stderr).toContain('`svc init`')
    expect(stderr).toContain('export default defineConfig({ apiKey: process.env.SVC_API_KEY })')
  })

  // holds CFG-02
  test('all faults are reported at once, each on its own line with its own message and fix', async () => {
    const config = `export default {
      endpoint: 'http://shop.example.com', runtime: 7, provider: 'openai', colour: 'red',
      website: { url: 'shop' }, adp: { namespace: 'shop' },
    }`
    const { stderr } = await deployFaulty(
      { ...shopProject(), 'svc.config.ts': config },
      { SVC_API_KEY: '', SVC_BASE_URL: 'control-plane' },
    )
    const lines = stderr.trimEnd().split('\n')
    expect(lines[0]).toContain('The configuration is not valid (svc.config.ts)')
    const line = (field: string) => lines.filter((text) => text.startsWith(`  ${field} `)).join('\n')
    expect(line('apiKey')).toMatch(/is required: set SVC_API_KEY/)
    expect(line('endpoint')).toMatch(/must start with https:\/\//)
    expect(line('runtime')).toMatch(/must be a text, not a number.*For example runtime: '.\/src\/runtime.ts'/)
    expect(line('website.name')).toMatch(/is required.*For example name: 'Example Shop'/)
    expect(line('website.url')).toMatch(/must be an absolute http\(s\) URL/)
    expect(line('adp.namespace')).toMatch(/needs two or more segments, such as “com.example.shop”/)
    expect(line('provider')).toMatch(/Remove it/)
    expect(line('colour')).toMatch(/not a known field/)
    expect(line('SVC_BASE_URL')).toMatch(/such as https:\/\/svc.example.com/)
    expect(lines).toHaveLength(10)
  })

  // holds CFG-03
  test('a key of the wrong kind is refused before it is sent, and not printed', async () => {
    const key = DEPLOY_KEY.replace('svc_sk_', 'svc_pk_')
    const { stderr } = await deployFaulty(shopProject(), { SVC_API_KEY: key })
    expect(stderr).toContain('must be the runtime’s deploy key, which starts with svc_sk_.')
    expect(stderr).not.toContain(key)
  })

  test('a field that is almost one is answered with the one that was meant', async () => {
    const config = `export default {
      apiKey: process.env.SVC_API_KEY, endpont: 'https://shop.example.com/svc',
      website: { name: 'Shop', descripton: 'x', adp: 1 },
    }`
    const { stderr } = await deployFaulty({ ...shopProject(), 'svc.config.ts': config })
    expect(stderr).toMatch(/^ {2}endpont +is not a known field\. Did you mean endpoint\?$/m)
    expect(stderr).toMatch(/^ {2}website\.descripton +is not a known field\. Did you mean description\?$/m)
    expect(stderr).toMatch(/^ {2}website\.adp +is not a known field\. Remove it, or check its spelling\.$/m)
  })

  test('a getter that throws is a fault of the project, with its own words', async () => {
    const config = "export default { get website() { throw new Error('no words for it') } }"
    const { stderr } = await deployFaulty({ ...shopProject(), 'svc.config.ts': config })
    expect(stderr).toContain('✖ svc.config.ts could not be read.\n  no words for it\n')
  })

  test('an address that ends in the version of the API is answered with what to leave out', async () => {
    const { stderr } = await deployFaulty(shopProject(), { SVC_BASE_URL: 'https://svc.example.com/v1/' })
    expect(stderr).toContain('must be the address alone, without /v1 at its end.')
  })

  test('a password in the base address is refused and not printed', async () => {
    const { stderr } = await deployFaulty(shopProject(), { SVC_BASE_URL: 'https://me:hunter2@svc.example.com' })
    expect(stderr).toContain('must not carry a user name or password')
    expect(stderr).not.toContain('hunter2')
  })

  test.each([
    ['no default export', 'export const config = {}'],
    ['a default export that is no object', 'export default 42'],
  ])('%s is explained', async (_name, config) => {
    const { stderr } = await deployFaulty({ ...shopProject(), 'svc.config.ts': config })
    expect(stderr).toContain('svc.config.ts does not default-export a configuration object.')
    expect(stderr).toContain('export default defineConfig({ … })')
  })

  test('what it throws is shown with its file, line and message', async () => {
    const { stderr } = await deployFaulty({
      ...shopProject(),
      'svc.config.ts': "interface Unused {\n  a: string\n}\n\nthrow new Error('no licence today')\n",
    })
    expect(stderr).toBe('✖ svc.config.ts could not be loaded.\n  no licence today\n  at svc.config.ts:5\n')
  })

  test('a syntax error is shown with its place', async () => {
    const { stderr } = await deployFaulty({ ...shopProject(), 'svc.config.ts': 'export default {\n  apiKey: \n' })
    expect(stderr).toContain('svc.config.ts could not be loaded.')
    expect(stderr).toMatch(/svc\.config\.ts:3/)
  })

  test('a key inside a message of the project’s own is shortened', async () => {
    const { stderr } = await deployFaulty({
      ...shopProject(),
      'svc.config.ts': "throw new Error('cannot use ' + process.env.SVC_API_KEY)",
    })
    expect(stderr).toContain('cannot use svc_sk_0123…')
    expect(stderr).not.toContain(DEPLOY_KEY)
  })

  test('a .env that cannot be read is named', async () => {
    const { stderr } = await deployFaulty({ ...shopProject(), '.env/not-a-file': '' })
    expect(stderr).toMatch(/\.env cannot be read \(EISDIR\)/)
  })
})

describe('the runtime module', () => {
  test('a missing one names its path and the way out', async () => {
    const { stderr } = await deployFaulty({ 'svc.config.ts': CONFIG })
    expect(stderr).toContain('There is no runtime module at .svc/runtime.ts.')
    expect(stderr).toContain('set `runtime` in svc.config.ts')
  })

  test('what a module that it imports throws is shown with that module’s place', async () => {
    const { stderr } = await deployFaulty({
      'svc.config.ts': CONFIG,
      'src/database.ts': "export const open = () => {\n  throw new Error('no such database')\n}\n",
      '.svc/runtime.ts': "import { open } from '../src/database.ts'\nexport default open()\n",
    })
    expect(stderr).toBe('✖ .svc/runtime.ts could not be loaded.\n  no such database\n  at src/database.ts:2\n')
  })

  test('a package that is not installed is named', async () => {
    const { stderr } = await deployFaulty({
      'svc.config.ts': CONFIG,
      '.svc/runtime.ts': "import gone from 'package-that-is-not-there'\nexport default gone\n",
    })
    expect(stderr).toContain("Cannot find module 'package-that-is-not-there'")
    expect(stderr).toContain('Run `npm install`; where it is not in package.json, add it.')
  })

  test('a file that is not there is not taken for a package', async () => {
    const { stderr } = await deployFaulty({
      'svc.config.ts': CONFIG,
      '.svc/runtime.ts': "import gone from '../src/gone.ts'\nexport default gone\n",
    })
    expect(stderr).toContain("Cannot find module '../src/gone.ts'")
    expect(stderr).not.toContain('npm install')
  })

  test('one that exports something else is told what to export', async () => {
    const { stderr } = await deployFaulty({
      'svc.config.ts': CONFIG,
      '.svc/runtime.ts': 'export const runtime = {}\nexport const other = 1\n',
    })
    expect(stderr).toContain('.svc/runtime.ts exports no runtime.')
    expect(stderr).toContain('It exports other, runtime.')
  })

  // holds CAP-03
  test('a capability name that cannot be published comes with a repaired one', async () => {
    const { stderr } = await deployFaulty({
      'svc.config.ts': CONFIG,
      '.svc/runtime.ts': runtimeModule(['order.status']),
    })
    expect(stderr).toContain('Try “order-status”')
    expect(stderr).toContain('at .svc/runtime.ts:')
  })

  test('a schema that JSON Schema cannot express names its capability', async () => {
    const { stderr } = await deployFaulty({
      'svc.config.ts': CONFIG,
      '.svc/runtime.ts': runtimeModule(['order-status', 'refund']).replaceAll('z.string()', 'z.date()'),
    })
    expect(stderr).toContain('“order-status”')
    expect(stderr).toContain('“refund”')
    expect(stderr).toContain('z.iso.datetime()')
  })

  test('a plain schema that JSON cannot carry names its capability', async () => {
    const { stderr } = await deployFaulty({
      'svc.config.ts': CONFIG,
      '.svc/runtime.ts': runtimeModule(['refund']).replace('z.object({ id: z.string() })', '{ maximum: 10n }'),
    })
    expect(stderr).toContain('“refund”')
  })

  // holds CLI-02
  test('faults of the compiled manifest stand under the capability’s name', async () => {
    const handmade = `export default { kind: 'svc-runtime', capabilities: [
      { kind: 'svc-capability', name: 'refund', version: 'one', handler: () => ({}) },
      { kind: 'svc-capability', name: 'Refund', version: '1.0.0', handler: () => ({}) },
    ] }`
    const { stderr } = await deployFaulty({ 'svc.config.ts': CONFIG, '.svc/runtime.ts': handmade })
    expect(stderr).toMatch(/“refund” version\s+must be a semantic version/)
    expect(stderr).toMatch(/“Refund” name\s+“Refund” repeats “refund”/)
  })
})

// holds CLI-02
test('a fault of the project wins over a control plane that is out of reach', async () => {
  const folder = createProject({ 'svc.config.ts': CONFIG })
  const { exitCode, stderr } = await runSvc(folder, ['deploy'])
  expect(exitCode).toBe(3)
  expect(stderr).not.toContain('reached')
})
