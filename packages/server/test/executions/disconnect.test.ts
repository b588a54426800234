import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { Stop } from '../../src/lib/stop-signal.ts'
import { ModelError } from '../../src/model/model.ts'
import type { Database } from '../../src/store/database.ts'
import { createGate, deferred } from '../support/deferred.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { openStream, post, type StreamedAnswer } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { type Scene, type SceneOptions, saying, setScene } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'

interface LeavingScene extends Scene {
  stream(): Promise<StreamedAnswer>
  /** Posts without reading an answer; the function leaves. */
  post(path: string, options: { key?: string; body: object; headers?: Record<string, string> }): () => void
  /** Resolves once the server has noticed that a connection was closed. */
  noticed(): Promise<void>
  /** Resolves once no execution is under way. */
  settled(): Promise<void>
  lastExecutionId(): Promise<string>
}

async function setLeavingScene(database: Database, options: SceneOptions = {}): Promise<LeavingScene> {
  const scene = await setScene(database, options)
  const { app, deps } = scene.service
  const closed = deferred()
  app.server.on('connection', (socket) => socket.once('close', () => closed.resolve()))
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    ...scene,
    stream: () => openStream(`${url}/v1/runtime/execute`, { key: scene.runtime.publicKey, body: saying() }),
    post(path, options) {
      const { request, response } = post(`${url}${path}`, options)
      response.catch(() => undefined)
      return () => void request.destroy()
    },
    noticed: () => closed.promise,
    settled: () => deps.running.idle(new Stop()),
    async lastExecutionId() {
      const row = await database.db
        .selectFrom('executions')
        .select('execution_id')
        .where('owner_id', '=', scene.owner.ownerId)
        .executeTakeFirstOrThrow()
      return row.execution_id
    },
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

const CANCELLED = { status: 'failed', finishReason: 'cancelled', error: { message: expect.any(String) } }

describeEngines('a caller who disconnects', (engine) => {
  const database = useDatabase(engine)

  // holds EXE-07, EXE-12, EXE-14
  test('ends the model call, and its usage is metered', async () => {
    const { service, stream, settled, lastExecutionId, trace, usage } = await setLeavingScene(database())
    const aborted = deferred()
    service.model.say(async function* ({ signal }) {
      yield { type: 'text', content: 'Once upon' }
      await new Promise<void>((resolve) => signal.addEventListener('abort', resolve))
      aborted.resolve()
      throw new ModelError('The model call was cancelled.', { usage: { inputTokens: 5, outputTokens: 2 } })
    })
    const answer = await stream()
    await answer.next()
    answer.leave()
    await aborted.promise
    await settled()
    expect(await trace(await lastExecutionId())).toMatchObject({ ...CANCELLED, inputTokens: 5, outputTokens: 2 })
    expect(await usage()).toMatchObject({ executions: 1, failed: 1, input_tokens: 5, output_tokens: 2 })
  })

  test('does not end a call in progress: its outcome is recorded, and nothing starts after it', async () => {
    const gate = createGate()
    const scene = await setLeavingScene(database(), {
      handle: {
        echo: async (call) => {
          await gate.enter()
          return { output: call.input }
        },
      },
    })
    const requested = Array.from({ length: 7 }, (_, index) => ({ name: 'echo', input: { text: String(index) } }))
    scene.service.model.say(calls(...requested), text('done'))
    const answer = await scene.stream()
    await answer.next()
    await gate.arrived(5)
    answer.leave()
    await scene.noticed()
    gate.open()
    await scene.settled()
    const recorded = await scene.trace(await scene.lastExecutionId())
    expect(recorded).toMatchObject({ ...CANCELLED, inputTokens: 7, outputTokens: 3 })
    expect(recorded.capabilityCalls).toMatchObject(
      requested.slice(0, 5).map(({ input }) => ({ status: 'completed', input, output: input })),
    )
    expect(scene.endpoint.effects).toHaveLength(5)
    expect(scene.service.model.requests).toHaveLength(1)
  })

  test('is noted in the log line of the request, and one who stays is not', async () => {
    const lines: string[] = []
    const scene = await setLeavingScene(database(), { log: (line) => void lines.push(line) })
    const requests = () => lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request')
    scene.service.model.say(text('Hi.'))
    await (await scene.stream()).rest()
    await eventually(() => expect(requests().at(-1)).toMatchObject({ route: '/v1/runtime/execute', status: 200 }))
    expect(requests().at(-1)).not.toHaveProperty('aborted')
    const held = createGate()
    scene.service.model.say(async function* () {
      await held.enter()
      yield* []
      throw new ModelError('The model call was cancelled.')
    })
    const leave = scene.post('/v1/runtime/execute', { key: scene.runtime.publicKey, body: saying() })
    await held.arrived(1)
    leave()
    await eventually(() => expect(requests().at(-1)).toMatchObject({ route: '/v1/runtime/execute', aborted: true }))
    held.open()
    await scene.settled()
  })

  // holds EXE-12
  test('ends an execution that is answered in one body, too', async () => {
    const { service, runtime, post, settled, lastExecutionId, trace } = await setLeavingScene(database())
    const asked = deferred()
    service.model.say(async function* ({ signal }) {
      asked.resolve()
      await new Promise<void>((resolve) => signal.addEventListener('abort', resolve))
      throw new ModelError('The model call was cancelled.')
    })
    const leave = post('/v1/runtime/execute', { key: runtime.publicKey, body: saying() })
    await asked.promise
    leave()
    await settled()
    expect(await trace(await lastExecutionId())).toMatchObject(CANCELLED)
  })

  test('during admission is noticed before the model is called', async () => {
    const { service, owner, runtime, post, noticed, settled, lastExecutionId, trace } = await setLeavingScene(
      database(),
    )
    const heard: boolean[] = []
    service.model.say(({ signal }) => {
      heard.push(signal.aborted)
      return text('Nobody listens.')
    })
    await database()
      .db.transaction()
      .execute(async (tx) => {
        await tx.updateTable('allowances').set({ full_at: 0 }).where('owner_id', '=', owner.ownerId).execute()
        const leave = post('/v1/runtime/execute', { key: runtime.publicKey, body: saying() })
        while (service.deps.running.size === 0) await nextTurn()
        leave()
        await noticed()
      })
    await settled()
    expect(heard.includes(false)).toBe(false)
    expect(await trace(await lastExecutionId())).toMatchObject({ ...CANCELLED, capabilityCalls: [] })
  })

  test('a broker call without a caller is recorded as cancelled, with the outcome of its call', async () => {
    const gate = createGate()
    const { runtime, post, noticed, settled, lastExecutionId, trace } = await setLeavingScene(database(), {
      handle: {
        echo: async (call) => {
          await gate.enter()
          return { output: call.input }
        },
      },
    })
    const leave = post(`/v1/capabilities/${runtime.runtimeId}/echo`, { body: { input: { text: 'a' } } })
    await gate.arrived(1)
    leave()
    await noticed()
    gate.open()
    await settled()
    expect(await trace(await lastExecutionId())).toMatchObject({
      ...CANCELLED,
      capabilityCalls: [{ status: 'completed', output: { text: 'a' } }],
    })
  })

  test('gets the answer of a broker call by sending it again under its key', async () => {
    const gate = createGate()
    const { runtime, endpoint, service, post, noticed, settled } = await setLeavingScene(database(), {
      handle: {
        echo: async (call) => {
          await gate.enter()
          return { output: call.input }
        },
      },
    })
    const path = `/v1/capabilities/${runtime.runtimeId}/echo`
    const call = { body: { input: { text: 'a' } }, headers: { 'idempotency-key': 'order-17-of-today' } }
    const leave = post(path, call)
    await gate.arrived(1)
    leave()
    await noticed()
    gate.open()
    await settled()
    const repeated = await service.send('POST', path, call)
    expect([repeated.statusCode, repeated.json().output]).toEqual([200, { text: 'a' }])
    expect(endpoint.effects).toHaveLength(1)
  })

  test('or stays connected but never reads is cut off after half a minute', async () => {
    const { service, stream, settled, lastExecutionId, trace } = await setLeavingScene(database())
    const sockets: Socket[] = []
    service.app.server.on('connection', (socket) => void sockets.push(socket))
    const chunk = 'x'.repeat(1024 * 1024)
    let spoken = 0
    let isStopped = false
    service.model.say(async function* ({ signal }) {
      signal.addEventListener('abort', () => {
        isStopped = true
      })
      for (; spoken < 200 && !signal.aborted; spoken += 1) yield { type: 'text', content: chunk }
      yield* text('.')
    })
    await stream()
    await eventually(() => expect(sockets.map((socket) => socket.timeout)).toEqual([30_000]))
    // How long it may take is not what is tried here.
    sockets[0]?.setTimeout(100)
    await eventually(() => expect(isStopped).toBe(true))
    await settled()
    expect(spoken).toBeLessThan(200)
    expect(await trace(await lastExecutionId())).toMatchObject(CANCELLED)
  })
})
