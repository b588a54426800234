import type { Message } from '@svc/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { forModel, toolResult } from '../../src/agent/transcript.ts'
import { JsonDocument } from '../../src/lib/json-document.ts'
import { withValues } from '../support/scripted-model.ts'
import { failed, succeeded, user } from './agent-support.ts'

const answered = (output: unknown): Message => ({
  role: 'tool',
  parts: [{ type: 'tool_result', toolCallId: 'call_1', name: 'echo', output }],
})

/** The one output of a conversation as the model is given it. */
function shown(output: unknown, maxBytes: number): unknown {
  const [message] = withValues(forModel([answered(output)], maxBytes))
  return message?.role === 'tool' ? message.parts[0]?.output : undefined
}

describe('what the model is given of an output', () => {
  test('is the output itself where that fits, to the byte', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (output) => {
        const bytes = Buffer.byteLength(JSON.stringify(output))
        expect(shown(output, bytes)).toEqual(output)
        expect(shown(output, bytes - 1)).toContain(`of ${bytes} bytes are shown`)
      }),
      { numRuns: 300, seed: 1 },
    )
  })

  // holds LOOP-11
  test('is its beginning with a note where it does not, never more than allowed and never half a character', () => {
    const output = fc.string({ unit: 'grapheme', minLength: 20 })
    fc.assert(
      fc.property(output, fc.integer({ min: 1, max: 19 }), (value, maxBytes) => {
        const [kept = '', note = ''] = String(shown(value, maxBytes)).split('\n[Cut here')
        expect(JSON.stringify(value).startsWith(kept)).toBe(true)
        expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(maxBytes)
        expect(Buffer.byteLength(kept)).toBeGreaterThan(maxBytes - 4)
        expect(kept).not.toContain('\ufffd')
        expect(note).toContain(`the first ${maxBytes} of`)
      }),
      { numRuns: 500, seed: 2 },
    )
  })

  test('leaves the conversation as it was', () => {
    const messages = [user('x'.repeat(100)), answered('y'.repeat(100))]
    const before = structuredClone(messages)
    const [said, result] = forModel(messages, 10)
    expect(messages).toEqual(before)
    expect(said).toEqual(before[0])
    expect(result).not.toEqual(before[1])
  })

  test('keeps a failure’s message', () => {
    const message: Message = {
      role: 'tool',
      parts: [{ type: 'tool_result', toolCallId: 'a', name: 'b', output: null, error: { message: 'sold out' } }],
    }
    expect(withValues(forModel([message], 100))).toEqual([message])
  })
})

test('a capability that answered nothing answered null', () => {
  expect(toolResult({ id: 'call_1', name: 'echo' }, succeeded(undefined))).toEqual({
    type: 'tool_result',
    toolCallId: 'call_1',
    name: 'echo',
    output: JsonDocument.of(null),
  })
})

test('a failed call has no output, and its message is the error', () => {
  expect(toolResult({ id: 'call_1', name: 'echo' }, failed('sold out'))).toMatchObject({
    output: null,
    error: { message: 'sold out' },
  })
})
