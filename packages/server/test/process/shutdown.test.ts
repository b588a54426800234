import { connect } from 'node:net'
import { join } from 'node:path'
import { ExecutionList, type StreamEvent, Trace } from '@svc/contract'
import SqliteDatabase from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import type { Gate } from '../support/deferred.ts'
import { openStream } from '../support/event-stream.ts'
import { saying } from '../support/scene.ts'
import { keptConnection, untilPortIsClosed } from './connections.ts'
import { startGatedEcho } from './gated-echo.ts'
import { ask, createOwner, publish } from './operator.ts'
import { startServerHere } from './server-here.ts'
import { createFolder, startServerProcess } from './server-process.ts'

interface LiveServer<Server> {
  server: Server
  environment: Readonly<Record<string, string>>
  apiKey: string
  publicKey: string
  deployKey: string
  runtimeId: string
  /** Where every capability call waits. */
  gate: Gate
}

/** A server whose model calls a capability, hears its answer, and speaks. */
async function startLiveServer<Server extends { url: string }>(
  start: (environment: Readonly<Record<string, string>>) => Promise<Server>,
): Promise<LiveServer<Server>> {
  const { gate, double, endpoint } = await startGatedEcho()
  const environment = {
    SVC_DATA_DIR: createFolder(),
    SVC_MODEL: 'openai-compatible:test-model',
    SVC_MODEL_BASE_URL: double.baseUrl,
  }
  const server = await start(environment)
  const { apiKey } = await createOwner(environment)
  const { publicKey, deployKey, runtimeId } = await publish(server.url, apiKey, endpoint)
  return { server, environment, apiKey, publicKey, deployKey, runtimeId, gate }
}

async function streamToItsEnd({
  server,
  publicKey,
}: Pick<LiveServer<{ url: string }>, 'server' | 'publicKey'>): Promise<StreamEvent | undefined> {
  const stream = await openStream(`${server.url}/v1/runtime/execute`, { key: publicKey, body: saying() })
  return (await stream.rest()).at(-1)
}

// holds OPS-03
test('SIGTERM under running streams: all that was let in is answered, what still comes is refused, and the exit code is 0', async () => {
  const live = await startLiveServer(startServerProcess)
  const { server, publicKey, runtimeId, gate } = live
  const streams = Array.from({ length: 15 }, () => streamToItsEnd(live))
  const execute = () => ask(`${server.url}/v1/runtime/execute`, { key: publicKey, body: saying() })
  const wholes = Array.from({ length: 15 }, execute)
  const brokered = Array.from({ length: 15 }, () =>
    ask(`${server.url}/v1/capabilities/${runtimeId}/echo`, { body: {} }),
  )
  // The head of a stream leaves before the signal, so that its connection stays open.
  const [whole, stream] = [keptConnection(server), keptConnection(server)]
  whole.send(executeRequest(publicKey, 'application/json'))
  stream.send(executeRequest(publicKey, 'text/event-stream'))
  await gate.arrived(47)
  server.child.kill('SIGTERM')
  await untilPortIsClosed(server)
  stream.send(executeRequest(publicKey, 'application/json'))
  gate.open()
  for (const last of await Promise.all(streams)) expect(last).toMatchObject({ type: 'done', status: 'completed' })
  for (const answer of await Promise.all(wholes))
    expect(answer).toMatchObject({ status: 200, body: { status: 'completed' } })
  for (const answer of await Promise.all(brokered)) expect(answer).toMatchObject({ status: 200 })
  expect(await whole.heard).toMatch(/^HTTP\/1\.1 200[\s\S]*connection: close[\s\S]*"status":"completed"/i)
  const [, streamed, refused] = (await stream.heard).split('HTTP/1.1 ')
  expect(streamed).toMatch(/^200[\s\S]*event: done/)
  expect(refused).toMatch(/^429[\s\S]*retry-after: 1[\s\S]*The service is restarting\. Nothing was done/i)
  expect(refused).toMatch(/^connection: close/im)
  expect(await server.ended).toMatchObject({ code: 0, signal: null })

  const next = await startServerHere(live.environment)
  const { body } = await ask(`${next.url}/v1/executions?limit=200`, { key: live.apiKey })
  const { executions } = ExecutionList.parse(body)
  expect(executions.map(({ status }) => status)).toEqual(Array.from({ length: 47 }, () => 'completed'))
})

function executeRequest(publicKey: string, accept: string): string {
  const body = JSON.stringify(saying())
  return [
    `POST /v1/runtime/execute HTTP/1.1\r\nhost: svc\r\ncontent-type: application/json\r\naccept: ${accept}`,
    `authorization: Bearer ${publicKey}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  ].join('\r\n')
}

test('a request that is no execution is answered too, where it came before the signal', async () => {
  const { server, environment, deployKey } = await startLiveServer(startServerHere)
  const writer = new SqliteDatabase(join(environment['SVC_DATA_DIR'] ?? '', 'svc.db'))
  onTestFinished(() => void writer.close())
  writer.exec('begin immediate')
  const head = `host: svc\r\nauthorization: Bearer ${deployKey}\r\ncontent-length: 0\r\n\r\n`
  // In one packet, so that the second one has been read when the first one is answered.
  const both = `GET /health HTTP/1.1\r\n${head}POST /v1/runtime/heartbeat HTTP/1.1\r\n${head}`
  const { port, hostname } = new URL(server.url)
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  let heard = ''
  const ended = new Promise((resolve, reject) => socket.once('end', resolve).once('error', reject))
  socket.on('data', (piece) => {
    heard += piece
  })
  const answered = new Promise((resolve) => socket.once('data', resolve))
  socket.write(both)
  await answered
  const stopped = server.stop()
  await untilPortIsClosed(server)
  writer.exec('rollback')
  await ended
  expect(heard.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200'])
  expect(heard).toContain('lastSeenAt')
  await stopped
})

test('an idle server ends at once, whatever connections others keep open', async () => {
  const server = await startServerHere({ SVC_DATA_DIR: createFolder(), SVC_MODEL: 'demo:rules' })
  const { port, hostname } = new URL(server.url)
  const silent = connect(Number(port), hostname)
  onTestFinished(() => void silent.destroy())
  silent.on('error', () => undefined)
  await new Promise((resolve) => silent.once('connect', resolve))
  const startedAt = performance.now()
  await server.stop()
  expect(performance.now() - startedAt).toBeLessThan(5_000)
})

test('a second signal is somebody who will not wait', async () => {
  const live = await startLiveServer(startServerProcess)
  const stream = streamToItsEnd(live)
  stream.catch(() => undefined)
  await live.gate.arrived(1)
  live.server.child.kill('SIGTERM')
  await untilPortIsClosed(live.server)
  live.server.child.kill('SIGTERM')
  expect(await live.server.ended).toMatchObject({ code: 1 })
  await expect(stream).rejects.toThrow()
})

// holds TRC-23
test('what kill -9 interrupted is failed at the next start, its call’s outcome unknown, and it was charged', async () => {
  const live = await startLiveServer(startServerProcess)
  const streams = Array.from({ length: 5 }, () => streamToItsEnd(live))
  const broken = Promise.allSettled(streams)
  await live.gate.arrived(5)
  live.server.child.kill('SIGKILL')
  expect(await live.server.ended).toMatchObject({ signal: 'SIGKILL' })
  await broken

  const next = await startServerHere(live.environment)
  const list = await ask(`${next.url}/v1/executions`, { key: live.apiKey })
  const { executions } = ExecutionList.parse(list.body)
  expect(executions).toHaveLength(5)
  for (const { executionId } of executions) {
    const { body } = await ask(`${next.url}/v1/executions/${executionId}`, { key: live.apiKey })
    expect(Trace.parse(body)).toMatchObject({
      status: 'failed',
      finishReason: 'error',
      completedAt: expect.any(String),
      capabilityCalls: [
        {
          status: 'unknown',
          input: { text: 'a' },
          output: null,
          error: { message: expect.stringContaining('unknown') },
        },
      ],
    })
  }
  live.gate.open()
  const again = { ...live, server: next }
  expect(await streamToItsEnd(again)).toMatchObject({ type: 'done', status: 'completed' })
})
