import { describe, expect, test } from 'vitest'
import { startControlPlane, statusReply } from './support/fake-control-plane.ts'
import { DEPLOY_KEY } from './support/keys.ts'
import { CONFIG, createProject, runtimeModule, shopProject } from './support/project.ts'
import { runSvc } from './support/run-svc.ts'

const STATUS = 'GET /v1/runtime/status'

async function run(folder: string, args: readonly string[]) {
  const controlPlane = await startControlPlane({ [STATUS]: statusReply(['order-status', 'refund']) })
  return await runSvc(folder, args, { env: controlPlane.env(DEPLOY_KEY) })
}

describe('--cwd', () => {
  test.each([
    ['before the command', ['--cwd', 'shop', 'status']],
    ['after the command', ['status', '--cwd=shop']],
  ])('%s says where the project is', async (_name, args) => {
    const files = Object.entries(shopProject()).map(([path, contents]) => [`shop/${path}`, contents])
    const { exitCode, stdout } = await run(createProject(Object.fromEntries(files)), args)
    expect(exitCode).toBe(0)
    expect(stdout).toContain('in sync')
  })

  test('a folder that is not there is wrong usage', async () => {
    const folder = createProject({})
    const { exitCode, stderr } = await run(folder, ['status', '--cwd', 'nowhere'])
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`--cwd: there is no folder ${folder}/nowhere.`)
  })
})

describe('--config', () => {
  test('names a configuration that is not called svc.config.ts; paths in it start at its folder', async () => {
    const folder = createProject({
      'shop/staging.ts': CONFIG,
      'shop/.svc/runtime.ts': runtimeModule(['order-status', 'refund']),
      'svc.config.ts': "throw new Error('the wrong one')",
    })
    const { exitCode, stdout } = await run(folder, ['status', '--config', 'shop/staging.ts'])
    expect(exitCode).toBe(0)
    expect(stdout).toContain('in sync')
  })

  test('is looked for in the folder that --cwd names', async () => {
    const folder = createProject({ ...shopProject(), 'sub/other.ts': "throw new Error('the right one')" })
    const { exitCode, stderr } = await run(folder, ['status', '--config', 'other.ts', '--cwd', 'sub'])
    expect(exitCode).toBe(3)
    expect(stderr).toContain('other.ts could not be loaded.')
    expect(stderr).toContain('the right one')
  })

  test('a file that is not there is wrong usage', async () => {
    const folder = createProject(shopProject())
    const { exitCode, stderr } = await run(folder, ['status', '--config', 'nowhere.ts'])
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`--config: there is no file ${folder}/nowhere.ts.`)
  })
})

describe('--quiet', () => {
  test('keeps the result and drops remarks', async () => {
    const folder = createProject(shopProject())
    const call = ['dev', 'call', 'refund', '--input', '{"id": "1"}']
    const loud = await run(folder, call)
    expect(loud.stderr).toBe('refund answered after 0 ms\n')
    const quiet = await run(folder, [...call, '-q'])
    expect(quiet.stderr).toBe('')
    expect(quiet.stdout).toBe(loud.stdout)
  })

  test('keeps warnings and errors', async () => {
    const env = { SVC_API_KEY: DEPLOY_KEY, SVC_BASE_URL: 'http://control-plane.internal', SVC_RUNTIMEID: 'rt_shop' }
    const refuse = () => Promise.reject(new TypeError('fetch failed'))
    const { stderr } = await runSvc(createProject(shopProject()), ['status', '--quiet'], { env, fetch: refuse })
    expect(stderr).toContain('! http://control-plane.internal is not https')
    expect(stderr).toContain('! SVC_RUNTIMEID is not read. Did you mean SVC_RUNTIME_ID?\n')
    expect(stderr).toContain('✖ The control plane at http://control-plane.internal cannot be reached')
  })
})
