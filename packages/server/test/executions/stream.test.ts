import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { ExecuteResponse, type StreamEvent } from '@svc/contract'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openEventStream } from '../../src/http/sse.ts'
import { ModelError } from '../../src/model/model.ts'
import type { Database } from '../../src/store/database.ts'
import { deferred } from '../support/deferred.ts'
import { describeEngine, describeEngines, useDatabase } from '../support/engines.ts'
import { openStream, type StreamedAnswer } from '../support/event-stream.ts'
import { executed, type Scene, type SceneOptions, saying, setScene } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'

interface LiveScene extends Scene {
  /** The service's address on a port of its own. */
  url: string
  stream(body?: object): Promise<StreamedAnswer>
}

async function setLiveScene(database: Database, options: SceneOptions = {}): Promise<LiveScene> {
  const scene = await setScene(database, options)
  const url = await scene.service.app.listen({ host: '127.0.0.1', port: 0 })
  const stream = (body: object = saying()) =>
    openStream(`${url}/v1/runtime/execute`, { key: scene.runtime.publicKey, body })
  return { ...scene, url, stream }
}

function resultOf(event: StreamEvent | null | undefined): ExecuteResponse {
  if (event?.type !== 'done') throw new Error(`the last event is ${event?.type}, not done`)
  const { type: _, ...result } = event
  return ExecuteResponse.strict().parse(result)
}

describeEngines('a streamed execute', (engine) => {
  const database = useDatabase(engine)

  // holds STR-11
  test('the end of an execution is in the database before “done” is sent', async () => {
    const { service, stream, trace } = await setLiveScene(database())
    service.model.say(text('Hi.'))
    const result = resultOf((await (await stream()).rest()).at(-1))
    expect(await trace(result.executionId)).toMatchObject({ status: 'completed', totalTokens: result.totalTokens })
  })
})

// Events are written without any store: one engine tells as much as two.
describeEngine('sqlite', 'the stream of an execute', (engine) => {
  const database = useDatabase(engine)

  // holds LOOP-09, STR-01, STR-03, STR-06, STR-07, STR-08
  test('sends text and capabilities as they happen, and ends in “done” with the fields of the JSON answer', async () => {
    const { service, endpoint, stream, execute } = await setLiveScene(database())
    const turns = () => [[...calls({ name: 'echo', input: { text: 'a' } })], text('All done.')] as const
    service.model.say([{ type: 'text', content: 'Let me look.' }, ...turns()[0]], turns()[1])
    const answer = await stream()
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('text/event-stream; charset=utf-8')
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.headers['x-request-id']).toBeTruthy()
    expect(answer.headers['ratelimit-remaining']).toBe('59')
    const events = await answer.rest()
    const callId = endpoint.effects[0]?.callId
    expect(events.slice(0, -1)).toEqual([
      { type: 'text', content: 'Let me look.' },
      { type: 'capability_start', callId, capability: 'echo' },
      { type: 'capability_end', callId, capability: 'echo', durationMs: 0 },
      { type: 'text', content: 'All done.' },
    ])
    service.model.say([{ type: 'text', content: 'Let me look.' }, ...turns()[0]], turns()[1])
    const whole = executed(await execute())
    const ids = (result: ExecuteResponse) => [result.executionId, ...endpoint.effects.map((call) => call.callId)]
    const comparable = (result: ExecuteResponse) =>
      ids(result).reduce((json, id) => json.replaceAll(id, 'id'), JSON.stringify(result))
    expect(comparable(resultOf(events.at(-1)))).toBe(comparable(whole))
  })

  // holds STR-13
  test.each([
    ['text/event-stream;q=0', 'application/json'],
    ['application/json, Text/Event-Stream; Q=0.000', 'application/json'],
    ['application/json;q=0, text/event-stream;q=0.1', 'text/event-stream'],
  ])('answers a request that accepts %s with %s', async (accept, type) => {
    const { service, execute } = await setLiveScene(database())
    service.model.say(text('Hello'))
    const answer = await execute(undefined, { headers: { accept } })
    expect(answer.headers['content-type']).toContain(type)
  })

  // holds STR-05
  test('text arrives while the model still speaks', async () => {
    const { service, stream } = await setLiveScene(database())
    const heard = deferred()
    service.model.say(async function* () {
      yield { type: 'text', content: 'First' }
      await heard.promise
      yield* text(', then the rest.')
    })
    const answer = await stream()
    expect(await answer.next()).toEqual({ type: 'text', content: 'First' })
    heard.resolve()
    expect((await answer.rest()).map((event) => event.type)).toEqual(['text', 'done'])
  })

  test('a long text arrives in full, in its events and in “done”', async () => {
    const { service, stream } = await setLiveScene(database())
    const long = '“Ünïcode” \\ 👩‍👩‍👧\n'.repeat(10_000)
    service.model.say(text(long))
    const events = await (await stream()).rest()
    expect(events[0]).toEqual({ type: 'text', content: long })
    expect(resultOf(events.at(-1)).messages).toEqual([{ role: 'assistant', parts: [{ type: 'text', content: long }] }])
  })

  // holds STR-06
  test('a capability is announced while it still runs', async () => {
    const released = deferred()
    const { service, stream } = await setLiveScene(database(), {
      handle: {
        echo: async () => {
          await released.promise
          return { error: 'Out of stock.' }
        },
      },
    })
    service.model.say(calls({ name: 'echo', input: {} }), text('Sorry.'))
    const answer = await stream()
    expect(await answer.next()).toMatchObject({ type: 'capability_start', capability: 'echo' })
    released.resolve()
    const end = await answer.next()
    expect(end).toMatchObject({ type: 'capability_end', error: { message: 'Out of stock.' } })
    expect(end).not.toHaveProperty('outcome')
    expect(resultOf((await answer.rest()).at(-1)).status).toBe('completed')
  })

  // holds EFF-02, STR-07
  test('a call that no answer came to ends as unknown', async () => {
    const { service, stream } = await setLiveScene(database(), {
      handle: { echo: () => ({ fault: 'cut', at: 'before-head', how: 'reset' }) },
    })
    service.model.say(calls({ name: 'echo', input: {} }), text('Sorry.'))
    const end = (await (await stream()).rest()).find(({ type }) => type === 'capability_end')
    expect(end).toMatchObject({ outcome: 'unknown', error: { message: expect.stringContaining('unknown') } })
  })

  // holds LOOP-08
  test('calls that were answered without a dispatch are no events', async () => {
    const { service, stream } = await setLiveScene(database())
    service.model.say(calls({ name: 'unknown', input: {} }, { name: 'echo', input: { text: 1 } }), text('Sorry.'))
    expect((await (await stream()).rest()).map((event) => event.type)).toEqual(['text', 'done'])
  })

  // holds STR-04
  test('a failed execution ends in “done” too', async () => {
    const { service, stream } = await setLiveScene(database())
    service.model.say(async function* () {
      yield { type: 'text', content: 'I am' }
      throw new ModelError('The model is not available.')
    })
    const events = await (await stream()).rest()
    expect(events.map((event) => event.type)).toEqual(['text', 'done'])
    expect(resultOf(events.at(-1))).toMatchObject({
      status: 'failed',
      error: { message: 'The model is not available.' },
    })
  })

  // holds TRC-02
  test('an owner may stream too', async () => {
    const { url, owner, runtime } = await setLiveScene(database())
    const body = { runtimeId: runtime.runtimeId, ...saying() }
    const answer = await openStream(`${url}/v1/executions`, { key: owner.apiKey, body })
    expect(resultOf((await answer.rest()).at(-1)).status).toBe('completed')
  })

  const refusals = [
    ['a wrong key', 401, async () => ({ key: 'svc_pk_wrong', body: saying() })],
    [
      'a body that is not valid',
      400,
      async ({ runtime }: Scene) => ({ key: runtime.publicKey, body: { messages: [] } }),
    ],
    [
      'a used-up rate limit',
      429,
      async ({ runtime, execute }: Scene) => {
        await Promise.all(Array.from({ length: 60 }, () => execute()))
        return { key: runtime.publicKey, body: saying() }
      },
    ],
  ] as const

  // holds STR-10
  test.each(refusals)(
    '%s is answered in plain JSON with status %i, even to a caller that accepts streams',
    async (_, status, prepare) => {
      const scene = await setLiveScene(database())
      const answer = await openStream(`${scene.url}/v1/runtime/execute`, await prepare(scene))
      expect(answer.status).toBe(status)
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    },
  )

  // holds STR-09
  test('a comment keeps an idle stream alive every 15 seconds', async () => {
    const released = deferred()
    const { service, stream } = await setLiveScene(database())
    service.model.say(async function* () {
      yield { type: 'text', content: 'Wait' }
      await released.promise
      yield* text('.')
    })
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const answer = await stream()
    expect(await answer.nextBlock()).toContain('event: execution')
    expect(await answer.nextBlock()).toContain('event: text')
    for (const _ of [1, 2]) {
      vi.advanceTimersByTime(15_000)
      expect(await answer.nextBlock()).toMatch(/^:/)
    }
    vi.advanceTimersByTime(14_999)
    released.resolve()
    expect(await answer.nextBlock()).toContain('event: text')
    expect(await answer.nextBlock()).toMatch(/^id: 4\nevent: done\ndata: .*"status":"completed"/)
    expect(vi.getTimerCount()).toBe(0)
  })
})

test('events that wait for one slow reader share one wait', async () => {
  const raw = new ServerResponse(new IncomingMessage(new Socket()))
  const stream = openEventStream(Object({ raw, hijack() {}, getHeaders: () => ({}) }))
  const listeners = () => raw.listenerCount('drain')
  for (let round = 0; round < 2; round += 1) {
    const waits = [stream.writable(), stream.writable(), stream.writable()]
    expect(listeners()).toBe(1)
    raw.emit('drain')
    await Promise.all(waits)
    expect(listeners()).toBe(0)
  }
  stream.end()
})
