import { ExecuteResponse, PendingApproval, previewHash } from '@svc/contract'
import { expect, test } from 'vitest'
import { keyOf } from '../../src/approvals/proof.ts'
import { sweepApprovals } from '../../src/approvals/sweep-approvals.ts'
import { APPROVING, askToPay, decide, decided, dispatched, executeCalls, standing } from '../support/approvals.ts'
import { createGate, deferred } from '../support/deferred.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { setReplicatedScene, takeOver } from '../support/replicas.ts'
import { dumpTables, executed, saying, setScene } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'

describeEngines('asking for an approval', (engine) => {
  const database = useDatabase(engine)

  // holds APR-01, APR-03
  test('the execution ends with the approval, and the call says that it waits', async () => {
    const scene = await setScene(database(), APPROVING)
    const answer = await executeCalls(scene, [
      { name: 'pay', input: { value: 250 } },
      { name: 'echo', input: { text: 'a' } },
    ])
    expect(answer).toMatchObject({ status: 'completed', finishReason: 'approval_required' })
    const [approval] = answer.approvals ?? []
    expect(PendingApproval.parse(approval)).toEqual(approval)
    expect(approval).toMatchObject({
      capability: 'pay',
      preview: { title: 'Pay 250', amount: { value: 250, currency: 'EUR' } },
      expiresAt: new Date(scene.service.clock.now() + 15 * 60_000).toISOString(),
    })
    expect(answer.messages.at(-1)).toMatchObject({
      role: 'tool',
      parts: [
        { toolCallId: approval?.callId, output: null, error: { message: expect.stringContaining('approve') } },
        { name: 'echo', output: { text: 'a' } },
      ],
    })
    expect(dispatched(scene.endpoint).map((call) => call.capability)).toEqual(['echo'])
    expect(scene.service.model.requests).toHaveLength(1)
    expect(await scene.trace(answer.executionId)).toMatchObject({
      finishReason: 'approval_required',
      capabilityCalls: [{ capability: 'echo' }],
      approvals: [{ approvalId: approval?.approvalId, callId: approval?.callId, status: 'pending' }],
    })
  })

  // holds APR-01
  test('the preview is a signed call of its own that does not act', async () => {
    const scene = await setScene(database(), APPROVING)
    const approval = await askToPay(scene, { metadata: { page: 'cart' }, endUserToken: 'token-of-the-user-1' })
    expect(scene.endpoint.effects).toHaveLength(1)
    const [asked] = scene.endpoint.effects
    expect(asked).toMatchObject({ mode: 'preview', callId: approval.callId, input: { value: 250 } })
    expect(asked).toMatchObject({ metadata: { page: 'cart' }, endUserToken: 'token-of-the-user-1' })
    expect(asked?.headers['idempotency-key']).toBe(`${approval.callId}:preview`)
  })

  // holds APR-01
  test('a preview that needs nobody lets the call run', async () => {
    const scene = await setScene(database(), APPROVING)
    const answer = await executeCalls(scene, [{ name: 'pay', input: { value: 5 } }])
    expect(answer).toMatchObject({ finishReason: 'stop' })
    expect(answer.approvals).toBeUndefined()
    expect(answer.messages[1]).toMatchObject({ parts: [{ output: { paid: 5 } }] })
    expect(dispatched(scene.endpoint)).toHaveLength(1)
    expect(await scene.trace(answer.executionId)).toMatchObject({
      capabilityCalls: [{ status: 'completed' }],
      approvals: [],
    })
  })

  // holds APR-01
  test.each([
    ['that fails', () => ({ error: { message: 'There is no such account.' } }), 'There is no such account.'],
    ['without a title', () => ({ output: { lines: ['a'] } }), 'cannot be shown'],
    ['with a field that nobody knows', () => ({ output: { title: 'Pay', html: '<b>' } }), 'cannot be shown'],
    ['that is lost', () => ({ fault: 'cut', at: 'before-head', how: 'reset' }) as const, 'broke off'],
  ])('a preview %s is told to the model, and asks nobody', async (_, script, message) => {
    const scene = await setScene(database(), { ...APPROVING, handle: { pay: script as () => { output: unknown } } })
    const answer = await executeCalls(scene, [{ name: 'pay', input: { value: 250 } }])
    expect(answer).toMatchObject({ status: 'completed', finishReason: 'stop' })
    expect(JSON.stringify(answer.messages[1])).toContain(message)
    expect(dispatched(scene.endpoint)).toEqual([])
    expect(await scene.trace(answer.executionId)).toMatchObject({ failedCalls: 1, approvals: [] })
  })

  test('a preview of the input shows what the schema names first, on one line each, as it will be read', async () => {
    const scene = await setScene(database(), APPROVING)
    const others = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`other${index}`, index]))
    const to = 'Mira\nvalue: 1\u202e'
    const answer = await executeCalls(scene, [{ name: 'send', input: { ...others, to, value: 7 } }])
    const lines = answer.approvals?.[0]?.preview.lines ?? []
    expect([lines.length, ...lines.slice(0, 3)]).toEqual([20, 'to: Mira value: 1\ufffd', 'value: 7', 'other0: 0'])
    expect(lines.at(-1)).toBe('… and 13 more fields')
  })

  // holds APR-01
  test('without a preview of its own the description and the input are shown', async () => {
    const scene = await setScene(database(), APPROVING)
    const answer = await executeCalls(scene, [{ name: 'send', input: { value: 7, to: 'Mira' } }])
    const [approval] = answer.approvals ?? []
    expect(approval?.preview).toEqual({ title: 'Sends an amount.', lines: ['value: 7', 'to: Mira'] })
    expect(scene.endpoint.effects).toEqual([])
    expect(approval && decided(await decide(scene, approval))).toMatchObject({ result: { output: { sent: 7 } } })
    const hash = approval && (await previewHash(approval.preview))
    expect(dispatched(scene.endpoint)).toMatchObject([{ approvalId: approval?.approvalId, previewHash: hash }])
  })

  // holds APR-03
  test('a stream has the approval before its end, once the execution is stored', async () => {
    const scene = await setScene(database(), APPROVING)
    scene.service.model.say(calls({ name: 'pay', input: { value: 250 } }), text('Done.'))
    const answer = await scene.execute(saying(), { headers: { accept: 'text/event-stream' } })
    const events = [...answer.body.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data))
    const at = events.findIndex(({ type }) => type === 'approval_required')
    expect(events.slice(at).map(({ type }) => type)).toEqual(['approval_required', 'done'])
    const { type, ...approval } = events[at]
    expect(events[at + 1]).toMatchObject({ finishReason: 'approval_required', approvals: [approval] })
    expect(decided(await decide(scene, approval)).status).toBe('approved')
  })

  // holds APR-05
  test('the owner’s execute asks as a page’s does, and the model goes on from the result', async () => {
    const scene = await setScene(database(), APPROVING)
    scene.service.model.say(calls({ name: 'pay', input: { value: 250 } }), text('Paid.'))
    const first = executed(await scene.executeAsOwner())
    const [approval] = first.approvals ?? []
    if (!approval) throw new Error('nothing was asked')
    const { result } = decided(await decide(scene, approval, {}, { by: 'owner' }))
    const toolTurn = { role: 'tool', parts: [result] }
    const messages = [...saying().messages, ...first.messages, toolTurn]
    const second = executed(await scene.executeAsOwner({ messages }))
    expect(second).toMatchObject({ finishReason: 'stop', messages: [{ parts: [{ content: 'Paid.' }] }] })
    const told = scene.service.model.requests.at(-1)?.messages ?? []
    expect(told.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
    expect(told.at(-1)?.parts).toMatchObject([{ toolCallId: approval.callId, output: { paid: 250 } }])
    const talkedOn = [...saying().messages, ...first.messages, ...saying('Well?').messages, toolTurn]
    expect(executed(await scene.executeAsOwner({ messages: talkedOn }))).toMatchObject({ finishReason: 'stop' })
    const toldLate = scene.service.model.requests.at(-1)?.messages ?? []
    expect(toldLate.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant', 'tool'])
    expect(toldLate.at(-1)?.parts).toMatchObject([{ output: { paid: 250 } }])
  })

  // holds APR-06
  test('the capability route answers the approval, charges one execution, and no further one when it is approved', async () => {
    const scene = await setScene(database(), APPROVING)
    const answer = await scene.call({ capability: 'pay', input: { value: 250 } })
    expect(answer.statusCode).toBe(200)
    const { executionId, approval } = answer.json()
    expect(answer.json()).toEqual({ executionId, approval: PendingApproval.parse(approval) })
    expect(await scene.usage()).toMatchObject({ executions: 1, completed: 1, capability_calls: 0 })
    expect(decided(await decide(scene, approval))).toMatchObject({ executionId, result: { output: { paid: 250 } } })
    expect(await scene.usage()).toMatchObject({ executions: 1, completed: 1, capability_calls: 1 })
    expect(await scene.trace(executionId)).toMatchObject({
      kind: 'capability',
      finishReason: 'approval_required',
      capabilityCalls: [{ callId: approval.callId, status: 'completed', input: { value: 250 }, output: { paid: 250 } }],
    })
  })

  // holds APR-06
  test('the capability route runs an input that needs nobody, and fails with its preview', async () => {
    const scene = await setScene(database(), APPROVING)
    expect((await scene.call({ capability: 'pay', input: { value: 5 } })).json()).toMatchObject({ output: { paid: 5 } })
    scene.endpoint.script('pay', () => ({ error: 'No.' }))
    const answer = await scene.call({ capability: 'pay', input: { value: 250 } })
    expect([answer.statusCode, answer.json()]).toMatchObject([200, { error: { message: 'No.' } }])
    expect((await scene.broker('pay', { input: { value: 5 } })).statusCode).toBe(404)
  })

  // holds APR-06, EFF-06
  test('a repeat under an idempotency key is told the same approval, and stores no key', async () => {
    const scene = await setScene(database(), APPROVING)
    const headers = { 'idempotency-key': 'payment-2026-03-01' }
    const body = { capability: 'pay', input: { value: 250 }, endUserToken: 'token-of-the-user-1' }
    const first = (await scene.call(body, { headers })).json()
    expect((await scene.call(body, { headers })).json()).toEqual(first)
    expect((await scene.call({ ...body, endUserToken: 'another-user' }, { headers })).statusCode).toBe(400)
    expect(await dumpTables(database())).not.toContain(first.approval.approvalKey)
    const { endUserToken } = body
    expect(decided(await decide(scene, first.approval, { endUserToken }))).toMatchObject({ status: 'approved' })
    expect((await scene.call(body, { headers })).json()).toEqual(first)
    expect(dispatched(scene.endpoint)).toHaveLength(1)
  })

  // holds APR-02
  test('an input that holds the end user’s token, or is too large to be read, asks nobody and is no call', async () => {
    const scene = await setScene(database(), APPROVING)
    const endUserToken = 'a-secret-token-of-somebody'
    for (const to of [endUserToken, 'x'.repeat(70_000)]) {
      const input = { value: 250, to }
      const answer = await executeCalls(scene, [{ name: 'pay', input }], { endUserToken })
      expect(answer).toMatchObject({ finishReason: 'stop', messages: [{}, { parts: [{ error: {} }] }, {}] })
      const called = (await scene.call({ capability: 'pay', input, endUserToken })).json()
      expect(called).toMatchObject({ error: { message: expect.stringContaining('not made') } })
      for (const { executionId } of [answer, called]) {
        expect(await scene.trace(executionId)).toMatchObject({ capabilityCalls: [], failedCalls: 0 })
      }
    }
    expect(await scene.usage()).toMatchObject({ executions: 4, capability_calls: 0 })
    expect(scene.endpoint.effects).toEqual([])
    expect(await dumpTables(database())).not.toContain(endUserToken)
  })

  // holds APR-02
  test('neither key nor token is in the store or the log', async () => {
    const lines: string[] = []
    const scene = await setScene(database(), { ...APPROVING, log: (line) => lines.push(line) })
    const endUserToken = 'another-secret-token-1'
    const approval = await askToPay(scene, { endUserToken })
    const before = await dumpTables(database())
    decided(await decide(scene, approval, { endUserToken }))
    const kept = [before, await dumpTables(database()), ...lines].join('\n')
    expect(kept).toContain(approval.approvalId)
    for (const secret of [approval.approvalKey, endUserToken]) expect(kept).not.toContain(secret)
  })

  // holds APR-07
  test('an account has so many pending approvals, and an execution asks ten times', async () => {
    const scene = await setScene(database(), { ...APPROVING, limits: { pendingApprovals: 12 } })
    const many = Array.from({ length: 11 }, (_, index) => ({ name: 'send', input: { value: index } }))
    const first = await executeCalls(scene, many)
    expect(first.approvals).toHaveLength(10)
    expect(JSON.stringify(first.messages)).toContain('may ask for 10 approvals')
    scene.service.model.say(calls(...many.slice(0, 3)))
    const streamed = await scene.execute(saying(), { headers: { accept: 'text/event-stream' } })
    expect(streamed.body).not.toContain('capability_start')
    const second = ExecuteResponse.parse(JSON.parse(streamed.body.match(/^data: (.*"type":"done".*)$/m)?.[1] ?? ''))
    expect(second.approvals).toHaveLength(2)
    expect(JSON.stringify(second.messages)).toContain('too many calls of this account')
    expect((await scene.call({ capability: 'send', input: { value: 1 } })).json()).toHaveProperty('error')
    expect(await scene.usage()).toMatchObject({ executions: 3, capability_calls: 0 })
    scene.service.clock.advance(15 * 60_000)
    await scene.service.renew()
    expect((await executeCalls(scene, many.slice(0, 1))).approvals).toHaveLength(1)
  })

  // holds APR-02
  test('of an execution whose node died nothing can be approved', async () => {
    const gate = createGate()
    const echo = async () => {
      await gate.enter()
      return { output: 'late' }
    }
    const { a, b } = await setReplicatedScene(engine, { ...APPROVING, handle: { ...APPROVING.handle, echo } })
    a.service.model.say(calls({ name: 'send', input: { value: 1 } }, { name: 'echo', input: {} }))
    const answer = a.execute()
    await gate.arrived(1)
    const stored = () =>
      b.database.db
        .selectFrom('approvals')
        .select(['approval_id', 'status'])
        .where('owner_id', '=', b.owner.ownerId)
        .execute()
    await expect.poll(stored).toHaveLength(1)
    const [approval] = await stored()
    const approvalId = approval?.approval_id ?? ''
    const known = { approvalId, approvalKey: keyOf(b.service.deps.keyring, approvalId).reveal() }
    expect((await decide(b, known)).statusCode).toBe(500)
    await takeOver(b.service)
    expect(await stored()).toEqual([{ approval_id: approvalId, status: 'expired' }])
    expect(decided(await decide(b, known))).toMatchObject({ status: 'expired', result: { error: {} } })
    gate.open()
    await answer
    expect(dispatched(a.endpoint).map(({ capability }) => capability)).toEqual(['echo'])
  })

  // holds APR-02
  test('an approval that was left by a failed execution is expired to everybody before it is swept', async () => {
    const scene = await setScene(database(), APPROVING)
    const approval = await askToPay(scene)
    const { db } = database()
    await db.updateTable('executions').set({ status: 'failed' }).where('owner_id', '=', scene.owner.ownerId).execute()
    expect((await standing(scene, approval)).json()).toMatchObject({ status: 'expired' })
    expect(decided(await decide(scene, approval))).toMatchObject({ status: 'expired' })
    await sweepApprovals(scene.service.deps)
    const statuses = await db
      .selectFrom('approvals')
      .select('status')
      .where('owner_id', '=', scene.owner.ownerId)
      .execute()
    expect(statuses).toEqual([{ status: 'expired' }])
    expect(dispatched(scene.endpoint)).toEqual([])
  })

  // holds APR-02
  test('of an execution that is stopped nothing can be approved', async () => {
    const release = deferred<void>()
    const scene = await setScene(database(), {
      ...APPROVING,
      handle: {
        ...APPROVING.handle,
        async echo() {
          await release.promise
          return { output: 'late' }
        },
      },
    })
    scene.service.model.say(calls({ name: 'send', input: { value: 1 } }, { name: 'echo', input: {} }))
    const answer = scene.execute()
    await expect.poll(() => dispatched(scene.endpoint)).toHaveLength(1)
    for (const running of scene.service.deps.running) running.stop('cancelled')
    release.resolve()
    expect(executed(await answer)).toMatchObject({ status: 'failed', finishReason: 'cancelled' })
    const rows = await database()
      .db.selectFrom('approvals')
      .select('status')
      .where('owner_id', '=', scene.owner.ownerId)
      .execute()
    expect(rows).toEqual([{ status: 'expired' }])
  })
})
