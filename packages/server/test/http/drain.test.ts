import { request as httpRequest } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { type DrainTimes, drain } from '../../src/http/drain.ts'
import { createGate } from '../support/deferred.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { openStream, resumeStream } from '../support/event-stream.ts'
import { listenLocally } from '../support/raw-http.ts'
import { saying, setScene } from '../support/scene.ts'
import { text } from '../support/scripted-model.ts'

const nextTurn = () => new Promise(setImmediate)

describeEngine('sqlite', 'a service that is shutting down', (engine) => {
  const database = useDatabase(engine)

  /** A service that has taken the head of a streamed execute, and waits for its body. */
  async function setWaitingScene() {
    const { service, runtime } = await setScene(database())
    const port = await listenLocally(service.app)
    const body = JSON.stringify(saying())
    const request = httpRequest({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/v1/runtime/execute',
      agent: false,
      headers: {
        authorization: `Bearer ${runtime.publicKey}`,
        accept: 'text/event-stream',
        'content-type': 'application/json',
        'content-length': body.length,
      },
    })
    const answered = new Promise<string>((resolve, reject) => {
      request.once('error', reject).once('response', (answer) => resolve(textOf(answer)))
    })
    // It may break off before anybody waits for it.
    answered.catch(() => undefined)
    request.flushHeaders()
    while (service.deps.requests.size === 0) await nextTurn()
    // A connection that is not waited for is cut at once.
    const stop = (times: Partial<DrainTimes> = {}) =>
      drain(service.app, service.deps, { drainMs: 60_000, stopMs: 60_000, flushMs: 0, ...times })
    return { service, request, body, answered, stop }
  }

  test('waits for a request whose body is incomplete, and for its result', async () => {
    const { service, request, body, answered, stop } = await setWaitingScene()
    const gate = createGate()
    service.model.say(async function* () {
      await gate.enter()
      yield* text('All done.')
    })
    const stopped = stop()
    await nextTurn()
    request.end(body)
    await gate.arrived(1)
    expect(service.deps.running.size).toBe(1)
    gate.open()
    const events = await answered
    expect(events).toContain('All done.')
    expect(events).toMatch(/"type":"done".*"status":"completed"/)
    await stopped
    expect([service.deps.requests.size, service.deps.running.size]).toEqual([0, 0])
  })

  test('tells an execution that begins after the time limit, and its model, that it was stopped', async () => {
    const { service, request, body, answered, stop } = await setWaitingScene()
    const heard: boolean[] = []
    service.model.say(({ signal }) => {
      heard.push(signal.aborted)
      return text('Nobody listens.')
    })
    const earlier = service.deps.running.begin('owner_1', 60_000)
    const stopped = stop({ drainMs: 0 })
    while (earlier.stopReason === null) await nextTurn()
    earlier.end()
    request.end(body)
    const events = await answered
    expect(events).toMatch(/"type":"done".*"status":"failed"/)
    expect(heard).not.toContain(false)
    await stopped
  })

  test('lets readers of a stream that runs here in until it ends, and nobody else', async () => {
    const { service, runtime } = await setScene(database())
    const url = `http://127.0.0.1:${await listenLocally(service.app)}`
    const gate = createGate()
    service.model.say(async function* () {
      yield { type: 'text', content: 'First, ' }
      await gate.enter()
      yield* text('last.')
    })
    const key = runtime.publicKey
    const left = await openStream(`${url}/v1/runtime/execute`, { key, body: { ...saying(), detach: true } })
    await left.next()
    const { run } = left
    if (run === null) throw new Error('the stream has told no execution')
    left.leave()
    const stopped = drain(service.app, service.deps, { drainMs: 60_000, stopMs: 60_000, flushMs: 0 })
    const preflight = await fetch(`${url}/v1/runtime/executions/${run.executionId}/events`, { method: 'OPTIONS' })
    expect(preflight.status).toBe(204)
    const execute = fetch(`${url}/v1/runtime/execute`, { method: 'POST', headers: { authorization: `Bearer ${key}` } })
    expect((await execute).status).toBe(429)
    const reader = await resumeStream(url, { key, run })
    expect([reader.status, await reader.next()]).toEqual([200, { type: 'text', content: 'First, ' }])
    gate.open()
    expect((await reader.rest()).map(({ type }) => type)).toEqual(['text', 'done'])
    await stopped
    await expect(fetch(`${url}/health`)).rejects.toThrow()
  })

  test('ends after the time limit, even with requests in progress', async () => {
    const { answered, stop } = await setWaitingScene()
    await stop({ drainMs: 0, stopMs: 0 })
    await expect(answered).rejects.toThrow()
  })
})
