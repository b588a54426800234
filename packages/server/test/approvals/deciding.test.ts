import { type Approval, ApprovalAnswer, type PendingApproval } from '@svc/contract'
import { expect, test } from 'vitest'
import { expireSome } from '../../src/approvals/approved-call-store.ts'
import { sweepApprovals } from '../../src/approvals/sweep-approvals.ts'
import { createReconciler } from '../../src/executions/reconcile.ts'
import { recountStoredBytes } from '../../src/usage/recount-store.ts'
import { APPROVING, askToPay, decide, decided, dispatched, executeCalls, pay, standing } from '../support/approvals.ts'
import { createGate } from '../support/deferred.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { setReplicatedScene, takeOver } from '../support/replicas.ts'
import { type Scene, setScene } from '../support/scene.ts'

const MINUTE_MS = 60_000

function list({ service, owner }: Scene, query = '') {
  return service.send('GET', `/v1/executions/approvals${query}`, { key: owner.apiKey })
}

describeEngines('deciding on an approval', (engine) => {
  const database = useDatabase(engine)

  // holds APR-04, APR-05
  test.each(['page', 'owner'] as const)(
    'approving from the %s’s route dispatches the call once, as it was shown',
    async (by) => {
      const scene = await setScene(database(), APPROVING)
      const approval = await askToPay(scene, { metadata: { page: 'cart' } })
      expect((await standing(scene, approval, by)).json()).toEqual({
        approvalId: approval.approvalId,
        status: 'pending',
        executionId: expect.stringMatching(/^exec_/),
      })
      const answer = ApprovalAnswer.parse(decided(await decide(scene, approval, {}, { by })))
      expect(answer).toMatchObject({
        status: 'approved',
        result: { type: 'tool_result', toolCallId: approval.callId, name: 'pay', output: { paid: 250 } },
      })
      const [call, ...others] = dispatched(scene.endpoint)
      expect(others).toEqual([])
      expect(call).toMatchObject({
        callId: approval.callId,
        executionId: answer.executionId,
        approvalId: approval.approvalId,
        previewHash: expect.stringMatching(/^[0-9a-f]{64}$/),
        input: { value: 250 },
        metadata: { page: 'cart' },
      })
      expect(call?.headers['idempotency-key']).toBe(approval.callId)
      expect(decided(await decide(scene, approval, {}, { by }))).toEqual(answer)
      expect((await standing(scene, approval, by)).json()).toEqual(answer)
      expect(dispatched(scene.endpoint)).toHaveLength(1)
      expect(await scene.trace(answer.executionId)).toMatchObject({
        capabilityCalls: [{ callId: approval.callId, input: { value: 250 }, output: { paid: 250 } }],
        approvals: [{ approvalId: approval.approvalId, status: 'approved', decidedAt: expect.any(String) }],
      })
      expect(await scene.usage()).toMatchObject({ executions: 1, capability_calls: 1 })
    },
  )

  // holds APR-04
  test('declining dispatches nothing, and nothing changes it', async () => {
    const scene = await setScene(database(), APPROVING)
    const approval = await askToPay(scene)
    const declined = decided(await decide(scene, approval, { decision: 'decline' }))
    expect(declined).toMatchObject({
      status: 'declined',
      result: { error: { message: expect.stringContaining('declined') } },
    })
    expect(decided(await decide(scene, approval))).toEqual(declined)
    expect(dispatched(scene.endpoint)).toEqual([])
    const [{ executionId }] = [declined]
    expect(await scene.trace(executionId)).toMatchObject({ capabilityCalls: [], approvals: [{ status: 'declined' }] })
  })

  // holds APR-04
  test('a call that fails was approved all the same', async () => {
    const scene = await setScene(database(), APPROVING)
    const approval = await askToPay(scene)
    scene.endpoint.script('pay', () => ({ error: 'The account is closed.' }))
    const answer = decided(await decide(scene, approval))
    expect(answer).toMatchObject({
      status: 'approved',
      result: { output: null, error: { message: 'The account is closed.' } },
    })
    expect(decided(await decide(scene, approval))).toEqual(answer)
    expect(await scene.trace(answer.executionId)).toMatchObject({ failedCalls: 1, status: 'completed' })
    expect(dispatched(scene.endpoint)).toHaveLength(1)
  })

  // holds APR-04
  test('a new deployment on the same endpoint changes nothing; another endpoint gets no call', async () => {
    const scene = await setScene(database(), APPROVING)
    const [first, second] = [await askToPay(scene), await askToPay(scene)]
    await scene.service.deploy(scene.runtime)
    expect(decided(await decide(scene, first))).toMatchObject({ result: { output: { paid: 250 } } })
    await scene.service.deploy(scene.runtime, { endpoint: `${scene.endpoint.url}/moved` })
    const answer = decided(await decide(scene, second))
    expect(answer).toMatchObject({
      status: 'expired',
      result: { error: { message: expect.stringContaining('endpoint') } },
    })
    expect(decided(await decide(scene, second))).toEqual(answer)
    expect(dispatched(scene.endpoint)).toHaveLength(1)
  })

  // holds APR-04
  test('of many at once on two replicas one dispatches, and all answer the same', async () => {
    const gate = createGate()
    const slowly = {
      ...APPROVING.handle,
      pay: async (call: Parameters<typeof pay>[0]) => {
        if (call.mode === undefined) await gate.enter()
        return pay(call)
      },
    }
    const { a, b } = await setReplicatedScene(engine, { ...APPROVING, handle: slowly })
    const approval = await askToPay(a)
    const answers = Promise.all(Array.from({ length: 12 }, (_, index) => decide(index % 2 ? a : b, approval)))
    await gate.arrived(1)
    gate.open()
    const [first, ...others] = (await answers).map(decided)
    expect(first).toMatchObject({ status: 'approved', result: { output: { paid: 250 } } })
    for (const other of others) expect(other).toEqual(first)
    expect(dispatched(a.endpoint)).toHaveLength(1)
    expect(await a.usage()).toMatchObject({ capability_calls: 1 })
  })

  // holds APR-04
  test('what the death of a node leaves is unknown, and never dispatched again', async () => {
    const { a, b } = await setReplicatedScene(engine, APPROVING)
    const approval = await askToPay(a)
    // As the death of node a leaves it between the consumption and the answer.
    await a.database.db
      .updateTable('approvals')
      .set({ status: 'approved', decided_at: a.service.clock.now(), node_id: a.service.deps.lease.nodeId })
      .where('approval_id', '=', approval.approvalId)
      .execute()
    expect((await standing(b, approval)).json()).not.toHaveProperty('result')
    await takeOver(b.service)
    await sweepApprovals(b.service.deps)
    const answer = decided(await decide(b, approval))
    expect(answer).toMatchObject({
      status: 'approved',
      outcome: 'unknown',
      result: { output: null, error: { message: expect.stringContaining('unknown') } },
    })
    expect(decided(await decide(b, approval))).toEqual(answer)
    expect(dispatched(a.endpoint)).toEqual([])
    expect(await b.trace(answer.executionId)).toMatchObject({
      unknownCalls: 1,
      capabilityCalls: [{ callId: approval.callId, status: 'unknown' }],
    })
  })

  // holds APR-04
  test('a lost answer is unknown, asked about like any other, and never dispatched again', async () => {
    const scene = await setScene(database(), { ...APPROVING, manifest: { ...APPROVING.manifest, reconcile: true } })
    const approval = await askToPay(scene)
    scene.endpoint.script('pay', ({ mode }) => {
      if (mode === 'reconcile') return { output: { status: 'completed', output: { paid: 250 } } }
      return { fault: 'cut', at: 'before-head', how: 'reset' }
    })
    const answer = decided(await decide(scene, approval))
    expect(answer).toMatchObject({
      status: 'approved',
      outcome: 'unknown',
      result: { error: { message: expect.stringContaining('unknown') } },
    })
    expect(decided(await decide(scene, approval))).toEqual(answer)
    expect(dispatched(scene.endpoint)).toHaveLength(1)
    const { executionId } = answer
    expect(await scene.trace(executionId)).toMatchObject({ unknownCalls: 1, capabilityCalls: [{ status: 'unknown' }] })
    const { db } = database()
    const stored = await db
      .selectFrom('executions')
      .select('reconcile_at')
      .where('execution_id', '=', executionId)
      .execute()
    expect(stored).toEqual([{ reconcile_at: scene.service.clock.now() + 5_000 }])
    scene.service.clock.advance(5_000)
    const reconciler = createReconciler(scene.service.deps)
    await reconciler.begin()
    await reconciler.idle()
    const [call, question] = scene.endpoint.effects.filter(({ mode }) => mode !== 'preview')
    const { approvalId, previewHash } = call ?? {}
    expect(question).toMatchObject({ mode: 'reconcile', callId: approval.callId, approvalId, previewHash })
    expect(await scene.trace(executionId)).toMatchObject({ capabilityCalls: [{ reconciled: { status: 'completed' } }] })
  })

  test('a call is dispatched once or expired, never both, where its time is up in the same moment', async () => {
    const { a, b } = await setReplicatedScene(engine, APPROVING)
    const asked = []
    for (let count = 0; count < 12; count += 1) asked.push(await askToPay(a))
    const ids = asked.map(({ approvalId }) => approvalId)
    const answers = Promise.all(asked.map((approval, index) => decide(index % 2 ? a : b, approval)))
    for (const id of ids) await expireSome(b.database.db, { ids: [id] }, 1)
    for (const [index, answer] of (await answers).map(decided).entries()) {
      const sent = dispatched(a.endpoint, asked[index]?.callId).length
      expect([answer.status, sent]).toEqual(answer.status === 'approved' ? ['approved', 1] : ['expired', 0])
      expect((await standing(a, asked[index] as PendingApproval)).json()).toEqual(answer)
    }
  })

  test('no call reaches an endpoint that the runtime gets in the same moment', async () => {
    const { a, b } = await setReplicatedScene(engine, APPROVING)
    for (let round = 0; round < 6; round += 1) {
      const approval = await askToPay(a)
      const moved = `/moved${round}`
      const [answer, deployed] = await Promise.all([
        decide(b, approval),
        a.service.deploy(a.runtime, { ...APPROVING.manifest, endpoint: `${a.endpoint.url}${moved}` }),
      ])
      expect(deployed.statusCode).toBe(201)
      const sent = decided(answer).status === 'approved' ? 1 : 0
      expect(dispatched(a.endpoint, approval.callId)).toHaveLength(sent)
      expect(a.endpoint.paths.filter((path) => path.endsWith(moved))).toEqual([])
    }
  })

  test('an approved call needs no quota, and one that nobody could dispatch stays pending', async () => {
    const scene = await setScene(database(), { ...APPROVING, tier: 'free' })
    const [first, second] = [await askToPay(scene), await askToPay(scene)]
    const { db } = database()
    const { ownerId } = scene.owner
    const full = scene.service.clock.now() + 365 * 24 * 60 * MINUTE_MS
    await db.updateTable('allowances').set({ full_at: full }).where('owner_id', '=', ownerId).execute()
    expect((await scene.execute()).statusCode).toBe(429)
    expect(decided(await decide(scene, first))).toMatchObject({ result: { output: { paid: 250 } } })
    // As another node takes over from this one.
    await db.deleteFrom('nodes').where('node_id', '=', scene.service.deps.nodeId).execute()
    const refused = await decide(scene, second)
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([500, '1'])
    await scene.service.renew()
    expect(decided(await decide(scene, second))).toMatchObject({ result: { output: { paid: 250 } } })
    expect(dispatched(scene.endpoint)).toHaveLength(2)
  })

  // holds APR-08
  test('an owner’s list has what waits, page by page, without keys', async () => {
    const scene = await setScene(database(), APPROVING)
    const asked = []
    for (const value of [100, 200, 300, 400]) {
      asked.push(await askToPay(scene, {}, value))
      scene.service.clock.advance(1)
    }
    const [declined, approved, ...waiting] = asked
    if (!declined || !approved) throw new Error('four were asked for')
    await decide(scene, declined, { decision: 'decline' })
    await decide(scene, approved)
    const pending = (await list(scene, '?status=pending')).json()
    expect(pending.approvals.map((row: Approval) => row.approvalId)).toEqual(
      waiting.map((one) => one.approvalId).reverse(),
    )
    expect(pending.approvals[0]).toMatchObject({
      status: 'pending',
      input: { value: 400 },
      runtimeId: scene.runtime.runtimeId,
    })
    expect(JSON.stringify(pending)).not.toContain(waiting[0]?.approvalKey)
    const first = (await list(scene, '?limit=3')).json()
    const rest = (await list(scene, `?limit=3&cursor=${first.nextCursor}`)).json()
    expect([...first.approvals, ...rest.approvals].map((row) => row.status)).toEqual([
      'pending',
      'pending',
      'approved',
      'declined',
    ])
    expect(rest.nextCursor).toBeNull()
    expect((await list(scene, '?status=done')).statusCode).toBe(400)
    expect((await list(await setScene(database(), APPROVING))).json()).toEqual({ approvals: [], nextCursor: null })
    scene.service.clock.advance(15 * MINUTE_MS)
    expect((await list(scene, '?status=pending')).json().approvals).toEqual([])
    expect((await list(scene, '?status=expired')).json().approvals).toHaveLength(2)
  })

  // holds APR-07
  test('what nobody decided is expired and gives its room back', async () => {
    const scene = await setScene(database(), APPROVING)
    const { ownerId } = scene.owner
    const empty = await recountStoredBytes(database().db, ownerId)
    const approval = await askToPay(scene, { metadata: { note: 'x'.repeat(2_000) } })
    await scene.usage()
    const waiting = await recountStoredBytes(database().db, ownerId)
    expect(waiting?.before).toBe(waiting?.counted)
    expect(waiting?.counted).toBeGreaterThan((empty?.counted ?? 0) + 4_000)
    scene.service.clock.advance(15 * MINUTE_MS)
    await scene.service.renew()
    const late = decided(await decide(scene, approval))
    expect(late).toMatchObject({
      status: 'expired',
      result: { error: { message: expect.stringContaining('in time') } },
    })
    await sweepApprovals(scene.service.deps)
    expect((await standing(scene, approval)).json()).toEqual(late)
    const swept = await recountStoredBytes(database().db, ownerId)
    expect(swept?.before).toBe(swept?.counted)
    expect(swept?.counted).toBeLessThan((waiting?.counted ?? 0) - 2_000)
    expect(dispatched(scene.endpoint)).toEqual([])
  })

  // holds APR-07
  test('the room of an approved call is counted, too', async () => {
    const scene = await setScene(database(), APPROVING)
    await executeCalls(scene, [
      { name: 'echo', input: { text: 'a' } },
      { name: 'pay', input: { value: 250 } },
    ])
    const approval = await askToPay(scene)
    await decide(scene, approval)
    await scene.usage()
    const counted = await recountStoredBytes(database().db, scene.owner.ownerId)
    expect(counted?.before).toBe(counted?.counted)
  })
})
