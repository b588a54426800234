import { expect, test } from 'vitest'
import { fieldsAtFault } from '../support/answers.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { executed, saying, setScene } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'

const KiB = 1024
const [turn] = saying().messages

// The loop is the same over any store; execute.test.ts holds what it stores on both engines.
describeEngine('sqlite', 'the bounds of an execute', (engine) => {
  const database = useDatabase(engine)

  const tooLarge = [
    ['messages', { messages: Array.from({ length: 201 }, () => turn) }],
    ['metadata', { ...saying(), metadata: { note: 'é'.repeat(4 * KiB) } }],
    ['endUserToken', { ...saying(), endUserToken: 'é'.repeat(4 * KiB + 1) }],
  ] as const

  // holds MSG-01, MSG-06, MSG-07, SVC-13
  test.each(tooLarge)('%s over its limit is refused by name and costs nothing', async (field, body) => {
    const { execute, charged } = await setScene(database())
    const before = await charged()
    expect(fieldsAtFault(await execute(body))).toEqual([field])
    expect(await charged()).toEqual(before)
  })

  test('messages, metadata and token are accepted up to their limits', async () => {
    const { execute } = await setScene(database())
    const metadata = { note: 'x'.repeat(8 * KiB - JSON.stringify({ note: '' }).length) }
    const messages = Array.from({ length: 200 }, () => turn)
    const body = { messages, metadata, endUserToken: 'x'.repeat(8 * KiB) }
    expect(executed(await execute(body)).status).toBe('completed')
  })

  const unpaired = [
    [
      'a tool call that nothing answers',
      ['messages.1.parts.0.id'],
      [turn, { role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'echo', input: {} }] }],
    ],
    [
      'a tool call that the user talks past',
      ['messages.0.parts.0.id'],
      [{ role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'echo', input: {} }] }, turn],
    ],
    [
      'a result that answers nothing',
      ['messages.1.parts.0.toolCallId'],
      [turn, { role: 'tool', parts: [{ type: 'tool_result', toolCallId: 'c9', name: 'echo', output: 1 }] }],
    ],
    ['no message at all', ['messages'], []],
  ] as const

  // holds MSG-05
  test.each(unpaired)('%s is refused by its position', async (_, fields, messages) => {
    const { execute, charged } = await setScene(database())
    const before = await charged()
    expect(fieldsAtFault(await execute({ messages }))).toEqual(fields)
    expect(await charged()).toEqual(before)
  })

  test('an answered tool call of an earlier turn goes to the model unchanged', async () => {
    const { service, execute } = await setScene(database())
    const messages = [
      turn,
      { role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'echo', input: { text: 'a' } }] },
      { role: 'tool', parts: [{ type: 'tool_result', toolCallId: 'c1', name: 'echo', output: { text: 'a' } }] },
      turn,
    ]
    await execute({ messages })
    expect(service.model.requests[0]?.messages).toEqual(messages)
  })

  // holds LOOP-11
  test('an output over 64 KiB is cut for the model, with a note, and complete in the answer', async () => {
    const output = { text: '€'.repeat(30 * KiB) }
    const { service, execute } = await setScene(database(), { handle: { echo: () => ({ output }) } })
    service.model.say(calls({ name: 'echo', input: {} }), text('done'))
    const body = executed(await execute())
    expect(body.messages[1]).toMatchObject({ role: 'tool', parts: [{ output }] })
    const given = JSON.stringify(service.model.requests[1]?.messages.at(-1))
    expect(Buffer.byteLength(given)).toBeLessThan(65 * KiB)
    expect(given).toContain(`of ${Buffer.byteLength(JSON.stringify(output))} bytes`)
    expect(given.includes('\uFFFD')).toBe(false)
  })

  test('an output of exactly 64 KiB is given to the model as it is', async () => {
    const output = 'x'.repeat(64 * KiB - 2)
    const { service, execute } = await setScene(database(), { handle: { echo: () => ({ output }) } })
    service.model.say(calls({ name: 'echo', input: {} }), text('done'))
    await execute()
    expect(service.model.requests[1]?.messages.at(-1)).toMatchObject({ parts: [{ output }] })
  })

  // holds TRC-18
  test('a payload over 64 KiB is stored as its size and beginning, and is passed on in full', async () => {
    const { service, endpoint, execute, trace } = await setScene(database())
    const input = { text: 'é'.repeat(40 * KiB) }
    service.model.say(calls({ name: 'echo', input }), text('done'))
    const body = executed(await execute())
    const stored = { truncated: true, bytes: Buffer.byteLength(JSON.stringify(input)), preview: expect.any(String) }
    expect(endpoint.effects[0]?.input).toEqual(input)
    const [call] = (await trace(body.executionId)).capabilityCalls
    expect(call).toMatchObject({ input: stored, output: stored })
    expect(JSON.stringify(call)).toContain('{\\"text\\":\\"éé')
    expect(JSON.stringify(call).length).toBeLessThan(8 * KiB)
  })

  // holds LOOP-12
  test('an execution past its time limit is ended and fails', async () => {
    const { service, execute, trace } = await setScene(database(), { limits: { executionMs: 30 } })
    service.model.say(async function* ({ signal }) {
      if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener('abort', resolve))
    })
    const body = executed(await execute())
    expect(body).toMatchObject({ status: 'failed', finishReason: 'error', error: { message: expect.any(String) } })
    expect(await trace(body.executionId)).toMatchObject({ status: 'failed', finishReason: 'error', error: body.error })
  })
})
