import { join } from 'node:path'
import { capabilityNameProblem, DeployRequest, fieldErrorsOf } from '@svc/contract'
import { isRuntime } from '@svc/sdk'
import { callCapability } from '@svc/sdk/testing'
import { expect, test, vi } from 'vitest'
import { createProject, runtimeModule } from '../../packages/cli/test/support/project.ts'
import { runSvc } from '../../packages/cli/test/support/run-svc.ts'
import { sampleOf } from '../support/doc-samples.ts'
import { sampleFolder } from '../support/sample-folder.ts'

test('the server of the SDK’s page starts, and its capability answers the customer whose order it is', async () => {
  const sample = sampleOf('packages/sdk/README.md', '`server.ts`')
  expect(sample.code).toContain('.listen(8788)')
  const folder = sampleFolder([
    { ...sample, code: sample.code.replace('.listen(8788)', ".listen(0, '127.0.0.1').unref()") },
  ])
  vi.stubEnv('SVC_RUNTIME_ID', 'rt_exampleShop')
  vi.stubEnv('SVC_RUNTIME_SECRET', 'a-secret-of-the-page')
  const { runtime } = await import(join(folder, 'server.ts'))
  vi.unstubAllEnvs()

  const orderStatus = isRuntime(runtime) ? runtime.find('order-status') : undefined
  if (!orderStatus) throw new Error('the page defines no order-status')
  const ask = (endUserToken: string) => callCapability(orderStatus, { orderNumber: 'A-17' }, { endUserToken })
  expect(await ask('session-of-ada')).toEqual({ ok: true, output: { status: 'shipped' } })
  expect(await ask('session-of-ben')).toMatchObject({ code: 'capability_error', message: 'You have no order A-17.' })
})

test('the contract’s page says what its two calls answer', () => {
  const { code } = sampleOf('packages/contract/README.md', '@cfworker/json-schema')
  const [, name = '', said = ''] = /capabilityNameProblem\('(.+)'\) \/\/ (.+)/.exec(code) ?? []
  const [begin = '', end = ''] = said.split('…').map((part) => part.trim())
  const problem = capabilityNameProblem(name) ?? ''
  expect([begin, end]).not.toContain('')
  expect([problem.startsWith(begin), problem.endsWith(end)], problem).toEqual([true, true])

  const [, field = ''] = /fieldErrorsOf\(parsed\.error\) \/\/ \{ '(.+)': \['…'\] \}/.exec(code) ?? []
  const manifest = { schemaVersion: 2, capabilities: [{ name, version: '1.0.0' }] }
  const parsed = DeployRequest.safeParse({ manifest })
  expect(parsed.success ? [] : Object.keys(fieldErrorsOf(parsed.error))).toEqual([field])
})

test('a project with the configuration of the tool’s page is in order', async () => {
  const { code } = sampleOf('packages/cli/README.md', 'svc.config.ts')
  const folder = createProject({ 'svc.config.ts': code, 'src/capabilities.ts': runtimeModule(['order-status']) })
  const { exitCode, stdout } = await runSvc(folder, ['deploy', '--dry-run'])
  expect(stdout).toContain('order-status')
  expect(exitCode).toBe(0)
})
