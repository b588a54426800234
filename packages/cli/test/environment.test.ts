import { expect, test } from 'vitest'
import { deployReply, startControlPlane, statusReply } from './support/fake-control-plane.ts'
import { DEPLOY_KEY } from './support/keys.ts'
import { createProject, shopProject } from './support/project.ts'
import { runSvc } from './support/run-svc.ts'

const SCRIPT = { 'GET /v1/runtime/status': statusReply([], null), 'POST /v1/deployments': deployReply([]) }

test('key and address may stand in .env beside the configuration, wherever the command is run', async () => {
  const controlPlane = await startControlPlane(SCRIPT)
  const folder = createProject({
    ...shopProject(),
    '.env': `# local\nSVC_API_KEY="${DEPLOY_KEY}"\nSVC_BASE_URL=${controlPlane.url}\n`,
    'sub/keep.txt': '',
  })
  const { exitCode } = await runSvc(`${folder}/sub`, ['deploy'], { env: {} })
  expect(exitCode).toBe(0)
  expect(controlPlane.requests.at(1)).toMatchObject({ method: 'POST', authorization: `Bearer ${DEPLOY_KEY}` })
})

test('the real environment wins over .env', async () => {
  const inFile = await startControlPlane(SCRIPT)
  const inEnvironment = await startControlPlane(SCRIPT)
  const folder = createProject({ ...shopProject(), '.env': `SVC_BASE_URL=${inFile.url}\nSVC_API_KEY=svc_sk_old\n` })
  const { exitCode } = await runSvc(folder, ['deploy'], { env: inEnvironment.env(DEPLOY_KEY) })
  expect(exitCode).toBe(0)
  expect(inFile.requests).toEqual([])
  expect(inEnvironment.requests).toHaveLength(3)
})

// holds CLI-01
test('.env is read before the configuration and the runtime module run', async () => {
  const folder = createProject({
    ...shopProject(),
    '.env': 'SHOP_NAME=From the file',
    'svc.config.ts': 'export default { apiKey: process.env.SVC_API_KEY, website: { name: process.env.SHOP_NAME } }',
  })
  const controlPlane = await startControlPlane(SCRIPT)
  await runSvc(folder, ['deploy'], { env: controlPlane.env(DEPLOY_KEY) })
  expect(controlPlane.requests.at(1)?.body).toMatchObject({ manifest: { website: { name: 'From the file' } } })
})

test('a base address with a path and a slash at its end is understood', async () => {
  const controlPlane = await startControlPlane({
    'GET /svc/v1/runtime/status': statusReply([], null),
    'POST /svc/v1/deployments': deployReply([]),
  })
  const env = { SVC_API_KEY: DEPLOY_KEY, SVC_BASE_URL: `${controlPlane.url}/svc/` }
  expect((await runSvc(createProject(shopProject()), ['deploy'], { env })).exitCode).toBe(0)
})

test('an address that is not https and not local is used with a warning', async () => {
  const env = { SVC_API_KEY: DEPLOY_KEY, SVC_BASE_URL: 'http://control-plane.internal' }
  const refuse = () => Promise.reject(new TypeError('fetch failed'))
  const { stderr } = await runSvc(createProject(shopProject()), ['deploy'], { env, fetch: refuse })
  expect(stderr).toContain('! http://control-plane.internal is not https: the deploy key travels unencrypted.')
})
