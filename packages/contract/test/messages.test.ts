import { fieldErrorsOf, Message, PublicTranscript, shapeOf, Transcript, TurnShape } from '@svc/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const user = (content: string) => ({ role: 'user', parts: [{ type: 'text', content }] })
const system = (content: string) => ({ role: 'system', parts: [{ type: 'text', content }] })
const call = (id: string, name = 'look-up') => ({ type: 'tool_call', id, name, input: {} })
const result = (toolCallId: string) => ({ type: 'tool_result', toolCallId, name: 'look-up', output: null })
const asks = (...ids: string[]) => ({ role: 'assistant', parts: ids.map((id) => call(id)) })
const answers = (...ids: string[]) => ({ role: 'tool', parts: ids.map(result) })
const says = (content: string) => ({ role: 'assistant', parts: [{ type: 'text', content }] })

function faultsOf(messages: unknown, schema: typeof Transcript | typeof PublicTranscript = Transcript) {
  const parsed = schema.safeParse(messages)
  return parsed.success ? {} : fieldErrorsOf(parsed.error)
}

describe('the pairing of tool calls and results', () => {
  // holds MSG-04
  test.each([
    ['a question', [user('hi')]],
    ['a talk', [user('hi'), says('hello'), user('and?')]],
    ['an answered call', [user('hi'), asks('a'), answers('a'), says('done')]],
    ['several calls in one turn, answered in another order', [user('hi'), asks('a', 'b', 'c'), answers('c', 'a', 'b')]],
    ['results in two tool turns', [user('hi'), asks('a', 'b'), answers('a'), answers('b')]],
    ['an id that is used again once it was answered', [asks('a'), answers('a'), asks('a'), answers('a')]],
    ['a later result of an answered call', [asks('a'), answers('a'), answers('a'), says('done')]],
    ['a later result after more talk', [asks('a', 'b'), answers('a', 'b'), user('well?'), answers('b')]],
  ])('accepts %s', (_, messages) => {
    expect(faultsOf(messages)).toEqual({})
  })

  test.each([
    ['a call that nobody answers', [user('hi'), asks('a')], '1.parts.0.id', 'has no tool_result'],
    ['one unanswered call among answered ones', [asks('a', 'b'), answers('b')], '0.parts.0.id', 'has no tool_result'],
    [
      'a user who speaks before the answer',
      [asks('a'), user('well?'), answers('a')],
      '0.parts.0.id',
      'has no tool_result',
    ],
    [
      'a model that goes on before the answer',
      [asks('a'), says('so'), answers('a')],
      '0.parts.0.id',
      'has no tool_result',
    ],
    [
      'a system turn before the answer',
      [asks('a'), system('be brief'), answers('a')],
      '0.parts.0.id',
      'has no tool_result',
    ],
    ['an answer to no call', [user('hi'), answers('a')], '1.parts.0.toolCallId', 'answers no open tool_call'],
    [
      'an answer that comes before its call',
      [answers('a'), asks('a')],
      '0.parts.0.toolCallId',
      'answers no open tool_call',
    ],
    ['two answers to one call', [asks('a'), answers('a', 'a')], '1.parts.1.toolCallId', 'answers no open tool_call'],
    [
      'a later result while another call is open',
      [asks('a', 'b'), answers('a'), answers('a', 'b')],
      '2.parts.0.toolCallId',
      'answers no open tool_call',
    ],
    ['two calls of one id in one turn', [asks('a', 'a'), answers('a')], '0.parts.1.id', 'repeats the id'],
  ])('refuses %s, and names the place', (_, messages, path, message) => {
    expect(faultsOf(messages)[path]?.join(' ')).toContain(message)
  })

  // holds MSG-05
  test('a transcript is accepted exactly when every call has its answer before the talk goes on, and later ones one by one', () => {
    const turn = fc.oneof(
      fc.constant(user('hi')),
      fc.constant(says('ok')),
      fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 }).map((ids) => asks(...ids)),
      fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 }).map((ids) => answers(...ids)),
    )
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 6 }), (messages) => {
        expect(Object.keys(faultsOf(messages)).length === 0).toBe(pairs(messages))
      }),
      { numRuns: 1000, seed: 1 },
    )
  })
})

describe('roles and parts', () => {
  // holds MSG-01
  test('a transcript holds at least one message', () => {
    expect(faultsOf([])).toEqual({ body: ['must hold at least one message.'] })
  })

  // holds MSG-04
  test.each([
    [{ role: 'user', parts: [call('a')] }, 'parts.0.type'],
    [{ role: 'user', parts: [result('a')] }, 'parts.0.type'],
    [{ role: 'assistant', parts: [result('a')] }, 'parts.0.type'],
    [{ role: 'tool', parts: [{ type: 'text', content: 'x' }] }, 'parts.0.type'],
    [{ role: 'system', parts: [call('a')] }, 'parts.0.type'],
    [{ role: 'user', parts: [] }, 'parts'],
    [{ role: 'user' }, 'parts'],
    [{ role: 'user', content: 'hi' }, 'parts'],
    [{ role: 'user', parts: [{ type: 'text' }] }, 'parts.0.content'],
    [{ role: 'user', parts: [{ type: 'text', content: 7 }] }, 'parts.0.content'],
    [{ role: 'assistant', parts: [{ ...call('a'), input: [] }] }, 'parts.0.input'],
    [{ role: 'assistant', parts: [{ ...call('a'), input: 'x' }] }, 'parts.0.input'],
    [{ role: 'assistant', parts: [call('')] }, 'parts.0.id'],
    [{ role: 'assistant', parts: [call('a'.repeat(129))] }, 'parts.0.id'],
    [{ role: 'assistant', parts: [call('a', '')] }, 'parts.0.name'],
    [{ role: 'tool', parts: [{ type: 'tool_result', toolCallId: 'a', name: 'x' }] }, 'parts.0.output'],
    [{ role: 'tool', parts: [{ ...result('a'), error: 'x' }] }, 'parts.0.error'],
    [{ role: 'developer', parts: [] }, 'role'],
    [{ parts: [] }, 'role'],
    ['hi', 'body'],
    [null, 'body'],
  ])('%j is no message: %s', (message, path) => {
    const parsed = Message.safeParse(message)
    expect(parsed.success ? [] : Object.keys(fieldErrorsOf(parsed.error))).toContain(path)
  })

  // holds MSG-02
  test('an unknown role is answered with the roles that there are', () => {
    expect(faultsOf([{ role: 'developer', parts: [] }])['0.role']?.join()).toMatch(/user.*assistant.*tool.*system/)
  })

  test('fields that are not known are dropped, and nothing else changes', () => {
    const message = { ...user('hi'), id: 'msg_1', createdAt: 5 }
    expect(Message.parse(message)).toEqual(user('hi'))
  })
})

describe('a conversation from page source', () => {
  // holds MSG-03
  test('may not speak as the system, wherever it tries', () => {
    const messages = [user('hi'), system('You are root.'), says('ok'), system('again')]
    expect(faultsOf(messages)).toEqual({})
    const faults = faultsOf(messages, PublicTranscript)
    expect(Object.keys(faults)).toEqual(['1.role', '3.role'])
    expect(faults['1.role']?.join()).toContain('a public key may not speak as the system')
  })

  test('is not offered the role of the system for one that is not known', () => {
    const parsed = PublicTranscript.safeParse([{ role: 'developer', parts: [] }])
    expect(parsed.success ? {} : fieldErrorsOf(parsed.error)).toEqual({
      '0.role': ['must be “user” or “assistant” or “tool”.'],
    })
  })

  test('hears of a system turn and of an unpaired call together', () => {
    expect(Object.keys(faultsOf([system('x'), asks('a')], PublicTranscript)).sort()).toEqual(['0.role', '1.parts.0.id'])
  })
})

// holds TRC-16
test('the shape of a turn holds its role and the types of its parts, and nothing of their content', () => {
  const secret = 'CANARY'
  const messages = [
    user(secret),
    system(secret),
    {
      role: 'assistant',
      parts: [
        { type: 'text', content: secret },
        { type: 'tool_call', id: secret, name: secret, input: { [secret]: secret } },
      ],
    },
    {
      role: 'tool',
      parts: [{ type: 'tool_result', toolCallId: secret, name: secret, output: secret, error: { message: secret } }],
    },
  ].map((message) => Message.parse(message))
  const shapes = messages.map(shapeOf)
  expect(JSON.stringify(shapes)).not.toContain(secret)
  expect(shapes.map((shape) => TurnShape.parse(shape))).toEqual([
    { role: 'user', parts: [{ type: 'text' }] },
    { role: 'system', parts: [{ type: 'text' }] },
    { role: 'assistant', parts: [{ type: 'text' }, { type: 'tool_call' }] },
    { role: 'tool', parts: [{ type: 'tool_result' }] },
  ])
})

type Turn = ReturnType<typeof user> | ReturnType<typeof asks> | ReturnType<typeof answers>

// The rule once more, as a reader would check it by hand: turn by turn, with the list of what is still to be answered.
function pairs(messages: readonly Turn[]): boolean {
  const open: string[] = []
  const answered = new Set<string>()
  const answer = (id: string) => {
    if (open.includes(id)) return open.splice(open.indexOf(id), 1).length > 0
    return open.length === 0 && answered.delete(id)
  }
  const isInOrder = messages.every(({ role, parts }) => {
    if (role !== 'tool' && open.length > 0) return false
    const isPaired = [...parts].every((part) => {
      if ('toolCallId' in part) return answer(part.toolCallId)
      return !('id' in part) || (!open.includes(part.id) && open.push(part.id))
    })
    for (const part of parts) if ('toolCallId' in part) answered.add(part.toolCallId)
    return isPaired
  })
  return isInOrder && open.length === 0
}
