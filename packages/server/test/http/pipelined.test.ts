import { createServer } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { listenOnFreePort } from '@svc/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { drain } from '../../src/http/drain.ts'
import type { ModelEvent, ModelRequest } from '../../src/model/model.ts'
import { createGate } from '../support/deferred.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { connectTo, listenLocally, postText } from '../support/raw-http.ts'
import { type Scene, saying, setScene } from '../support/scene.ts'

const PIECE = 'a'.repeat(4_096)
/** After so many of them Node takes no more of an answer that waits for its turn. */
const PIECES = 4
const LONG_TIMES = { drainMs: 60_000, stopMs: 60_000, flushMs: 0 }

const GET_DESCRIPTION = 'GET /openapi.json HTTP/1.1\r\nhost: a\r\n\r\n'

// How Node queues answers is the same on every engine.
describeEngine('sqlite', 'pipelined requests', (engine) => {
  const database = useDatabase(engine)

  function executeText({ runtime }: Scene, accept = 'text/event-stream'): string {
    return postText('/v1/runtime/execute', saying(), { authorization: `Bearer ${runtime.publicKey}`, accept })
  }

  /** Two streamed executes on one connection: one whose model thinks, and one that says more than can wait for its turn. */
  async function setTwoStreams(options: { limits?: { executionMs: number } } = {}) {
    const scene = await setScene(database(), options)
    let said = 0
    const thinking = async function* ({ signal }: ModelRequest): AsyncGenerator<ModelEvent> {
      await new Promise<void>((resolve) => signal.addEventListener('abort', resolve))
    }
    const talking = async function* ({ signal }: ModelRequest): AsyncGenerator<ModelEvent> {
      while (!signal.aborted) {
        said += 1
        yield { type: 'text', content: PIECE }
      }
    }
    scene.service.model.say(thinking, talking)
    const saidEnough = () => eventually(() => expect(said).toBeGreaterThanOrEqual(PIECES))
    return { ...scene, saidEnough, twoStreams: executeText(scene) + executeText(scene) }
  }

  const underWay = ({ service: { deps } }: Scene) => [deps.requests.size, deps.running.size, deps.inFlight.bytes]

  test('all end when their connection closes', async () => {
    const scene = await setTwoStreams()
    const socket = connectTo(await listenLocally(scene.service.app), scene.twoStreams)
    await scene.saidEnough()
    expect(underWay(scene).slice(0, 2)).toEqual([2, 2])
    socket.destroy()
    await eventually(() => expect(underWay(scene)).toEqual([0, 0, 0]))
  })

  test('all end on another of the server’s addresses, too', async () => {
    const scene = await setTwoStreams()
    await scene.service.app.ready()
    const { port, close } = await listenOnFreePort(createServer(scene.service.app.routing))
    onTestFinished(close)
    const socket = connectTo(port, scene.twoStreams)
    await scene.saidEnough()
    socket.destroy()
    await eventually(() => expect(underWay(scene)).toEqual([0, 0, 0]))
  })

  test('do not delay a shutdown after their caller has left', async () => {
    const { service, saidEnough, twoStreams } = await setTwoStreams()
    const socket = connectTo(await listenLocally(service.app), twoStreams)
    await saidEnough()
    socket.destroy()
    await drain(service.app, service.deps, LONG_TIMES)
  })

  test('end at their deadline, each with its result', async () => {
    const { service, saidEnough, twoStreams } = await setTwoStreams({ limits: { executionMs: 1_000 } })
    const socket = connectTo(await listenLocally(service.app), twoStreams)
    const heard: Buffer[] = []
    socket.on('data', (bytes: Buffer) => heard.push(bytes))
    await saidEnough()
    const results = () =>
      Buffer.concat(heard)
        .toString()
        .match(/"type":"done".*"status":"failed"/g) ?? []
    await eventually(() => expect(results()).toHaveLength(2))
    expect([service.deps.requests.size, service.deps.running.size]).toEqual([0, 0])
  })

  test('leave nothing behind without a credential', async () => {
    const gate = createGate()
    let isSet = false
    // A sign-in as an unknown account hashes the password all the same.
    const hash = async () => {
      if (isSet) await gate.enter()
      return 'a hash'
    }
    const scene = await setScene(database(), { passwordHasher: { hash, verify: async () => false } })
    onTestFinished(gate.open)
    const port = await listenLocally(scene.service.app)
    isSet = true
    const signIn = postText('/v1/auth/sign-in', { email: 'a@example.com', password: 'correct horse battery' })
    const sockets = [1, 2, 3].map(() => connectTo(port, signIn + GET_DESCRIPTION.repeat(7)))
    await eventually(() => expect(scene.service.deps.requests.size).toBe(24))
    for (const socket of sockets) socket.destroy()
    await eventually(() => expect(underWay(scene)).toEqual([0, 0, 0]))
  })

  test('get no refusal in the middle of a stream', async () => {
    const scene = await setScene(database())
    const gate = createGate()
    scene.service.model.say(async function* () {
      yield { type: 'text', content: 'Half of' }
      await gate.enter()
    })
    onTestFinished(gate.open)
    const both = executeText(scene) + executeText(scene, 'application/json')
    const socket = connectTo(await listenLocally(scene.service.app), both)
    const heard = textOf(socket)
    await gate.arrived(2)
    socket.write('no request\r\n\r\n')
    const answer = await heard
    expect(answer).toContain('Half of')
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200'])
  })
})
