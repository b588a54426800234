import { createServer, request } from 'node:http'
import type { StreamEvent } from '@svc/contract'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { ModelEvent, ModelRequest } from '../../src/model/model.ts'
import { createGate, deferred } from '../support/deferred.ts'
import { describeEngines, type TestEngine } from '../support/engines.ts'
import { openStream, type Run, resumeStream, type StreamedAnswer } from '../support/event-stream.ts'
import { setReplicatedScene } from '../support/replicas.ts'
import { type Scene, type SceneOptions, saying } from '../support/scene.ts'
import { text } from '../support/scripted-model.ts'

const SEED = Number(process.env['SVC_TEST_SEED'] ?? 23)
const PEERS = '/v1/peers/executions'

interface Pair {
  a: Scene
  b: Scene
  urls: [string, string]
  stream(url: string, content?: string): Promise<StreamedAnswer>
  resume(url: string, run: Run, after?: number): Promise<StreamedAnswer>
  cancel(scene: Scene, run: Run): ReturnType<Scene['execute']>
}

/** Two servers on one store, each of which the other one knows under these addresses, or under none. */
async function setPair(engine: TestEngine, knownAt?: (urls: [string, string]) => (string | null)[]): Promise<Pair> {
  const options: SceneOptions = { tier: 'enterprise' }
  const { a, b } = await setReplicatedScene(engine, options)
  const listen = ({ service }: Scene) => service.app.listen({ host: '127.0.0.1', port: 0 })
  const urls: [string, string] = [await listen(a), await listen(b)]
  for (const { service } of [a, b]) onTestFinished(() => service.deps.peers.close())
  // A server knows its address before it takes its lease. These were found afterwards.
  for (const [index, url] of (knownAt?.(urls) ?? urls).entries()) {
    const { database, service } = index === 0 ? a : b
    await database.db.updateTable('nodes').set({ url }).where('node_id', '=', service.deps.nodeId).execute()
  }
  const key = a.runtime.publicKey
  return {
    a,
    b,
    urls,
    stream: (url, content) =>
      openStream(`${url}/v1/runtime/execute`, { key, body: { ...saying(content), detach: true } }),
    resume: (url, run, after = 0) => resumeStream(url, { key, run, after }),
    cancel: ({ service }, { executionId, resumeKey }) =>
      service.send('POST', `/v1/runtime/executions/${executionId}/cancel`, {
        key,
        headers: { 'x-svc-resume-key': resumeKey },
      }),
  }
}

function runOf({ run }: StreamedAnswer): Run {
  if (run === null) throw new Error('the stream has told no execution yet')
  return run
}

async function messageOf(answer: StreamedAnswer): Promise<string> {
  return String(await answer.nextBlock().catch((error: unknown) => error))
}

function paused() {
  const heard = deferred()
  async function* turn(): AsyncGenerator<ModelEvent> {
    yield { type: 'text', content: 'First, ' }
    await heard.promise
    yield* text('last.')
  }
  return { turn, goOn: () => heard.resolve() }
}

describeEngines('replicas that know each other', (engine) => {
  // holds STR-21
  test('hand on what is asked of a run that another one holds', async () => {
    const { a, b, urls, stream, resume, cancel } = await setPair(engine)
    const { turn, goOn } = paused()
    a.service.model.say(turn)
    const answer = await stream(urls[0])
    await answer.next()
    const run = runOf(answer)
    answer.leave()
    const there = await resume(urls[1], run, answer.lastId)
    goOn()
    expect((await there.rest()).map(({ type }) => type)).toEqual(['text', 'done'])
    expect((await (await resume(urls[1], run)).rest()).map(({ type }) => type)).toEqual(['text', 'text', 'done'])
    // Each reader counted on both.
    await vi.waitFor(() => expect([a, b].map(({ service }) => service.deps.inFlight.executions)).toEqual([0, 0]))

    a.service.model.say(async function* ({ signal }) {
      yield { type: 'text', content: 'Once upon' }
      await new Promise<void>((resolve) => signal.addEventListener('abort', resolve))
      yield* text('never said')
    })
    const endless = await stream(urls[0])
    await endless.next()
    const cancelled = await cancel(b, runOf(endless))
    expect(cancelled.json()).toEqual({ executionId: runOf(endless).executionId, status: 'failed' })
    expect((await endless.rest()).at(-1)).toMatchObject({ finishReason: 'cancelled' })
    expect((await resume(urls[1], run, 99)).status).toBe(400)
  })

  // holds STR-22
  test('say that they do not hold it where they know no address, and ask no further where it is their own', async () => {
    for (const known of [() => [null, null], (urls: [string, string]) => [urls[1], urls[1]]]) {
      const { a, b, urls, stream, resume, cancel } = await setPair(engine, known)
      const answer = await stream(urls[0])
      await answer.rest()
      const run = runOf(answer)
      const elsewhere = await resume(urls[1], run)
      expect([elsewhere.status, await messageOf(elsewhere)]).toEqual([
        404,
        expect.stringContaining('This server does not hold the events of this execution.'),
      ])
      // An end is in the store: nobody has to be asked.
      expect((await cancel(b, run)).json().status).toBe('completed')
      expect((await resume(urls[0], run)).status).toBe(200)
      expect(a.service.deps.streams.size).toBe(1)
    }
  })

  test('ask to try again where the other one gives no answer', async () => {
    const { urls, stream, resume } = await setPair(engine, () => ['http://127.0.0.1:9', null])
    const answer = await stream(urls[0])
    await answer.rest()
    const refused = await resume(urls[1], runOf(answer))
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1'])
  })

  test('count no reader who left before the other one answered', async () => {
    const asked = createGate()
    const over = deferred()
    const slow = createServer(async (_request, response) => {
      response.once('close', () => over.resolve())
      await asked.enter()
      response.writeHead(200).write(': alive\n\n')
    })
    onTestFinished(() => void slow.close())
    const port = await new Promise<number>((resolve) => {
      slow.listen(0, '127.0.0.1', () => resolve(Number(Object(slow.address()).port)))
    })
    const { b, urls, stream } = await setPair(engine, () => [`http://127.0.0.1:${port}`, null])
    const answer = await stream(urls[0])
    await answer.rest()
    const { executionId, resumeKey } = runOf(answer)
    const headers = { authorization: `Bearer ${b.runtime.publicKey}`, 'x-svc-resume-key': resumeKey }
    const leaving = request(`${urls[1]}/v1/runtime/executions/${executionId}/events`, { headers })
    leaving.on('error', () => {}).end()
    await asked.arrived(1)
    leaving.destroy()
    await vi.waitFor(() => expect(b.service.deps.requests.size).toBe(0))
    asked.open()
    await over.promise
    expect(b.service.deps.inFlight.executions).toBe(0)
  })

  // holds STR-23
  test('take no request of another one that it has not signed', async () => {
    const { a, urls, stream } = await setPair(engine)
    const answer = await stream(urls[0])
    await answer.rest()
    const { executionId } = runOf(answer)
    const path = `${PEERS}/${executionId}/events?after=0`
    const now = a.service.clock.now()
    const { keyring } = a.service.deps
    const signed = (at: number, text: string) => `${at}.${keyring.hash(`peer ${at} ${text}`)}`
    const wrong = [
      undefined,
      '',
      `${now}.x`,
      signed(now, `GET ${PEERS}/exec_1/events?after=0`),
      signed(now, `POST ${path}`),
      signed(now - 30_001, `GET ${path}`),
      signed(now + 30_001, `GET ${path}`),
    ]
    for (const header of wrong) {
      const headers = header === undefined ? {} : { 'x-svc-peer': header }
      const refused = await a.service.send('GET', path, { headers })
      expect([refused.statusCode, refused.json().error.message]).toEqual([404, 'The route was not found.'])
    }
    const good = await fetch(`${urls[0]}${path}`, { headers: { 'x-svc-peer': signed(now, `GET ${path}`) } })
    expect(good.status).toBe(200)
    expect(await good.text()).toContain('event: done')
  })
})

const numberIn = ({ messages }: ModelRequest) => Number(/\d+/.exec(JSON.stringify(messages.at(-1)))?.[0])
const word = (index: number) => `${index}: “wörd” \n`
const textTo = (count: number) => Array.from({ length: count }, (_, index) => word(index)).join('')

/** Speaks as many words as the question names, a turn of the event loop between two. */
async function* counting(request: ModelRequest): AsyncGenerator<ModelEvent> {
  const count = numberIn(request)
  for (let index = 0; index < count; index += 1) {
    await new Promise(setImmediate)
    yield { type: 'text', content: word(index) }
  }
  yield { type: 'end', reason: 'stop', usage: { inputTokens: 1, outputTokens: count } }
}

describeEngines('many streams, each cut at a random event and resumed on a random replica', (engine) => {
  // holds STR-15
  test('have the transcripts of uncut ones', async () => {
    const { a, b, urls, stream, resume } = await setPair(engine)
    for (const { service } of [a, b]) service.model.say(counting)
    const cut = fc.record({ words: fc.integer({ min: 1, max: 60 }), at: fc.double({ min: 0, max: 1, noNaN: true }) })
    const plans = fc.sample(fc.tuple(cut, fc.constantFrom(...urls), fc.constantFrom(...urls)), {
      numRuns: 100,
      seed: SEED,
    })
    const results = await Promise.all(
      plans.map(async ([{ words, at }, first, second]) => {
        const answer = await stream(first, `Count to ${words}`)
        const events: (StreamEvent | null)[] = []
        const before = Math.max(1, Math.floor(words * at))
        for (let count = 0; count < before; count += 1) events.push(await answer.next())
        answer.leave()
        events.push(...(await (await resume(second, runOf(answer), answer.lastId)).rest()))
        return { words, events }
      }),
    )
    for (const { words, events } of results) {
      const done = events.at(-1)
      if (done?.type !== 'done') throw new Error('there is no end')
      const told = events.flatMap((event) => (event?.type === 'text' ? [event.content] : []))
      expect([told.length, told.join('')]).toEqual([words, textTo(words)])
      expect(done).toMatchObject({ status: 'completed', outputTokens: words })
      expect(done.messages).toEqual([{ role: 'assistant', parts: [{ type: 'text', content: textTo(words) }] }])
    }
  })
})
