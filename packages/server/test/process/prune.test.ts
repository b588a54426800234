import { statSync } from 'node:fs'
import { CreatedRuntime, DeploymentList } from '@svc/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { databaseFile } from '../../src/store/open-store.ts'
import { capability } from '../support/service.ts'
import { ask, createOwner, runAdminHere } from './operator.ts'
import { startServerHere } from './server-here.ts'
import { createFolder, runAdmin } from './server-process.ts'

const Pruned = z.strictObject({
  executions: z.number(),
  deployments: z.number(),
  bytes: z.number(),
  returnedBytes: z.number().optional(),
  dryRun: z.literal(true).optional(),
})

test('old deployments go beside a running server, and their space goes back to the file system', async () => {
  const environment = { SVC_DATA_DIR: createFolder(), SVC_MODEL: 'demo:rules', PORT: '0' }
  const server = await startServerHere(environment)
  const { apiKey } = await createOwner(environment)
  const registered = await ask(`${server.url}/v1/runtimes`, { key: apiKey, body: { name: 'Shop' } })
  const runtime = CreatedRuntime.parse(registered.body)
  const deploy = () => {
    const capabilities = Array.from({ length: 100 }, (_, index) =>
      capability(`c${index}`, { description: 'x'.repeat(8_000) }),
    )
    const body = { manifest: { schemaVersion: 2, capabilities } }
    return ask(`${server.url}/v1/deployments`, { key: runtime.deployKey, body })
  }
  for (let index = 0; index < 8; index += 1) expect((await deploy()).status).toBe(201)
  const prune = async (run: typeof runAdminHere, ...args: string[]) => {
    const { stdout, code, stderr } = await run(['prune', '--keep-deployments', '2', ...args], environment)
    expect([code, stderr]).toEqual([0, ''])
    return Pruned.parse(JSON.parse(stdout))
  }
  const planned = await prune(runAdminHere, '--dry-run')
  expect(planned).toMatchObject({ executions: 0, deployments: 6, dryRun: true })
  expect(planned.bytes).toBeGreaterThan(6 * 800_000)
  const versions = async () => {
    const { body } = await ask(`${server.url}/v1/runtimes/${runtime.runtimeId}/deployments`, { key: apiKey })
    return DeploymentList.parse(body).deployments.map(({ version }) => version)
  }
  expect(await versions()).toHaveLength(8)
  const pruned = await prune(runAdmin)
  expect(pruned).toMatchObject({ executions: 0, deployments: 6, bytes: planned.bytes })
  expect(await versions()).toEqual([8, 7])
  expect(statSync(databaseFile(environment.SVC_DATA_DIR)).size).toBeLessThan(3_000_000)
  expect((await deploy()).status).toBe(201)
  const recounted = await runAdminHere(['recount'], environment)
  expect(JSON.parse(recounted.stdout)).toMatchObject({ accounts: 1, corrected: 0 })
})

test('the key that is one too many names the commands that list and revoke one, and they do', async () => {
  const environment = { SVC_DATA_DIR: createFolder(), SVC_MODEL: 'demo:rules', PORT: '0' }
  const server = await startServerHere(environment)
  const { apiKey, email } = await createOwner(environment)
  const create = () => ask(`${server.url}/v1/account/keys`, { key: apiKey, body: { name: 'one of many' } })
  for (let index = 0; index < 49; index += 1) expect((await create()).status).toBe(201)
  const refused = await runAdminHere(['create-owner', '--email', email], environment)
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain(`revoke-key --email ${email} --key`)
  const listed = await runAdminHere(['list-keys', '--email', email], environment)
  const { keys } = z.object({ keys: z.array(z.object({ keyId: z.string() })) }).parse(JSON.parse(listed.stdout))
  expect(keys).toHaveLength(50)
  const revoked = await runAdminHere(['revoke-key', '--email', email, '--key', keys[0]?.keyId ?? ''], environment)
  expect(JSON.parse(revoked.stdout)).toMatchObject({ email, keyId: keys[0]?.keyId })
  expect((await runAdminHere(['create-owner', '--email', email], environment)).code).toBe(0)
})
