import { expect, test } from 'vitest'
import { deployReply, startControlPlane, statusReply } from './support/fake-control-plane.ts'
import { DEPLOY_KEY } from './support/keys.ts'
import { CONFIG, createProject } from './support/project.ts'
import { runSvc } from './support/run-svc.ts'

/** The manifest that `svc deploy` sends for a capability and the options of its runtime, both in source. */
async function deployed(capability: string, runtime = ''): Promise<unknown> {
  const controlPlane = await startControlPlane({
    'GET /v1/runtime/status': statusReply([]),
    'POST /v1/deployments': deployReply([]),
  })
  const module = `
import { createMemoryEffectStore, defineCapability, defineRuntime } from '@svc/sdk'
const refund = defineCapability({ name: 'refund', version: '1.0.0', handler: () => ({}), ${capability} })
export default defineRuntime({ capabilities: [refund], ${runtime} })
`
  const folder = createProject({ 'svc.config.ts': CONFIG, '.svc/runtime.ts': module })
  const { stderr, exitCode } = await runSvc(folder, ['deploy'], { env: controlPlane.env(DEPLOY_KEY) })
  expect([exitCode, stderr]).toEqual([0, expect.any(String)])
  return Object(controlPlane.requests.find(({ path }) => path === '/v1/deployments')?.body).manifest
}

test('effect, confirm, preview and reconcile are deployed where the project declares them', async () => {
  const capability = "effect: 'destructive', confirm: true, preview: () => ({ title: 'Refund' })"
  expect(await deployed(capability, 'effects: createMemoryEffectStore()')).toMatchObject({
    capabilities: [{ name: 'refund', effect: 'destructive', confirm: true, preview: true }],
    reconcile: true,
  })
})

test('a project without them sends none of the fields', async () => {
  expect(JSON.stringify(await deployed(''))).not.toMatch(/effect|confirm|preview|reconcile/)
})
