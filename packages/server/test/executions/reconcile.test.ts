import type { Reconciled } from '@svc/contract'
import { type CapabilityScript, type ReceivedCall, startOwnerEndpoint } from '@svc/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { createReconciler } from '../../src/executions/reconcile.ts'
import { createGate } from '../support/deferred.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { setReplicatedScene, takeOver } from '../support/replicas.ts'
import { deployed, executed, type Scene, type SceneOptions, setScene } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'
import { capability, deployBody, type TestService } from '../support/service.ts'

const CUT = { fault: 'cut', at: 'before-head', how: 'reset' } as const
const RECONCILING = { capabilities: [capability('echo')], reconcile: true }
const TOKEN = 'the-token-of-an-end-user'

/** Breaks calls off, and answers questions about them. */
function breaking(answer: (call: ReceivedCall) => unknown): Pick<SceneOptions, 'handle' | 'manifest'> {
  const echo: CapabilityScript = (call) => (call.mode === undefined ? CUT : { output: answer(call) })
  return { handle: { echo }, manifest: RECONCILING }
}

const completed = () => ({ status: 'completed', output: { orderId: 'A-1' } })

async function askDue({ deps }: Pick<TestService, 'deps'>): Promise<void> {
  const reconciler = createReconciler(deps)
  await reconciler.begin()
  await reconciler.idle()
}

async function askAfter({ service }: Pick<Scene, 'service'>, ms: number): Promise<void> {
  service.clock.advance(ms)
  await askDue(service)
}

/** Another endpoint of the runtime. */
async function startOther({ service, runtime }: Scene, echo: CapabilityScript) {
  const { runtimeId, secret } = runtime
  const other = await startOwnerEndpoint({ runtimeId, secret, handle: { echo }, now: () => service.clock.now() })
  onTestFinished(() => other.close())
  return other
}

function questions({ endpoint }: Scene): ReceivedCall[] {
  return endpoint.effects.filter(({ mode }) => mode === 'reconcile')
}

async function reconciledOf(scene: Scene, executionId: string): Promise<Reconciled | undefined> {
  const { capabilityCalls } = await scene.trace(executionId)
  expect(capabilityCalls).toMatchObject([{ status: 'unknown' }])
  return capabilityCalls[0]?.reconciled
}

describeEngines('a call whose outcome is unknown', (engine) => {
  const database = useDatabase(engine)

  test('is asked about after five seconds with all that it had, and the trace keeps both', async () => {
    const scene = await setScene(database(), breaking(completed))
    const answer = await scene.broker('echo', { input: { text: 'a' }, metadata: { from: 'search' } })
    const { executionId } = answer.json()
    await askAfter(scene, 4_999)
    expect(questions(scene)).toEqual([])
    await askAfter(scene, 1)
    const [call, question] = scene.endpoint.effects
    expect(question).toMatchObject({
      ...{ executionId, callId: call?.callId, capability: 'echo', input: { text: 'a' }, metadata: { from: 'search' } },
      headers: { 'idempotency-key': `${call?.callId}:reconcile`, 'x-svc-execution-id': executionId },
    })
    const at = new Date(scene.service.clock.now()).toISOString()
    expect(await reconciledOf(scene, executionId)).toEqual({ ...completed(), at })
    await askAfter(scene, 3_600_000)
    expect(questions(scene)).toHaveLength(1)
  })

  // holds EFF-06
  test.each([
    ['its output', completed(), {}, [200, { output: { orderId: 'A-1' } }]],
    ['its failure', { status: 'failed', message: 'Sold out.' }, {}, [502, { error: { message: 'Sold out.' } }]],
    ['that it never ran', { status: 'never' }, {}, [502, { error: { message: expect.stringContaining('never ran') } }]],
    ['that it took effect', completed(), { endUserToken: TOKEN }, [502, { outcome: 'completed' }]],
    ['that nobody knows', 'neither', {}, [502, { outcome: 'unknown' }]],
  ])('tells a repeat under its idempotency key, once the endpoint was asked, %s', async (_, told, body, expected) => {
    const scene = await setScene(
      database(),
      breaking(() => told),
    )
    const { service, runtime } = scene
    const request = { body, headers: { 'idempotency-key': 'order-2026-03-01' } }
    const send = () => service.send('POST', `/v1/capabilities/${runtime.runtimeId}/echo`, request)
    expect((await send()).json()).toMatchObject({ outcome: 'unknown' })
    await askAfter(scene, 5_000)
    const repeat = await send()
    expect([repeat.statusCode, repeat.json()]).toMatchObject(expected)
    if (expected[1] && !('outcome' in (expected[1] as object))) expect(repeat.json()).not.toHaveProperty('outcome')
  })

  // holds EFF-03
  test('is asked about four times until the endpoint tells, and no more', async () => {
    const scene = await setScene(
      database(),
      breaking(() => 'neither'),
    )
    const { executionId } = (await scene.broker('echo')).json()
    const counts: number[] = []
    for (const ms of [5_000, 54_999, 1, 539_999, 1, 2_999_999, 1, 3_600_000]) {
      await askAfter(scene, ms)
      counts.push(questions(scene).length)
    }
    expect(counts).toEqual([1, 1, 2, 2, 3, 3, 4, 4])
    expect(await reconciledOf(scene, executionId)).toBeUndefined()
  })

  // holds EFF-03
  test('is asked about from when its outcome became unknown, however long its execution went on', async () => {
    const scene = await setScene(database(), {
      ...breaking(() => 'neither'),
      manifest: { capabilities: [capability('echo'), capability('wait')], reconcile: true },
      limits: { executionMs: 7_200_000 },
    })
    scene.endpoint.script('wait', () => {
      scene.service.clock.advance(1_800_000)
      return { output: 'waited' }
    })
    scene.service.model.say(calls({ name: 'echo', input: {} }), calls({ name: 'wait', input: {} }), text('Done.'))
    const { executionId } = executed(await scene.execute())
    const counts: number[] = []
    for (const ms of [0, 1_000, 1_798_999, 1, 3_600_000]) {
      await askAfter(scene, ms)
      counts.push(questions(scene).length)
    }
    expect(counts).toEqual([1, 1, 1, 2, 2])
    expect((await scene.trace(executionId)).capabilityCalls).toMatchObject([{ status: 'unknown' }, {}])
  })

  test('is asked about at its own times, beside others of its execution', async () => {
    const scene = await setScene(database(), {
      ...breaking(() => 'neither'),
      manifest: { capabilities: [capability('echo'), capability('late')], reconcile: true },
    })
    scene.endpoint.script('late', (call) => {
      if (call.mode !== undefined) return { output: completed() }
      scene.service.clock.advance(30_000)
      return CUT
    })
    scene.service.model.say(calls({ name: 'echo', input: {} }), calls({ name: 'late', input: {} }), text('Done.'))
    executed(await scene.execute())
    const asked: string[] = []
    for (const ms of [0, 5_000, 25_000, 30_000, 480_000]) {
      await askAfter(scene, ms)
      asked.push(
        questions(scene)
          .map(({ capability }) => capability)
          .join(),
      )
    }
    expect(asked).toEqual(['echo', 'echo,late', 'echo,late,echo', 'echo,late,echo', 'echo,late,echo'])
    await askAfter(scene, 30_000)
    expect(questions(scene)).toHaveLength(4)
  })

  test('is asked about only at the address that it was sent to, whatever serves by then', async () => {
    const scene = await setScene(database(), breaking(completed))
    const { service, runtime, owner } = scene
    const { executionId } = (await scene.broker('echo')).json()
    const other = await startOther(scene, () => ({ output: { status: 'never' } }))
    await deployed(service, runtime, { ...RECONCILING, endpoint: other.url })
    await askAfter(scene, 5_000)
    expect(other.effects).toEqual([])
    expect(await reconciledOf(scene, executionId)).toMatchObject(completed())
    // A runtime that moves leaves the address.
    await service.deploy(runtime, { ...RECONCILING, endpoint: scene.endpoint.url })
    const left = (await scene.broker('echo')).json()
    const body = { runtimeId: runtime.runtimeId, name: 'Shop', endpoint: other.url }
    await service.send('POST', '/v1/runtimes', { key: owner.apiKey, body })
    await askAfter(scene, 5_000)
    expect(other.effects).toEqual([])
    expect(await reconciledOf(scene, left.executionId)).toBeUndefined()
  })

  // holds EFF-03
  test('of a candidate at its own address is asked about there, after the candidate has ended, too', async () => {
    const scene = await setScene(database(), breaking(completed))
    const { service, runtime } = scene
    const other = await startOther(scene, ({ mode }) => (mode ? { output: completed() } : CUT))
    const body = { ...deployBody({ ...RECONCILING, endpoint: other.url }), traffic: 100 }
    await service.send('POST', '/v1/deployments', { key: runtime.deployKey, body })
    const { executionId } = (await scene.call({ capability: 'echo' })).json()
    expect((await scene.trace(executionId)).deploymentVersion).toBe(2)
    await deployed(service, runtime, RECONCILING)
    await askAfter(scene, 5_000)
    expect(questions(scene)).toEqual([])
    expect(await reconciledOf(scene, executionId)).toMatchObject(completed())
  })

  test.each([{ status: 'failed', message: 'Sold out.' }, { status: 'never' }])(
    'may turn out as $status',
    async (told) => {
      const scene = await setScene(
        database(),
        breaking(() => told),
      )
      const { executionId } = (await scene.call({ capability: 'echo' })).json()
      await askAfter(scene, 5_000)
      expect(await reconciledOf(scene, executionId)).toMatchObject(told)
    },
  )

  test('is not asked about where the deployment does not declare it', async () => {
    const scene = await setScene(database(), { ...breaking(completed), manifest: {} })
    await scene.broker('echo')
    await askAfter(scene, 5_000)
    await askAfter(scene, 3_600_000)
    expect(questions(scene)).toEqual([])
  })

  test('is asked about later, where a deployment in between does not declare it', async () => {
    const scene = await setScene(database(), breaking(completed))
    const { executionId } = (await scene.broker('echo')).json()
    await scene.service.deploy(scene.runtime, { capabilities: [capability('echo')], endpoint: scene.endpoint.url })
    await askAfter(scene, 5_000)
    expect(questions(scene)).toEqual([])
    await scene.service.deploy(scene.runtime, { ...RECONCILING, endpoint: scene.endpoint.url })
    await askAfter(scene, 55_000)
    expect(await reconciledOf(scene, executionId)).toMatchObject(completed())
  })

  // holds EFF-05
  test('is asked about without the end user’s token, and only the status of the answer is kept', async () => {
    const scene = await setScene(
      database(),
      breaking(() => ({ status: 'completed', output: { echoed: TOKEN } })),
    )
    const { executionId } = (await scene.broker('echo', { endUserToken: TOKEN })).json()
    await askAfter(scene, 5_000)
    expect(questions(scene)[0]?.body).not.toContain(TOKEN)
    expect(await reconciledOf(scene, executionId)).toEqual({ status: 'completed', at: expect.any(String) })
  })

  test('with a large input is asked about with what is stored of it, and a large answer is stored likewise', async () => {
    const large = 'x'.repeat(100_000)
    const scene = await setScene(
      database(),
      breaking(() => ({ status: 'completed', output: large })),
    )
    const { executionId } = (await scene.broker('echo', { input: { text: large } })).json()
    await askAfter(scene, 5_000)
    expect(questions(scene)[0]?.input).toMatchObject({ truncated: true, bytes: 100_011 })
    expect(await reconciledOf(scene, executionId)).toMatchObject({ output: { truncated: true, bytes: 100_002 } })
  })

  // holds EFF-04
  test('is asked about once by several replicas', async () => {
    const { a, b } = await setReplicatedScene(engine, { ...breaking(completed), tier: 'pro' })
    // Few enough to leave the circuit closed.
    const count = 4
    const answers = await Promise.all(Array.from({ length: count }, () => a.broker('echo')))
    a.service.clock.advance(5_000)
    for (let round = 0; round < 2; round += 1) {
      await Promise.all([a, a, b, b].map(({ service }) => askDue(service)))
    }
    expect(new Set(questions(a).map(({ callId }) => callId)).size).toBe(count)
    expect(questions(a)).toHaveLength(count)
    for (const answer of answers) {
      expect(await reconciledOf(a, answer.json().executionId)).toMatchObject({ status: 'completed' })
    }
  })

  test('because its node is gone is asked about by another one', async () => {
    const gate = createGate()
    const echo: CapabilityScript = async (call) => {
      if (call.mode === 'reconcile') return { output: { status: 'never' } }
      await gate.enter()
      return { output: 'late' }
    }
    const { a, b } = await setReplicatedScene(engine, { handle: { echo }, manifest: RECONCILING })
    const answer = a.broker('echo')
    await gate.arrived(1)
    await takeOver(b.service)
    await askAfter(b, 5_000)
    gate.open()
    expect(await reconciledOf(a, (await answer).json().executionId)).toMatchObject({ status: 'never' })
  })
})
