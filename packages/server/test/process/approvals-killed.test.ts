import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { ApprovalAnswer, CreatedRuntime, ExecuteResponse, type PendingApproval, Trace } from '@svc/contract'
import { type OwnerEndpoint, startOpenAiDouble, startOwnerEndpoint } from '@svc/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/store/database.ts'
import { APPROVING, dispatched, previewOf } from '../support/approvals.ts'
import { createGate } from '../support/deferred.ts'
import { createTestPlace, describeEngines, type TestEngine } from '../support/engines.ts'
import { saying } from '../support/scene.ts'
import { deployBody } from '../support/service.ts'
import { ask, createOwner } from './operator.ts'
import { startServerHere } from './server-here.ts'
import { createFolder, type ListeningServer, startServerProcess } from './server-process.ts'
import { until } from './until.ts'

/** Where the server keeps its data, as its environment says, and how this test opens it. */
async function placeOf(engine: TestEngine) {
  if (engine.name === 'sqlite') {
    const folder = createFolder()
    return { variables: { SVC_DATA_DIR: folder }, store: { engine: 'sqlite', file: join(folder, 'svc.db') } } as const
  }
  const { location } = await createTestPlace(engine)
  const variables = { DATABASE_URL: location, SVC_MASTER_KEY: randomBytes(32).toString('base64') }
  return { variables, store: { engine: 'postgres', url: location } } as const
}

/** A server with a payment that waits for a person; the payment itself waits at the gate once it has happened. */
async function askForPayment(engine: TestEngine) {
  const { variables, store } = await placeOf(engine)
  const gate = createGate()
  const paid: string[] = []
  const endpoint = await startOwnerEndpoint({
    handle: {
      async pay({ mode, callId, input }) {
        if (mode === 'preview') return { output: previewOf(input) }
        if (mode === 'reconcile') {
          const didPay = paid.includes(callId)
          return { output: didPay ? { status: 'completed', output: { paid: 250 } } : { status: 'never' } }
        }
        paid.push(callId)
        await gate.enter()
        return { output: { paid: 250 } }
      },
    },
  })
  const double = await startOpenAiDouble({
    script: () => ({ toolCalls: [{ name: 'pay', input: { value: 250 } }] }),
  })
  onTestFinished(async () => {
    gate.open()
    await endpoint.close()
    await double.close()
  })
  const environment = {
    ...variables,
    SVC_ALLOW_LOCAL_ENDPOINTS: '1',
    SVC_MODEL: 'openai-compatible:test-model',
    SVC_MODEL_BASE_URL: double.baseUrl,
  }
  const server = await startServerProcess(environment)
  const { apiKey } = await createOwner(environment)
  const { publicKey } = await publishPayment(server, apiKey, endpoint)
  const executed = await ask(`${server.url}/v1/runtime/execute`, { key: publicKey, body: saying() })
  const { executionId, approvals: [approval] = [] } = ExecuteResponse.parse(executed.body)
  if (!approval) throw new Error('nothing was asked for')
  const open = async () => {
    const database = await openDatabase({ ...store, onError: () => {} })
    onTestFinished(() => database.close())
    return database.db
  }
  return { server, environment, apiKey, publicKey, endpoint, gate, executionId, approval, open }
}

async function publishPayment({ url }: ListeningServer, apiKey: string, endpoint: OwnerEndpoint) {
  const registered = await ask(`${url}/v1/runtimes`, { key: apiKey, body: { name: 'Shop', endpoint: endpoint.url } })
  const runtime = CreatedRuntime.parse(registered.body)
  endpoint.trust({ runtimeId: runtime.runtimeId, secrets: [runtime.secret] })
  const body = deployBody({ ...APPROVING.manifest, reconcile: true })
  const { status } = await ask(`${url}/v1/deployments`, { key: runtime.deployKey, body })
  if (status !== 201) throw new Error(`the deployment was answered with ${status}`)
  return runtime
}

type Stage = Awaited<ReturnType<typeof askForPayment>>
type Served = Pick<ListeningServer, 'url'>

function approve({ url }: Served, { publicKey, approval }: Stage) {
  const body = { decision: 'approve', approvalKey: approval.approvalKey }
  return ask(`${url}/v1/runtime/approvals/${approval.approvalId}`, { key: publicKey, body })
}

async function standing({ url }: Served, publicKey: string, { approvalId, approvalKey }: PendingApproval) {
  const headers = { authorization: `Bearer ${publicKey}`, 'x-svc-approval-key': approvalKey, connection: 'close' }
  const answer = await fetch(`${url}/v1/runtime/approvals/${approvalId}`, { headers })
  return ApprovalAnswer.parse(await answer.json())
}

async function kill({ child, ended }: ListeningServer): Promise<void> {
  child.kill('SIGKILL')
  await ended
}

/** What everybody is told after the next start: unknown, not dispatched again, and then what the endpoint says. */
async function expectUnknown(stage: Stage, reconciled: object): Promise<void> {
  const { environment, apiKey, publicKey, endpoint, executionId, approval } = stage
  const sent = dispatched(endpoint).length
  const next = await startServerHere(environment)
  const answers = await Promise.all(Array.from({ length: 5 }, () => approve(next, stage)))
  const first = ApprovalAnswer.parse(answers[0]?.body)
  expect(first).toMatchObject({
    status: 'approved',
    result: { error: { message: expect.stringContaining('unknown') } },
  })
  for (const { body } of answers) expect(body).toEqual(first)
  expect(await standing(next, publicKey, approval)).toEqual(first)
  const trace = async () => Trace.parse((await ask(`${next.url}/v1/executions/${executionId}`, { key: apiKey })).body)
  expect(await trace()).toMatchObject({
    status: 'completed',
    unknownCalls: 1,
    capabilityCalls: [{ status: 'unknown' }],
  })
  await until(async () => (await trace()).capabilityCalls[0]?.reconciled !== undefined)
  expect(await trace()).toMatchObject({ capabilityCalls: [{ callId: approval.callId, status: 'unknown', reconciled }] })
  expect(await standing(next, publicKey, approval)).toEqual(first)
  expect(dispatched(endpoint)).toHaveLength(sent)
}

describeEngines('a server that is killed between an approval and its answer', (engine) => {
  /** As a replica that takes over, which on PostgreSQL it may once the lease has run out. SQLite has one server. */
  async function endLease({ open }: Stage): Promise<void> {
    if (engine.name === 'postgres') await (await open()).deleteFrom('nodes').execute()
  }

  test('before the call left it', async () => {
    const stage = await askForPayment(engine)
    await kill(stage.server)
    const db = await stage.open()
    const { node_id } = await db.selectFrom('nodes').select('node_id').executeTakeFirstOrThrow()
    // As the consumption has committed it.
    await db.updateTable('approvals').set({ status: 'approved', decided_at: Date.now(), node_id }).execute()
    await endLease(stage)
    await expectUnknown(stage, { status: 'never' })
    expect(dispatched(stage.endpoint)).toEqual([])
  })

  test('after the endpoint has acted', async () => {
    const stage = await askForPayment(engine)
    const broken = approve(stage.server, stage).catch((error: unknown) => error)
    await stage.gate.arrived(1)
    await kill(stage.server)
    expect(await broken).toBeInstanceOf(Error)
    await endLease(stage)
    await expectUnknown(stage, { status: 'completed', output: { paid: 250 } })
    expect(dispatched(stage.endpoint)).toHaveLength(1)
  })
})
