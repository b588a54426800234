import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { ErrorBody } from '@svc/contract'
import { listenOnFreePort } from '@svc/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { createGate } from '../support/deferred.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { connectTo, listenLocally, postText } from '../support/raw-http.ts'
import { saying, setScene } from '../support/scene.ts'

const GET_HEALTH = 'GET /health HTTP/1.1\r\nhost: a\r\n\r\n'
const AS_MANY_AS_ARE_OWED = 8

// What a connection is owed is the same on every engine.
describeEngine('sqlite', 'a connection with an execute in progress', (engine) => {
  const database = useDatabase(engine)

  /** An execute over a connection, whose model says nothing until the gate opens. */
  async function setExecute() {
    const scene = await setScene(database())
    const { runtime, service } = scene
    const gate = createGate()
    onTestFinished(gate.open)
    service.model.say(async function* ({ signal }) {
      signal.addEventListener('abort', gate.open)
      await gate.enter()
      yield { type: 'end', reason: 'stop', usage: { inputTokens: 0, outputTokens: 0 } }
    })
    const headers = { authorization: `Bearer ${runtime.publicKey}` }
    const executeText = postText('/v1/runtime/execute', saying(), headers)
    const requests = () => service.deps.requests.size
    const running = () => service.deps.running.size
    return { ...scene, gate, executeText, requests, running }
  }

  test('waits for up to eight answers, which arrive in order', async () => {
    const { service, gate, executeText, requests } = await setExecute()
    const socket = connectTo(await listenLocally(service.app), executeText + GET_HEALTH.repeat(AS_MANY_AS_ARE_OWED - 1))
    let heard = ''
    socket.on('data', (bytes: Buffer) => {
      heard += bytes.toString()
    })
    await gate.arrived(1)
    await eventually(() => expect(requests()).toBe(AS_MANY_AS_ARE_OWED))
    gate.open()
    await eventually(() => expect(statuses(heard)).toEqual(Array<string>(AS_MANY_AS_ARE_OWED).fill('200')))
    expect(heard.indexOf('"executionId"')).toBeLessThan(heard.indexOf('"status":"ok"'))
    socket.destroy()
  })

  test.each(['its own address', 'another address'])(
    'is closed at the ninth request, and all of its work ends: %s',
    async (address) => {
      const { service, executeText, requests, running } = await setExecute()
      await service.app.ready()
      const listen = async () => {
        if (address === 'its own address') return listenLocally(service.app)
        const { port, close } = await listenOnFreePort(createServer(service.app.routing))
        onTestFinished(close)
        return port
      }
      const socket = connectTo(await listen(), executeText + GET_HEALTH.repeat(AS_MANY_AS_ARE_OWED))
      const heard = textOf(socket).catch(() => '')
      expect(await heard).toBe('')
      await eventually(() => expect([requests(), running(), service.deps.inFlight.accounts]).toEqual([0, 0, 0]))
    },
  )

  test('may carry any number of requests, each after the answer to the one before', async () => {
    const { service } = await setExecute()
    const socket = connectTo(await listenLocally(service.app), '')
    for (let count = 0; count < 3 * AS_MANY_AS_ARE_OWED; count += 1) {
      socket.write(GET_HEALTH)
      expect(await nextPiece(socket)).toContain('HTTP/1.1 200')
    }
  })

  test.each([
    ['is kept, however long it is silent, where the answer has not begun', 'application/json', false],
    ['is cut off once nothing of an answer that has begun is taken', 'text/event-stream', true],
  ])('%s', async (_, accept, isCutOff) => {
    const { service, gate, runtime } = await setExecute()
    const { server } = service.app
    const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve))
    const headers = { authorization: `Bearer ${runtime.publicKey}`, accept }
    const port = await listenLocally(service.app)
    connectTo(port, postText('/v1/runtime/execute', saying(), headers)).on('error', () => {})
    await gate.arrived(1)
    const connection = await accepted
    expect([server.timeout, connection.timeout]).toEqual([30_000, 30_000])
    server.emit('timeout', connection)
    expect(connection.destroyed).toBe(isCutOff)
  })

  test('is closed without an answer if no request follows, since a refusal would be taken for the answer', async () => {
    const { service, gate, executeText } = await setExecute()
    const socket = connectTo(await listenLocally(service.app), executeText)
    const heard = textOf(socket)
    await gate.arrived(1)
    socket.write('no request\r\n\r\n')
    expect(await heard).toBe('')
  })
})

describeEngine('sqlite', 'a body that violates HTTP', (engine) => {
  const database = useDatabase(engine)

  const chunked = (path: string, key: string) =>
    `POST ${path} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\n` +
    'content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n'

  test('is answered with 400 if its own request is waiting', async () => {
    const { service, runtime } = await setScene(database())
    const socket = connectTo(
      await listenLocally(service.app),
      `${chunked('/v1/runtime/execute', runtime.publicKey)}no length\r\n`,
    )
    const [head = '', body = ''] = (await textOf(socket)).split('\r\n\r\n')
    expect(head).toContain('HTTP/1.1 400')
    expect(Object.keys(ErrorBody.parse(JSON.parse(body)).error.details?.fieldErrors ?? {})).toEqual(['request'])
  })

  test('is not answered again if its request has had its answer', async () => {
    const { service } = await setScene(database())
    const socket = connectTo(await listenLocally(service.app), chunked('/v1/runtime/execute', 'unknown'))
    const heard = textOf(socket)
    await nextPiece(socket)
    socket.write('no length\r\n')
    expect(statuses(await heard)).toEqual(['401'])
  })
})

function statuses(heard: string): string[] {
  return [...heard.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = '']) => status)
}

function nextPiece(socket: Socket): Promise<string> {
  return new Promise((resolve) => socket.once('data', (piece: Buffer) => resolve(piece.toString())))
}
