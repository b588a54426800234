import type { Message } from '@svc/contract'
import { modelMessageSchema } from 'ai'
import { expect, test } from 'vitest'
import { toPrompt } from '../../src/model/to-prompt.ts'

const user = (content: string): Message => ({ role: 'user', parts: [{ type: 'text', content }] })
const assistant = (content: string): Message => ({ role: 'assistant', parts: [{ type: 'text', content }] })

const call = (id: string, name: string): Message => ({
  role: 'assistant',
  parts: [{ type: 'tool_call', id, name, input: { a: 1 } }],
})

function result(toolCallId: string, rest: { output?: unknown; error?: { message: string } }): Message {
  return {
    role: 'tool',
    parts: [{ type: 'tool_result', toolCallId, name: 'as-said', output: rest.output ?? null, ...rest }],
  }
}

test('instructions and system turns stand at the head, in their order', () => {
  const messages: Message[] = [
    { role: 'system', parts: [{ type: 'text', content: 'Second.' }] },
    user('Hi'),
    { role: 'system', parts: [{ type: 'text', content: 'Third.' }] },
  ]
  expect(toPrompt('First.', messages)).toEqual([
    { role: 'system', content: 'First.\n\nSecond.\n\nThird.' },
    { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
  ])
  expect(toPrompt(null, [user('Hi')]).map(({ role }) => role)).toEqual(['user'])
})

test('results carry the id and the name of the call that they answer, even where ids repeat', () => {
  const messages = toPrompt(null, [
    user('Hi'),
    call('x:1', 'first'),
    result('x:1', { output: { n: 1 } }),
    call('x:1', 'second'),
    result('x:1', { output: 'plain' }),
  ])
  expect(messages.slice(1)).toMatchObject([
    { content: [{ type: 'tool-call', toolCallId: 'call00001', toolName: 'first', input: { a: 1 } }] },
    { content: [{ toolCallId: 'call00001', toolName: 'first', output: { type: 'text', value: '{"n":1}' } }] },
    { content: [{ toolCallId: 'call00002', toolName: 'second' }] },
    { content: [{ toolCallId: 'call00002', toolName: 'second', output: { type: 'text', value: 'plain' } }] },
  ])
})

test('a failure reaches the model as an error', () => {
  const messages = toPrompt(null, [user('Hi'), call('c', 'buy'), result('c', { error: { message: 'Sold out.' } })])
  expect(messages[2]).toMatchObject({ content: [{ output: { type: 'error-text', value: 'Sold out.' } }] })
})

test('invalid characters in a name are replaced', () => {
  const messages = toPrompt(null, [user('Hi'), call('c', 'dröp table; --'), result('c', {})])
  expect(messages[1]).toMatchObject({ content: [{ toolName: 'dr_p_table__--' }] })
})

test('empty turns do not reach the provider as empty, and what does is what its library accepts', () => {
  const messages = toPrompt(null, [
    user(''),
    assistant(''),
    user('Hi'),
    call('c', 'buy'),
    result('c', { output: undefined }),
  ])
  expect(messages.map((message) => message.role)).toEqual(['user', 'user', 'assistant', 'tool'])
  for (const message of messages) expect(modelMessageSchema.safeParse(message).error).toBeUndefined()
})

test('results that follow each other reach the provider as one turn', () => {
  const results = [result('a', { output: 1 }), result('b', { output: 2 })]
  const messages = toPrompt(null, [user('Hi'), call('a', 'first'), call('b', 'second'), ...results, user('And?')])
  expect(messages.map((message) => message.role)).toEqual(['user', 'assistant', 'assistant', 'tool', 'user'])
  expect(messages[3]).toMatchObject({ content: [{ toolName: 'first' }, { toolName: 'second' }] })
})
