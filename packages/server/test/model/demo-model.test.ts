import type { Message } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { JsonDocument } from '../../src/lib/json-document.ts'
import { demoModel } from '../../src/model/demo-model.ts'
import { ModelError, type ModelEvent } from '../../src/model/model.ts'
import { requestOf, textOf } from './support.ts'

const tools = [{ name: 'store-info', description: 'Facts about the store: opening hours.', inputSchema: null }]
const user = (content: string): Message => ({ role: 'user', parts: [{ type: 'text', content }] })

async function turnOf(messages: readonly Message[]): Promise<ModelEvent[]> {
  const events: ModelEvent[] = []
  await (await demoModel()).stream(requestOf({ messages, tools }), (event) => void events.push(event))
  return events
}

describe('the demo model', () => {
  // holds MDL-04
  test('streams its answer in groups of words, and says first that it is a demo', async () => {
    const output = JsonDocument.of({ openingHours: 'Monday to Friday from ten to six, Saturday from ten to four' })
    const result = { type: 'tool_result', toolCallId: 'c', name: 'store-info', output } as const
    const events = await turnOf([user('When are you open?'), { role: 'tool', parts: [result] }])
    expect(events.filter(({ type }) => type === 'text').length).toBeGreaterThan(3)
    expect(textOf(events).split('\n')).toEqual([
      '[Demo model: rules, no language understanding]',
      'store info:',
      '- opening hours: Monday to Friday from ten to six, Saturday from ten to four',
    ])
    expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'stop' })
  })

  test('calls a tool, and counts a token for every four characters of input and output', async () => {
    const [short, long] = [await turnOf([user('open?')]), await turnOf([user(`open?${' '.repeat(400)}`)])]
    expect(short[0]).toEqual({ type: 'tool_call', name: 'store-info', input: {} })
    const [first, second] = [short.at(-1), long.at(-1)]
    if (first?.type !== 'end' || second?.type !== 'end') throw new Error('both turns must have ended')
    expect(first).toMatchObject({ reason: 'tool_calls', usage: { outputTokens: 5 } })
    expect(second.usage.inputTokens - first.usage.inputTokens).toBe(100)
  })

  test('stops when its caller has left', async () => {
    const caller = new AbortController()
    const request = requestOf({ tools, signal: caller.signal })
    await expect((await demoModel()).stream(request, () => caller.abort())).rejects.toThrow(ModelError)
  })
})
