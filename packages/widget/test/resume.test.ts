import type { StreamEvent } from '@svc/contract'
import {
  type ConversationOptions,
  type ConversationStorage,
  createConversation,
  createExecutionClient,
} from '@svc/widget'
import { describe, expect, test } from 'vitest'
import { eventsOf } from './support/answers.ts'
import { each, hanging, memory } from './support/conversation.ts'
import { createTestClock, settled } from './support/test-clock.ts'

const RUN = { executionId: 'exec_1', resumeKey: 'key_1' }
const BEGUN: StreamEvent = { type: 'execution', ...RUN }
const MESSAGES = [{ role: 'user' as const, parts: [{ type: 'text' as const, content: 'Hi' }] }]
const WORDS: StreamEvent[] = ['One ', 'two ', 'three.'].map((content) => ({ type: 'text', content }))
const WHOLE: StreamEvent[] = [BEGUN, ...WORDS, ...eventsOf('One two three.').slice(-1)]

/** These events of the run, numbered, and then the connection breaks, or ends after `done`. */
function answer(from: number, to: number): Response {
  const frames = WHOLE.slice(from, to).map(
    (event, index) => `id: ${from + index + 1}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
  )
  return new Response(frames.join(''), { headers: { 'content-type': 'text/event-stream' } })
}

const refusal = (status: number, headers: Record<string, string> = {}) =>
  Response.json({ error: { code: 'x', message: 'no' } }, { status, headers })

function clientOf(...answers: (Response | Error)[]) {
  const clock = createTestClock()
  const sent: { path: string; headers: Headers; body: string }[] = []
  const client = createExecutionClient({
    baseUrl: 'https://svc.example.com',
    publicKey: 'svc_pk_test',
    clock,
    async fetch(input, init = {}) {
      const path = new URL(String(input)).pathname
      sent.push({ path, headers: new Headers(init.headers), body: String(init.body ?? '') })
      const next = answers.shift() ?? refusal(500)
      if (next instanceof Error) throw next
      return next
    },
  })
  return { client, clock, sent }
}

async function heardFrom(events: AsyncIterable<StreamEvent>, into: StreamEvent[]): Promise<void> {
  for await (const event of events) into.push(event)
}

describe('a stream whose connection is lost', () => {
  test('is opened again after its last event, however often, and each event comes once', async () => {
    const away = new TypeError('Failed to fetch')
    const { client, clock, sent } = clientOf(answer(0, 2), away, away, refusal(503), answer(2, 3), answer(3, 5))
    const { events } = await client.stream({ messages: MESSAGES })
    const heard: StreamEvent[] = []
    const ended = heardFrom(events, heard)
    await clock.advance(10_000)
    await ended
    expect(heard).toEqual(WHOLE)
    expect(JSON.parse(sent[0]?.body ?? '')).toMatchObject({ detach: true })
    expect(sent.slice(1).map(({ headers }) => headers.get('last-event-id'))).toEqual(['2', '2', '2', '2', '3'])
    for (const { path, headers } of sent.slice(1)) {
      expect([path, headers.get('x-svc-resume-key')]).toEqual(['/v1/runtime/executions/exec_1/events', 'key_1'])
    }
  })

  test.each([401, 404])('is given up as interrupted where the service answers %i', async (status) => {
    const { client, clock } = clientOf(answer(0, 2), refusal(status))
    const { events } = await client.stream({ messages: MESSAGES })
    const ended = heardFrom(events, []).catch((error: unknown) => error)
    await clock.advance(1_000)
    expect(await ended).toMatchObject({ name: 'ClientError', kind: 'interrupted' })
  })

  test('is given up after five minutes, and at once where it is aborted', async () => {
    const away = Array.from({ length: 200 }, () => new TypeError('Failed to fetch'))
    const { client, clock, sent } = clientOf(answer(0, 2), ...away)
    const { events } = await client.stream({ messages: MESSAGES })
    const ended = heardFrom(events, []).catch((error: unknown) => error)
    await clock.advance(301_000)
    expect(await ended).toMatchObject({ kind: 'interrupted' })
    expect(sent.length).toBeLessThan(100)
    const stop = new AbortController()
    const other = clientOf(answer(0, 2), ...away)
    const stream = await other.client.stream({ messages: MESSAGES, signal: stop.signal })
    const stopped = heardFrom(stream.events, []).catch((error: unknown) => error)
    await settled()
    stop.abort(new Error('enough'))
    expect(await stopped).toEqual(new Error('enough'))
  })

  test('of an earlier page is resumed once the service can be reached, and interrupted where it is gone', async () => {
    const { client, clock } = clientOf(new TypeError('Failed to fetch'), answer(0, 5), refusal(404))
    const heard: StreamEvent[] = []
    const ended = client.resume(RUN).then(({ events }) => heardFrom(events, heard))
    await clock.advance(2_000)
    await ended
    expect(heard).toEqual(WHOLE)
    const gone = client
      .resume(RUN)
      .then(({ events }) => heardFrom(events, []))
      .catch((error: unknown) => error)
    await clock.advance(2_000)
    expect(await gone).toMatchObject({ kind: 'interrupted' })
  })

  test('is cancelled once the connection is back', async () => {
    const away = new TypeError('Failed to fetch')
    const { client, clock, sent } = clientOf(away, away, refusal(503), Response.json({ status: 'failed' }))
    const cancelled = client.cancel(RUN)
    await clock.advance(30_000)
    await cancelled
    expect(sent.map(({ path }) => path)).toEqual(Array(4).fill('/v1/runtime/executions/exec_1/cancel'))
    const unknown = clientOf(refusal(404))
    await expect(unknown.client.cancel(RUN)).rejects.toMatchObject({ kind: 'not_found' })
    expect(unknown.sent).toHaveLength(1)
  })

  test('waits as long as the service asks for', async () => {
    const { client, clock, sent } = clientOf(answer(0, 2), refusal(429, { 'retry-after': '30' }), answer(2, 5))
    const { events } = await client.stream({ messages: MESSAGES })
    const ended = heardFrom(events, [])
    await clock.advance(29_000)
    expect(sent).toHaveLength(2)
    await clock.advance(2_000)
    await ended
  })

  test('which was stopped before its first event is cancelled once its key is known', async () => {
    let begin: (response: Response) => void = () => undefined
    const begun = new Promise<Response>((resolve) => (begin = resolve))
    const paths: string[] = []
    const client = createExecutionClient({
      baseUrl: 'https://svc.example.com',
      publicKey: 'svc_pk_test',
      clock: createTestClock(),
      fetch: async (input) => {
        paths.push(new URL(String(input)).pathname)
        return paths.length === 1 ? begun : Response.json({ executionId: 'exec_1', status: 'failed' })
      },
    })
    const stop = new AbortController()
    const stopped = client.stream({ messages: MESSAGES, signal: stop.signal }).catch((error: unknown) => error)
    await settled()
    stop.abort(new Error('enough'))
    expect(await stopped).toEqual(new Error('enough'))
    begin(answer(0, 5))
    await expect.poll(() => paths).toEqual(['/v1/runtime/execute', '/v1/runtime/executions/exec_1/cancel'])
  })
})

type Script = (signal: AbortSignal | undefined) => AsyncIterable<StreamEvent>

function conversationOf(scripts: {
  first: Script
  resumed?: Script
  storage?: ConversationStorage
  runs?: ConversationStorage
}) {
  const { first, resumed = () => each(WHOLE), storage, runs } = scripts
  const asked: string[] = []
  const client: ConversationOptions['client'] = {
    async stream({ signal }) {
      asked.push('stream')
      return { requestId: null, events: first(signal) }
    },
    async resume({ executionId, resumeKey }, { signal } = {}) {
      asked.push(`resume ${executionId} ${resumeKey}`)
      return { requestId: null, events: resumed(signal) }
    },
    async cancel({ executionId, resumeKey }) {
      asked.push(`cancel ${executionId} ${resumeKey}`)
    },
    callCapability: () => Promise.reject(new Error('not used')),
  }
  let ids = 0
  const conversation = createConversation({
    client,
    clock: createTestClock(),
    newId: (prefix) => `${prefix}_${ids++}`,
    storage: storage ?? null,
    runStorage: runs ?? null,
  })
  return { conversation, asked, answer: () => conversation.getSnapshot().turns.at(-1) }
}

describe('a conversation', () => {
  test('goes on with the answer that was under way when its page went, from its first event on', async () => {
    const [storage, runs] = [memory(), memory()]
    const before = conversationOf({ first: hanging(WHOLE.slice(0, 3)), storage, runs })
    before.conversation.send('Count')
    await settled()
    expect(before.answer()).toMatchObject({ state: 'running', blocks: [{ text: 'One two ' }] })
    expect(storage.text).not.toContain('key_1')
    // The page is gone: nothing is said to it any more.
    const after = conversationOf({ first: hanging([]), storage, runs })
    expect([after.answer(), after.conversation.getSnapshot().isBusy]).toMatchObject([{ state: 'running' }, true])
    expect(after.conversation.send('Again')).toBe(false)
    after.conversation.resume()
    await settled()
    expect(after.asked).toEqual(['resume exec_1 key_1'])
    expect(after.answer()).toMatchObject({ state: 'completed', blocks: [{ text: 'One two three.' }], mayRepeat: [] })
    expect(runs.text).toBeNull()
    expect(after.conversation.getSnapshot().turns).toHaveLength(2)
  })

  test('that is let go of at once leaves the answer to the next one', async () => {
    const [storage, runs] = [memory(), memory()]
    const before = conversationOf({ first: hanging(WHOLE.slice(0, 3)), storage, runs })
    before.conversation.send('Count')
    await settled()
    const passing = conversationOf({ first: hanging([]), storage, runs })
    passing.conversation.hold()()
    const last = conversationOf({ first: hanging([]), storage, runs })
    last.conversation.hold()
    await settled()
    expect([passing.asked, last.asked]).toEqual([[], ['resume exec_1 key_1']])
    expect(last.answer()).toMatchObject({ state: 'completed' })
  })

  test('shows the whole answer after a gap, once', async () => {
    const done = WHOLE.slice(-1)
    const { conversation, answer } = conversationOf({
      first: () => each([BEGUN, ...WORDS.slice(0, 1), { type: 'gap' }, ...done]),
    })
    conversation.send('Count')
    await settled()
    expect(answer()).toMatchObject({ state: 'completed', blocks: [{ text: 'One two three.' }] })
  })

  test.each([
    ['stopped', (conversation: ReturnType<typeof createConversation>) => conversation.stop()],
    ['cleared', (conversation: ReturnType<typeof createConversation>) => conversation.clear()],
    ['seen by nobody', (conversation: ReturnType<typeof createConversation>) => conversation.suspend()],
  ])('that is %s cancels what is under way, and forgets its key', async (_, end) => {
    const runs = memory()
    const { conversation, asked } = conversationOf({ first: hanging(WHOLE.slice(0, 2)), runs })
    conversation.send('Count')
    await settled()
    expect(runs.text).toContain('key_1')
    end(conversation)
    await settled()
    expect(asked).toEqual(['stream', 'cancel exec_1 key_1'])
    expect(runs.text).toBeNull()
  })

  test('that finds a key of nothing, or one that is not understood, begins as without', () => {
    for (const text of ['{', 'null', '{"answerId":"turn_9","executionId":"e","resumeKey":"k"}', '{"answerId":1}']) {
      const { conversation } = conversationOf({ first: hanging([]), storage: memory(), runs: memory(text) })
      expect(conversation.getSnapshot()).toEqual({ turns: [], isBusy: false })
    }
  })
})
