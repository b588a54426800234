import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { createOpsApp } from '../../src/http/ops-app.ts'
import { createGate } from '../support/deferred.ts'
import { eventually } from '../support/eventually.ts'
import { connectTo } from '../support/raw-http.ts'

async function startOps(metricsText = async () => '') {
  const checks = { database: 'ok', lease: 'held', clock: 'ok', state: 'serving' } as const
  const readiness = { read: async () => ({ ready: true, checks }), drain: () => {} }
  const metrics = { contentType: 'text/plain', text: metricsText }
  const ops = createOpsApp({ readiness, metrics })
  onTestFinished(() => ops.close())
  const port = Number(new URL(await ops.listen({ port: 0 })).port)
  return { ops, port }
}

async function answerTo(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(bytes)
  return text(socket)
}

const closing = (status: string) => `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`

test('the operations port logs that it closes a connection without a request', async () => {
  const { port } = await startOps()
  const tooLong = await answerTo(port, `GET /live?${'a'.repeat(20_000)} HTTP/1.1\r\nhost: a\r\n\r\n`)
  expect(tooLong).toBe(closing('431 Request Header Fields Too Large'))
  expect(await answerTo(port, 'no request\r\n\r\n')).toBe(closing('400 Bad Request'))
})

test('the operations port ends an incomplete request at its time limit, without delay', async () => {
  const { ops, port } = await startOps()
  expect(ops.server.requestTimeout).toBe(10_000)
  // How long a request may take is not what is tried here, but how soon it is noticed.
  ops.server.requestTimeout = 1
  expect(await answerTo(port, 'GET /live HTTP/1.1\r\n')).toBe(closing('408 Request Timeout'))
}, 5_000)

test('the operations port closes a connection that requests a ninth pending answer, without another answer', async () => {
  const gate = createGate()
  onTestFinished(gate.open)
  const { port } = await startOps(() => gate.enter().then(() => 'measured'))
  const [metrics, live] = ['metrics', 'live'].map((path) => `GET /${path} HTTP/1.1\r\nhost: a\r\n\r\n`)
  const broken = text(connectTo(port, `${metrics}no request\r\n\r\n`))
  expect(await broken).toBe('')
  const eight = connectTo(port, metrics + `${live}`.repeat(7))
  let heard = ''
  eight.on('data', (bytes: Buffer) => {
    heard += bytes.toString()
  })
  const many = text(connectTo(port, metrics + `${live}`.repeat(20))).catch(() => '')
  expect(await many).toBe('')
  gate.open()
  const statuses = () => [...heard.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
  await eventually(() => expect(statuses()).toEqual(Array<string>(8).fill('200')))
  expect(heard.indexOf('measured')).toBeLessThan(heard.indexOf('"status":"ok"'))
  eight.destroy()
})
