import type { Message } from '@svc/contract'
import { expect, test } from 'vitest'
import { describeEngine, useDatabase } from '../../server/test/support/engines.ts'
import { executed, saying, setScene } from '../../server/test/support/scene.ts'
import { calls, text } from '../../server/test/support/scripted-model.ts'
import { capability } from '../../server/test/support/service.ts'
import { toTest } from '../src/dev/record/to-test.ts'

const TOKEN = 'the-token-of-an-end-user'
const STORED_BYTES = 16 * 1024
const CAPABILITIES = [
  capability('echo'),
  capability('order', { confirm: true }),
  capability('check', { confirm: true, preview: true }),
]

type Asked = { name: string; input: unknown }
const times = (count: number, one: Asked) => Array.from({ length: count }, () => one)

/** Calls that the model asks for, by the service's words in place of the last one. */
const REFUSED: Record<string, Asked[]> = {
  'There is no capability named': [{ name: 'nothing-like-it', input: {} }],
  'The input must be a JSON object': [{ name: 'echo', input: [1] }],
  'The input does not fit the schema': [{ name: 'echo', input: { text: 7 } }],
  'as many calls': times(101, { name: 'echo', input: { text: 'a' } }),
  'an execution may ask for': times(11, { name: 'order', input: { text: 'a' } }),
  'holds the end user’s token': [{ name: 'order', input: { text: TOKEN } }],
  'is not whole Unicode': [{ name: 'order', input: { text: '\ud800' } }],
  'takes an input of': [{ name: 'order', input: { text: 'x'.repeat(STORED_BYTES) } }],
}

describeEngine('sqlite', 'a recorded chat knows by the service’s words', (engine) => {
  const database = useDatabase(engine)

  /** The service's answer where the model asks for these calls. */
  async function answered(asked: readonly Asked[]) {
    const scene = await setScene(database(), {
      handle: {
        check: ({ mode }) => ({ output: mode === 'preview' ? { title: 'Check', confirm: false } : 'checked' }),
      },
      limits: { storedBytes: STORED_BYTES },
      manifest: { capabilities: CAPABILITIES },
    })
    scene.service.model.say(calls(...asked), text('Done.'))
    return executed(await scene.execute({ ...saying('Go on.'), endUserToken: TOKEN }))
  }

  const recorded = (answer: Awaited<ReturnType<typeof answered>>) =>
    toTest([{ user: 'Go on.', ...answer }], (name) => name !== 'echo')

  test.each(Object.entries(REFUSED))('that a call was not made: %s', async (words, asked) => {
    const answer = await answered(asked)
    const messages = answer.messages.map(lastPart)
    expect(JSON.stringify(messages)).toContain(words)
    const { mocks, turns } = recorded({ ...answer, messages, finishReason: 'stop' })
    expect(mocks).toBeUndefined()
    expect(turns[0]?.approve).toBeUndefined()
  })

  test('that a call waits for a person, or needed none', async () => {
    const waiting = recorded(await answered([{ name: 'order', input: {} }]))
    expect(waiting.turns).toMatchObject([{ expect: { finishReason: 'approval_required' } }])
    expect(waiting.turns[0]?.approve).toBeUndefined()
    const ran = recorded(await answered([{ name: 'check', input: {} }]))
    expect(ran).toMatchObject({ mocks: { check: { output: 'checked' } }, turns: [{ approve: true }] })
  })
})

/** A message with the last of its calls, or of their results. */
function lastPart(message: Message): Message {
  if (message.role === 'tool') return { ...message, parts: message.parts.slice(-1) }
  return message.role === 'assistant' ? { ...message, parts: message.parts.slice(-1) } : message
}
