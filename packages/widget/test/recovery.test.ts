import type { Message, StreamEvent } from '@svc/contract'
import { ClientError, type Conversation } from '@svc/widget'
import { describe, expect, test } from 'vitest'
import { eventsOf } from './support/answers.ts'
import {
  assistant,
  each,
  hanging,
  memory,
  NEVER,
  OPEN,
  ORDERED,
  PAID,
  PENDING,
  start,
  user,
} from './support/conversation.ts'
import { settled } from './support/test-clock.ts'

const messagesIn = (events: readonly StreamEvent[]): Message[] =>
  events.flatMap((event) => (event.type === 'done' ? event.messages : []))

/** The answer of these events as it ends when the model fails before its last words. */
function failedBefore(events: readonly StreamEvent[], messages: readonly Message[]): StreamEvent[] {
  return events.flatMap((event): StreamEvent[] => {
    if (event.type === 'text') return []
    if (event.type !== 'done') return [event]
    const error = { message: 'The model is away.' }
    return [{ ...event, status: 'failed', finishReason: 'error', error, messages: [...messages] }]
  })
}

const [CALL, RESULT] = messagesIn(ORDERED)
const DONE = [CALL, RESULT].flatMap((message) => message ?? [])
const BROKEN = failedBefore(ORDERED, DONE)

const statesOf = (conversation: Conversation) =>
  conversation
    .getSnapshot()
    .turns.flatMap((turn) => (turn.role === 'assistant' ? turn.outputs : []))
    .map(({ wait }) => wait?.state)

describe('an execution that fails after it has done something', () => {
  test('keeps what was done: it is shown, waited for, and part of what is said next', async () => {
    const { conversation, clock, polled, sent, answer } = start({
      answers: [BROKEN, eventsOf('It is placed.')],
      polls: [OPEN],
    })
    conversation.send('Order it')
    await settled()
    expect(answer()).toMatchObject({
      state: 'failed',
      problem: { kind: 'failed', detail: 'The model is away.' },
      outputs: [{ actions: [{ label: 'Pay' }], wait: { state: 'waiting' } }],
      execution: { id: 'exec_1', totalTokens: 2 },
    })
    await clock.advance(2000)
    expect(polled).toHaveLength(1)
    conversation.send('Did that work?')
    await settled()
    expect(sent[1]).toEqual([user('Order it'), ...DONE, user('Did that work?')])
  })

  test('goes on from there when it is asked again, and does nothing twice', async () => {
    const { conversation, sent, answer } = start({ answers: [BROKEN, eventsOf('It is placed.')], polls: [OPEN] })
    conversation.send('Order it')
    await settled()
    conversation.retry()
    expect(answer()).toMatchObject({ state: 'running', blocks: [{ name: 'place-order', state: 'completed' }] })
    await settled()
    expect(sent[1]).toEqual([user('Order it'), ...DONE])
    expect(answer()).toMatchObject({
      state: 'completed',
      blocks: [{ name: 'place-order' }, { text: 'It is placed.' }],
      outputs: [{ wait: { state: 'waiting' } }],
    })
    conversation.send('Thanks')
    await settled()
    expect(sent[2]).toEqual([user('Order it'), ...DONE, assistant('It is placed.'), user('Thanks')])
  })

  test('keeps a wait that has ended meanwhile as it ended', async () => {
    const { conversation, answer } = start({ answers: [BROKEN, eventsOf('It is placed.')], polls: [OPEN] })
    conversation.send('Order it')
    await settled()
    conversation.cancelWait('call_0')
    conversation.retry()
    await settled()
    expect([answer()?.state, statesOf(conversation)]).toEqual(['completed', ['cancelled']])
  })

  test('keeps what was done through a further failure that tells nothing', async () => {
    const { conversation, sent } = start({ answers: [BROKEN, new ClientError('unreachable', 'x')], polls: [OPEN] })
    conversation.send('Order it')
    for (let turn = 0; turn < 2; turn += 1) {
      await settled()
      conversation.retry()
    }
    await settled()
    expect(sent[2]).toEqual([user('Order it'), ...DONE])
  })

  test('leaves out a turn whose calls have no result: a service would refuse it', async () => {
    const call: Message = { role: 'assistant', parts: [{ type: 'tool_call', id: 'open', name: 'x', input: {} }] }
    for (const [messages, kept] of [
      [[...DONE, call], DONE],
      [[call], []],
      [[...DONE, assistant('Pl')], DONE],
    ] as const) {
      const { conversation, sent } = start({ answers: [failedBefore(ORDERED, messages)], polls: [OPEN] })
      conversation.send('Order it')
      await settled()
      conversation.retry()
      await settled()
      expect(sent[1]).toEqual([user('Order it'), ...kept])
    }
  })

  test('keeps it over a reload, too', async () => {
    const storage = memory()
    const before = start({ answers: [BROKEN], polls: [OPEN], storage })
    before.conversation.send('Order it')
    await before.clock.advance(4000)
    before.conversation.suspend()
    const after = start({ polls: [OPEN], storage })
    expect(after.answer()).toMatchObject({
      state: 'failed',
      blocks: [{ type: 'capability', name: 'place-order', state: 'completed' }],
      outputs: [{ actions: [{ label: 'Pay' }], wait: { state: 'waiting' } }],
    })
    await after.clock.advance(2000)
    expect(after.polled).toHaveLength(1)
    after.conversation.retry()
    await settled()
    expect(after.sent[0]).toEqual([user('Order it'), ...DONE])
  })
})

describe('a wait that changes while a failed answer is tried again', () => {
  /** An answer that stands still after its first words until it is let go on. */
  function paused() {
    let goOn: () => void = () => undefined
    const gate = new Promise<void>((resolve) => (goOn = resolve))
    const events = eventsOf('It is placed.')
    async function* answer(): AsyncGenerator<StreamEvent> {
      yield { type: 'text', content: 'One moment. ' }
      await gate
      yield* events
    }
    return { answer, goOn: () => goOn() }
  }

  test('stays cancelled', async () => {
    const { answer: second, goOn } = paused()
    const { conversation, clock, polled, answer } = start({ answers: [BROKEN, second], polls: [OPEN] })
    conversation.send('Order it')
    await settled()
    conversation.retry()
    await settled()
    conversation.cancelWait('call_0')
    goOn()
    await clock.advance(10_000)
    expect([answer()?.state, statesOf(conversation), polled.length]).toEqual(['completed', ['cancelled'], 0])
  })

  test('stays settled, and the model is told once', async () => {
    const { answer: second, goOn } = paused()
    const { conversation, clock, polled, sent } = start({
      answers: [BROKEN, second, eventsOf('Paid.')],
      polls: [PAID],
    })
    conversation.send('Order it')
    await settled()
    conversation.retry()
    await clock.advance(3000)
    expect(statesOf(conversation)).toEqual(['settled'])
    goOn()
    await clock.advance(10_000)
    expect([statesOf(conversation), polled.length, sent.length]).toEqual([['settled'], 1, 3])
    expect(JSON.stringify(sent[2]?.at(-1))).toContain('"paid"')
  })
})

describe('an answer that breaks off after it has called something', () => {
  const BEGUN = ORDERED.slice(0, 2)
  const NOTE = assistant('(This answer broke off after calling place-order. Whether it was done is not known.)')

  async function stopped(begun: readonly StreamEvent[]) {
    const scene = start({ answers: [hanging(begun)] })
    scene.conversation.send('Order it')
    await settled()
    scene.conversation.stop()
    await settled()
    return scene
  }

  test.each([BEGUN, BEGUN.slice(0, 1)])('names what trying again may do once more', async (...begun) => {
    const { conversation, answer } = await stopped(begun)
    expect(answer()).toMatchObject({ state: 'failed', mayRepeat: ['place-order'] })
    conversation.retry()
    await settled()
    expect(answer()).toMatchObject({ state: 'completed', mayRepeat: [] })
  })

  test('names nothing where nothing was called, or where the results are known', async () => {
    expect((await stopped([{ type: 'text', content: 'Well' }])).answer()?.mayRepeat).toEqual([])
    const { conversation, answer } = start({ answers: [BROKEN, hanging([])], polls: [OPEN] })
    conversation.send('Order it')
    await settled()
    expect(answer()?.mayRepeat).toEqual([])
    conversation.retry()
    await settled()
    conversation.stop()
    await settled()
    expect(answer()).toMatchObject({ state: 'failed', mayRepeat: [] })
  })

  test('goes on naming it where trying again fails, too', async () => {
    const answers = [hanging(BEGUN), new ClientError('unreachable', 'x')]
    const { conversation, answer } = start({ answers })
    conversation.send('Order it')
    await settled()
    conversation.stop()
    await settled()
    conversation.retry()
    await settled()
    expect(answer()).toMatchObject({ state: 'failed', blocks: [], mayRepeat: ['place-order'] })
  })

  test('is part of what is said next, and the model is told how it ended', async () => {
    const { conversation, sent } = await stopped(BEGUN)
    conversation.send('And the weather?')
    await settled()
    expect(sent[1]).toEqual([user('Order it'), NOTE, user('And the weather?')])
  })

  test('is not kept where everything was forgotten before it was heard', async () => {
    const storage = memory()
    async function* late(signal: AbortSignal | undefined): AsyncGenerator<StreamEvent> {
      await new Promise((resolve) => signal?.addEventListener('abort', resolve))
      yield* BEGUN
    }
    const { conversation } = start({ answers: [late], storage })
    conversation.send('Order it')
    await settled()
    conversation.clear()
    await settled()
    expect(storage.text).toBeNull()
  })

  test('is known after a reload that came in between', async () => {
    const storage = memory()
    const before = start({ answers: [hanging(BEGUN)], storage })
    before.conversation.send('Order it')
    await settled()
    const after = start({ storage: memory(storage.text) })
    expect(after.answer()).toMatchObject({ state: 'failed', mayRepeat: ['place-order'] })
    after.conversation.send('And the weather?')
    await settled()
    expect(after.sent[0]).toEqual([user('Order it'), NOTE, user('And the weather?')])
  })
})

describe('a result that was waited for', () => {
  const TOLD = [
    {
      role: 'assistant',
      parts: [{ type: 'tool_call', id: 'call_2', name: 'order-status', input: PENDING.input }],
    },
    { role: 'tool', parts: [{ type: 'tool_result', toolCallId: 'call_2', name: 'order-status', output: PAID }] },
  ]

  test('is told after a reload, where the page went away before it could be', async () => {
    const storage = memory()
    const before = start({ answers: [ORDERED, hanging([])], polls: [PAID], storage })
    before.conversation.send('Order it')
    await settled()
    before.conversation.send('And the weather?')
    await before.clock.advance(2000)
    expect(statesOf(before.conversation)).toEqual(['settled'])
    expect(before.sent).toHaveLength(2)
    const kept = storage.text
    before.conversation.suspend()

    const after = start({ answers: [eventsOf('Paid.')], storage: memory(kept) })
    await settled()
    expect(after.sent).toHaveLength(1)
    expect(after.sent[0]?.slice(-2)).toEqual(TOLD)
    expect(after.answer()).toMatchObject({ state: 'completed', blocks: [{ text: 'Paid.' }] })
  })

  test('is told once, whatever is stored between', async () => {
    const storage = memory()
    const before = start({ answers: [ORDERED, eventsOf('Paid.')], polls: [PAID], storage })
    before.conversation.send('Order it')
    await before.clock.advance(2000)
    expect(before.sent).toHaveLength(2)
    const after = start({ storage })
    await settled()
    expect(after.sent).toHaveLength(0)
  })

  test('is known to the model with the next question, though telling it has failed', async () => {
    const { conversation, clock, sent } = start({
      answers: [ORDERED, new ClientError('rate_limited', 'slow'), eventsOf('Yes.')],
      polls: [PAID],
    })
    conversation.send('Order it')
    await clock.advance(2000)
    conversation.send('Is it paid?')
    await settled()
    expect(sent[2]?.slice(-3).map(({ role }) => role)).toEqual(['assistant', 'tool', 'user'])
    expect(JSON.stringify(sent[2]?.at(-2))).toContain('"paid"')
  })
})

test('a poll that hangs keeps no other wait from being asked, and ends itself', async () => {
  const other = { ...PENDING, capability: 'parcel-status' }
  const sending = eventsOf('On its way.', [{ capability: 'send', output: { svc: { pending: other } } }])
  const second: StreamEvent[] = JSON.parse(JSON.stringify(sending).replaceAll('call_0', 'call_b'))
  const { conversation, clock, polled } = start({ answers: [ORDERED, second], polls: [NEVER] })
  conversation.send('Order it')
  await settled()
  conversation.send('And send it')
  await clock.advance(35_000)
  expect(polled.map(({ capability }) => capability).slice(0, 2)).toEqual(['order-status', 'parcel-status'])
  await clock.advance(30_000)
  expect(statesOf(conversation)).toEqual(['expired', 'expired'])
  expect(clock.pending).toBe(0)
})

describe('who holds a conversation', () => {
  test('keeps it going until the last has let go; then its answer was interrupted', async () => {
    const { conversation, answer } = start({ answers: [hanging([{ type: 'text', content: 'One ' }])] })
    const [list, input] = [conversation.hold(), conversation.hold()]
    conversation.send('Hello')
    await settled()
    input()
    input()
    await settled()
    expect(answer()?.state).toBe('running')
    list()
    await settled()
    expect(answer()).toMatchObject({ state: 'failed', problem: { kind: 'interrupted' } })
  })

  test('may let go and hold it again at once', async () => {
    const { conversation, answer } = start({ answers: [() => each(eventsOf('Whole.'))] })
    const before = conversation.hold()
    conversation.send('Hello')
    before()
    conversation.hold()
    await settled()
    expect(answer()?.state).toBe('completed')
  })
})
