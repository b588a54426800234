import type { StreamEvent } from '@svc/contract'
import { expect, test, vi } from 'vitest'
import { Stop } from '../../src/lib/stop-signal.ts'
import type { ModelEvent } from '../../src/model/model.ts'
import type { Database } from '../../src/store/database.ts'
import { createGate, deferred } from '../support/deferred.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { openStream, type Run, resumeStream, type StreamedAnswer } from '../support/event-stream.ts'
import { dumpTables, type Scene, type SceneOptions, saying, setScene } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'

interface ResumeScene extends Scene {
  stream(body?: object): Promise<StreamedAnswer>
  resume(run: Run, after?: number): Promise<StreamedAnswer>
  cancel(run: Run): ReturnType<Scene['execute']>
  settled(): Promise<void>
}

async function setResumeScene(database: Database, options: SceneOptions = {}): Promise<ResumeScene> {
  const scene = await setScene(database, { tier: 'enterprise', ...options })
  const url = await scene.service.app.listen({ host: '127.0.0.1', port: 0 })
  const key = scene.runtime.publicKey
  return {
    ...scene,
    stream: (body = {}) =>
      openStream(`${url}/v1/runtime/execute`, { key, body: { ...saying(), detach: true, ...body } }),
    resume: (run, after = 0) => resumeStream(url, { key, run, after }),
    cancel: ({ executionId, resumeKey }) =>
      scene.service.send('POST', `/v1/runtime/executions/${executionId}/cancel`, {
        key,
        headers: { 'x-svc-resume-key': resumeKey },
      }),
    settled: () => scene.service.deps.running.idle(new Stop()),
  }
}

function runOf({ run }: StreamedAnswer): Run {
  if (run === null) throw new Error('the stream has told no execution yet')
  return run
}

const END = { type: 'end', reason: 'stop', usage: { inputTokens: 7, outputTokens: 3 } } as const
const words = (count: number): ModelEvent[] => [
  ...Array.from({ length: count }, (_, index) => ({ type: 'text', content: `word ${index} ` }) as const),
  END,
]

/** Two words, and the rest once it may go on. */
function paused() {
  const heard = deferred()
  async function* turn(): AsyncGenerator<ModelEvent> {
    yield { type: 'text', content: 'First, ' }
    yield { type: 'text', content: 'second, ' }
    await heard.promise
    yield* text('last.')
  }
  return { turn, goOn: () => heard.resolve() }
}

const textOf = (events: readonly StreamEvent[]) =>
  events.flatMap((event) => (event.type === 'text' ? [event.content] : [])).join('')

describeEngines('a stream that is detached', (engine) => {
  const database = useDatabase(engine)

  // holds STR-14, STR-15, STR-16
  test('goes on without its caller, and is resumed after the event that arrived last', async () => {
    const { service, stream, resume, trace } = await setResumeScene(database())
    const { turn, goOn } = paused()
    service.model.say(turn)
    const answer = await stream()
    expect(await answer.next()).toEqual({ type: 'text', content: 'First, ' })
    const run = runOf(answer)
    answer.leave()
    const again = await resume(run, answer.lastId)
    expect(await again.next()).toEqual({ type: 'text', content: 'second, ' })
    goOn()
    const rest = await again.rest()
    expect(rest.map(({ type }) => type)).toEqual(['text', 'done'])
    expect(rest.at(-1)).toMatchObject({ executionId: run.executionId, status: 'completed' })
    expect(await trace(run.executionId)).toMatchObject({ status: 'completed', finishReason: 'stop' })
    // From the start on, after its end.
    const whole = await (await resume(run)).rest()
    expect(textOf(whole)).toBe('First, second, last.')
    expect(whole.at(-1)).toEqual(rest.at(-1))
  })

  // holds STR-16
  test('has an end that stays readable for five minutes', async () => {
    const { service, stream, resume } = await setResumeScene(database())
    const answer = await stream()
    await answer.rest()
    const run = runOf(answer)
    service.clock.advance(299_999)
    expect((await (await resume(run)).rest()).at(-1)?.type).toBe('done')
    service.clock.advance(1)
    expect(service.deps.streams.size).toBe(1)
    service.deps.streams.sweep()
    expect([service.deps.streams.size, service.deps.streams.bytes]).toEqual([0, 0])
    const gone = await resume(run)
    expect(gone.status).toBe(404)
    expect(await gone.nextBlock().catch((error: unknown) => String(error))).toContain('does not hold the events')
  })

  // holds STR-15
  test('feeds two readers at once, each with every event once, and ends the oldest of five', async () => {
    const { service, stream, resume } = await setResumeScene(database())
    const { turn, goOn } = paused()
    service.model.say(turn)
    const answer = await stream()
    await answer.next()
    const run = runOf(answer)
    const readers = [await resume(run), await resume(run, 2), await resume(run), await resume(run)]
    // The first reader, the page’s own connection, was ended by the fifth.
    expect((await answer.rest()).map(({ type }) => type)).toEqual(['text'])
    goOn()
    const heard = await Promise.all(readers.map((reader) => reader.rest()))
    const all = 'First, second, last.'
    expect(heard.map(textOf)).toEqual([all, 'second, last.', all, all])
    expect(new Set(heard.map((events) => JSON.stringify(events.at(-1)))).size).toBe(1)
    await vi.waitFor(() => expect(service.deps.inFlight.executions).toBe(0))
  })

  // holds STR-17
  test('says “gap” where its events were dropped, and gives “done” with the whole answer', async () => {
    const { service, stream, resume } = await setResumeScene(database(), { limits: { eventBytes: 2_000 } })
    service.model.say(words(200))
    const answer = await stream()
    await answer.rest()
    const run = runOf(answer)
    const late = await (await resume(run, 3)).rest()
    expect(late.map(({ type }) => type)).toEqual(['gap', 'done'])
    const [, done] = late
    if (done?.type !== 'done') throw new Error('there is no end')
    expect(JSON.stringify(done.messages)).toContain('word 0 word 1 word 2 ')
    // What still waits is given without a gap.
    expect((await (await resume(run, 195)).rest()).map(({ type }) => type)).not.toContain('gap')
  })

  test('counts the events that wait in bytes, not in characters', async () => {
    const { service, stream, resume } = await setResumeScene(database(), { limits: { eventBytes: 2_000 } })
    // With ids and types some 1,500 characters, and twice as many bytes.
    const long = { type: 'text', content: '字'.repeat(80) } as const
    service.model.say([...Array.from({ length: 10 }, () => long), ...words(0)])
    const answer = await stream()
    await answer.rest()
    const late = await (await resume(runOf(answer), 0)).rest()
    expect(late.map(({ type }) => type)).toContain('gap')
  })

  // holds STR-18
  test('is cancelled by its key, and stays as it is after its end', async () => {
    const { service, stream, cancel, trace, resume } = await setResumeScene(database())
    service.model.say(async function* ({ signal }) {
      yield { type: 'text', content: 'Once upon' }
      await new Promise<void>((resolve) => signal.addEventListener('abort', resolve))
      yield END
    })
    const answer = await stream()
    await answer.next()
    const run = runOf(answer)
    const cancelled = await cancel(run)
    expect([cancelled.statusCode, cancelled.json()]).toEqual([200, { executionId: run.executionId, status: 'failed' }])
    expect((await answer.rest()).at(-1)).toMatchObject({ status: 'failed', finishReason: 'cancelled' })
    expect(await trace(run.executionId)).toMatchObject({ status: 'failed', finishReason: 'cancelled' })
    expect((await (await resume(run)).rest()).at(-1)).toMatchObject({ finishReason: 'cancelled' })
    service.model.say(text('Done.'))
    const ended = await stream()
    await ended.rest()
    const late = await cancel(runOf(ended))
    expect([late.statusCode, late.json().status]).toEqual([200, 'completed'])
    expect(await trace(runOf(ended).executionId)).toMatchObject({ status: 'completed' })
  })

  // holds STR-18
  test('is cancelled without “detach”, too, and the answer waits for the call that is under way', async () => {
    const gate = createGate()
    const handle = { echo: () => gate.enter().then(() => ({ output: 'told' })) }
    const { service, stream, cancel, trace } = await setResumeScene(database(), { handle })
    service.model.say(calls({ name: 'echo', input: {} }), text('never said'))
    const answer = await stream({ detach: false })
    await answer.next()
    await gate.arrived(1)
    const cancelled = cancel(runOf(answer))
    await vi.waitFor(() => expect([...service.deps.running].map(({ stopReason }) => stopReason)).toEqual(['cancelled']))
    gate.open()
    expect((await cancelled).json().status).toBe('failed')
    const recorded = await trace(runOf(answer).executionId)
    expect(recorded).toMatchObject({ finishReason: 'cancelled', capabilityCalls: [{ status: 'completed' }] })
    expect((await cancel(runOf(answer))).json().status).toBe('failed')
  })

  // holds STR-19
  test('is not found under a wrong id, a wrong key, another runtime’s key, or an unknown form of either', async () => {
    const { service, owner, runtime, stream } = await setResumeScene(database())
    const other = await service.runtime(owner)
    const [answer, second] = [await stream(), await stream()]
    await answer.rest()
    await second.rest()
    const { executionId, resumeKey } = runOf(answer)
    const wrong = [
      { executionId: 'exec_1', resumeKey },
      { executionId: runOf(second).executionId, resumeKey },
      { executionId, resumeKey: runOf(second).resumeKey },
      { executionId, resumeKey: 'x' },
      { executionId, resumeKey: '' },
      { executionId, resumeKey, key: other.publicKey },
    ]
    const bodies = new Set<string>()
    for (const { key = runtime.publicKey, ...run } of wrong) {
      for (const [method, action] of [
        ['GET', 'events'],
        ['POST', 'cancel'],
      ] as const) {
        const headers = { 'x-svc-resume-key': run.resumeKey }
        const refused = await service.send(method, `/v1/runtime/executions/${run.executionId}/${action}`, {
          key,
          headers,
        })
        expect(refused.statusCode).toBe(404)
        bodies.add(refused.body)
      }
    }
    expect([...bodies].map((body) => JSON.parse(body).error.message)).toEqual(['The execution was not found.'])
  })

  test('names what is wrong with a header or with “detach”', async () => {
    const { service, runtime, stream, execute } = await setResumeScene(database())
    const answer = await stream()
    await answer.rest()
    const { executionId, resumeKey } = runOf(answer)
    const path = `/v1/runtime/executions/${executionId}/events`
    const faultsOf = async (headers: Record<string, string>) => {
      const refused = await service.send('GET', path, { key: runtime.publicKey, headers })
      return [refused.statusCode, Object.keys(refused.json().error.details.fieldErrors)]
    }
    expect(await faultsOf({})).toEqual([400, ['x-svc-resume-key']])
    for (const id of ['x', '-1', '1.5', '99']) {
      expect(await faultsOf({ 'x-svc-resume-key': resumeKey, 'last-event-id': id })).toEqual([400, ['last-event-id']])
    }
    const body = { ...saying(), detach: 'yes' }
    expect((await execute(body)).json().error.details.fieldErrors).toEqual({ detach: [expect.any(String)] })
    expect((await execute({ ...saying(), detach: true })).json().status).toBe('completed')
    expect(service.deps.streams.size).toBe(1)
  })

  test('without “detach” keeps no event, and its end is not held', async () => {
    const { service, stream, resume } = await setResumeScene(database(), { limits: { resumeMs: 90_000 } })
    const { turn, goOn } = paused()
    service.model.say(turn)
    const answer = await stream({ detach: false })
    await answer.next()
    const refused = await resume(runOf(answer))
    expect(refused.status).toBe(404)
    expect(await refused.nextBlock().catch(String)).toContain('until 90 seconds after their end')
    expect(service.deps.streams.bytes).toBe(0)
    goOn()
    await answer.rest()
    expect(service.deps.streams.size).toBe(0)
  })

  test('is told no more once its public key was revoked', async () => {
    const { service, owner, runtime, stream, resume } = await setResumeScene(database())
    const answer = await stream()
    await answer.rest()
    const path = `/v1/runtimes/${runtime.runtimeId}/revoke-key`
    await service.send('POST', path, { key: owner.apiKey, body: { type: 'public' } })
    expect((await resume(runOf(answer))).status).toBe(401)
  })

  test('stops when the service does, and its reader is told so', async () => {
    const { service, stream, trace, settled } = await setResumeScene(database())
    const { turn } = paused()
    service.model.say(async function* ({ signal }) {
      const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', resolve))
      yield* [{ type: 'text', content: 'First' } as const]
      await Promise.race([
        stopped,
        turn()
          .next()
          .then(() => stopped),
      ])
      yield END
    })
    const answer = await stream()
    await answer.next()
    const run = runOf(answer)
    answer.leave()
    service.deps.running.shutDown()
    await settled()
    expect(await trace(run.executionId)).toMatchObject({ status: 'failed', finishReason: 'error' })
  })

  // holds STR-20
  test('leaves no text of it and no key in store or log', async () => {
    const lines: string[] = []
    const { service, stream, resume, cancel } = await setResumeScene(database(), {
      log: (line) => void lines.push(line),
    })
    service.model.say([{ type: 'text', content: 'a very particular sentence' }, END])
    const answer = await stream()
    await answer.next()
    const run = runOf(answer)
    answer.leave()
    await (await resume(run)).rest()
    await cancel(run)
    const kept = `${await dumpTables(database())}\n${lines.join('\n')}`
    expect(kept).toContain(run.executionId)
    for (const secret of ['particular', run.resumeKey]) expect(kept).not.toContain(secret)
  })
})

describeEngines('the room of events that wait', (engine) => {
  const database = useDatabase(engine)

  test('is shared by accounts: past its part the oldest ended run of an account goes, and no other account’s', async () => {
    const limits = { resumeBytes: 40_000 }
    const scene = await setResumeScene(database(), { limits })
    const { service, stream, resume } = scene
    const other = await service.owner('enterprise')
    const foreign = await service.runtime(other)
    const url = service.app.listeningOrigin
    const begun = await openStream(`${url}/v1/runtime/execute`, {
      key: foreign.publicKey,
      body: { ...saying(), detach: true },
    })
    await begun.rest()
    service.model.say(words(40))
    const runs: Run[] = []
    for (let count = 0; count < 30; count += 1) {
      const answer = await stream()
      await answer.rest()
      runs.push(runOf(answer))
      expect(service.deps.streams.bytes).toBeLessThan(40_000)
    }
    const statuses = []
    for (const run of runs) {
      const answer = await resume(run)
      statuses.push(answer.status)
      answer.leave()
    }
    expect([statuses[0], statuses.at(-1)]).toEqual([404, 200])
    expect(statuses.toSorted().toReversed()).toEqual(statuses)
    expect((await resumeStream(url, { key: foreign.publicKey, run: runOf(begun) })).status).toBe(200)
  })

  test('is counted among the executions of an account while it is read', async () => {
    const { service, stream, resume } = await setResumeScene(database(), { limits: { executions: 4 } })
    const { turn, goOn } = paused()
    service.model.say(turn)
    const answer = await stream()
    await answer.next()
    const run = runOf(answer)
    const second = await resume(run)
    expect([second.status, (await resume(run)).status]).toEqual([200, 429])
    second.leave()
    goOn()
    await answer.rest()
    await vi.waitFor(() => expect(service.deps.inFlight.executions).toBe(0))
  })
})
