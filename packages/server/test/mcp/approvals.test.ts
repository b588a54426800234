import type { LightMyRequestResponse } from 'fastify'
import { describe, expect, test } from 'vitest'
import { APPROVING, dispatched } from '../support/approvals.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { callTool, sendLegacy } from '../support/mcp.ts'
import { setReplicatedScene } from '../support/replicas.ts'
import { deployed, type Scene, setScene } from '../support/scene.ts'
import { capability } from '../support/service.ts'

const FORMS = { elicitation: {} }
const YES = { action: 'accept', content: { approve: true } }

function pay(scene: Scene, value: number, more: Record<string, unknown> = {}, capabilities: object = FORMS) {
  return callTool(scene, 'pay', { value }, { capabilities, params: more })
}

function stateIn(answer: LightMyRequestResponse): string {
  const { resultType, requestState } = answer.json().result
  expect(resultType).toBe('input_required')
  return requestState
}

const textIn = (answer: LightMyRequestResponse): string => answer.json().result.content[0].text

describeEngines('a tool that asks a person first', (engine) => {
  const database = useDatabase(engine)

  // holds MCP-10
  test('answers with a question, and runs once when it is repeated with a yes', async () => {
    const scene = await setScene(database(), APPROVING)
    const asked = await pay(scene, 120)
    expect(asked.json().result).toEqual({
      resultType: 'input_required',
      inputRequests: {
        approval: {
          method: 'elicitation/create',
          params: {
            mode: 'form',
            message: 'Pay 120\n120 EUR',
            requestedSchema: {
              type: 'object',
              properties: { approve: expect.objectContaining({ type: 'boolean' }) },
              required: ['approve'],
            },
          },
        },
      },
      requestState: expect.any(String),
      _meta: expect.any(Object),
    })
    const requestState = stateIn(asked)
    const charged = await scene.charged()
    const repeat = () => pay(scene, 120, { requestState, inputResponses: { approval: YES } })
    const [first, again] = [await repeat(), await repeat()]
    expect(first.json().result).toMatchObject({ isError: false, structuredContent: { paid: 120 } })
    expect(again.json().result).toEqual(first.json().result)
    expect(dispatched(scene.endpoint)).toHaveLength(1)
    expect(await scene.charged()).toEqual(charged)
  })

  test('runs at once where its preview says that nobody is needed', async () => {
    const scene = await setScene(database(), APPROVING)
    expect((await pay(scene, 20)).json().result).toMatchObject({ isError: false, structuredContent: { paid: 20 } })
  })

  test.each([
    ['no form', {}],
    ['only addresses', { elicitation: { url: {} } }],
    ['nonsense', { elicitation: true }],
  ])('tells a client that shows %s that it cannot be called, at no cost', async (_, capabilities) => {
    const scene = await setScene(database(), APPROVING)
    const charged = await scene.charged()
    expect(textIn(await pay(scene, 120, {}, capabilities))).toContain('A person has to approve')
    const params = { name: 'pay', arguments: { value: 120 } }
    expect(textIn(await sendLegacy(scene, 'tools/call', { params }))).toContain('A person has to approve')
    expect(await scene.charged()).toEqual(charged)
  })

  test.each([
    ['no answer', undefined],
    ['an answer to something else', { other: YES }],
    ['a blank form', { approval: { action: 'accept', content: {} } }],
    ['a word for a yes', { approval: { action: 'accept', content: { approve: 'true' } } }],
    ['an unknown action', { approval: { action: 'approve' } }],
  ])('asks again when it is repeated with %s', async (_, inputResponses) => {
    const scene = await setScene(database(), APPROVING)
    const asked = await pay(scene, 120)
    const again = await pay(scene, 120, { requestState: stateIn(asked), inputResponses })
    expect(again.json().result).toEqual(asked.json().result)
    expect(dispatched(scene.endpoint)).toEqual([])
  })

  test.each([
    ['a no', { action: 'decline' }, 'declined', 'declined'],
    ['a form that says no', { action: 'accept', content: { approve: false } }, 'declined', 'declined'],
    ['a closed form', { action: 'cancel' }, 'has not decided', 'pending'],
  ])('does not run when it is repeated with %s', async (_, approval, told, status) => {
    const scene = await setScene(database(), APPROVING)
    const requestState = stateIn(await pay(scene, 120))
    expect(textIn(await pay(scene, 120, { requestState, inputResponses: { approval } }))).toContain(told)
    const listed = await scene.service.send('GET', '/v1/executions/approvals', { key: scene.owner.apiKey })
    expect(listed.json().approvals).toMatchObject([{ status }])
    expect(dispatched(scene.endpoint)).toEqual([])
  })

  test('says what became of a call that ran, when its form is closed later', async () => {
    const scene = await setScene(database(), APPROVING)
    const requestState = stateIn(await pay(scene, 120))
    await pay(scene, 120, { requestState, inputResponses: { approval: YES } })
    const late = await pay(scene, 120, { requestState, inputResponses: { approval: { action: 'cancel' } } })
    expect(late.json().result).toMatchObject({ isError: false, structuredContent: { paid: 120 } })
  })

  test('leaves three quarters of the approvals that may wait to the account’s own users', async () => {
    const scene = await setScene(database(), { ...APPROVING, limits: { pendingApprovals: 4 } })
    stateIn(await pay(scene, 120))
    expect(textIn(await pay(scene, 130))).toContain('too many calls')
    const own = await scene.call({ capability: 'pay', input: { value: 140 } })
    expect(own.json()).toMatchObject({ approval: { capability: 'pay' } })
  })

  test('does not run once a deployment without it serves, on any replica', async () => {
    const { a, b } = await setReplicatedScene(engine, APPROVING)
    const requestState = stateIn(await pay(b, 120))
    await deployed(a.service, a.runtime, { capabilities: [capability('echo')] })
    const more = { requestState, inputResponses: { approval: YES } }
    for (const scene of [b, a]) {
      expect((await pay(scene, 120, more)).json().error).toEqual({
        code: -32602,
        message: 'Invalid params: Unknown tool',
      })
    }
    expect(dispatched(a.endpoint)).toEqual([])
  })

  test('is not asked about twice under one idempotency key, which another stranger may have sent', async () => {
    const scene = await setScene(database(), APPROVING)
    const headers = { 'idempotency-key': 'payment-of-march' }
    const ask = (sent: object = { headers }) => callTool(scene, 'pay', { value: 120 }, { capabilities: FORMS, ...sent })
    const requestState = stateIn(await ask())
    const charged = await scene.charged()
    const other = await ask()
    expect([other.statusCode, other.body.includes(requestState)]).toEqual([400, false])
    expect(other.json().error.data.fieldErrors).toHaveProperty('idempotency-key')
    expect(await scene.charged()).toEqual(charged)
    expect(stateIn(await ask({ headers: { 'idempotency-key': 'another-payment' } }))).not.toBe(requestState)
    const cheap = () =>
      callTool(scene, 'pay', { value: 20 }, { capabilities: FORMS, headers: { 'idempotency-key': 'cheap-one' } })
    expect((await cheap()).json().result).toEqual((await cheap()).json().result)
    expect(dispatched(scene.endpoint)).toHaveLength(1)
  })

  test('does not run after its time', async () => {
    const scene = await setScene(database(), APPROVING)
    const requestState = stateIn(await pay(scene, 120))
    scene.service.clock.advance(15 * 60_000)
    await scene.service.renew()
    const late = await pay(scene, 120, { requestState, inputResponses: { approval: YES } })
    expect(textIn(late)).toContain('in time')
    expect(dispatched(scene.endpoint)).toEqual([])
  })

  describe('is not opened by', () => {
    const forged: Record<string, (state: string) => unknown> = {
      'a guess': () => 'apr_1.guess',
      'another key': (state) => `${state.slice(0, -1)}${state.endsWith('A') ? 'B' : 'A'}`,
      'an id alone': (state) => state.split('.')[0],
      'a key of a prototype': () => '__proto__.constructor',
      'a NUL': (state) => `${state}\0`,
      'a number': () => 7,
      'an object': () => ({ toString: 'apr_1' }),
    }
    test.each(Object.keys(forged))('%s', async (name) => {
      const scene = await setScene(database(), APPROVING)
      const requestState = forged[name]?.(stateIn(await pay(scene, 120)))
      const answer = await pay(scene, 120, { requestState, inputResponses: { approval: YES } })
      expect([answer.statusCode, answer.json().error?.code]).toEqual([name === 'a NUL' ? 400 : 200, -32602])
      expect(dispatched(scene.endpoint)).toEqual([])
    })

    test('the state of a page’s approval with its user’s token, in the words of one that does not exist', async () => {
      const scene = await setScene(database(), APPROVING)
      const asked = await scene.call({ capability: 'pay', input: { value: 120 }, endUserToken: 'token-of-mira' })
      const { approvalId, approvalKey } = asked.json().approval
      const states = [`${approvalId}.${approvalKey}`, 'apr_1.guess']
      const said = [{ approval: YES }, undefined]
      for (const inputResponses of said) {
        const answers = []
        for (const requestState of states)
          answers.push((await pay(scene, 120, { requestState, inputResponses })).json())
        expect(answers[0].error).toMatchObject({ code: -32602, message: expect.stringContaining('requestState') })
        expect(answers[1]).toEqual(answers[0])
      }
      expect(dispatched(scene.endpoint)).toEqual([])
    })

    test('the state of a call with another input, of another tool or at another runtime', async () => {
      const scene = await setScene(database(), APPROVING)
      const { service, owner, endpoint } = scene
      const other = { ...scene, runtime: await service.runtime(owner, { endpoint: endpoint.url }) }
      await deployed(service, other.runtime, APPROVING.manifest ?? {})
      const requestState = stateIn(await pay(scene, 120))
      const more = { requestState, inputResponses: { approval: YES } }
      const answers = [
        await pay(scene, 1_200, more),
        await callTool(scene, 'send', { value: 120 }, { capabilities: FORMS, params: more }),
        await pay(other, 120, more),
      ]
      expect(answers.map((answer) => answer.json().error?.code)).toEqual([-32602, -32602, -32602])
      expect(dispatched(endpoint)).toEqual([])
    })
  })
})
