import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { createOpsApp } from '../../src/http/ops-app.ts'

test('the operations port says that it closes a connection that carried no request', async () => {
  const checks = { database: 'ok', lease: 'held', state: 'serving' } as const
  const readiness = { read: async () => ({ ready: true, checks }), drain: () => {} }
  const metrics = { contentType: 'text/plain', text: async () => '' }
  const ops = createOpsApp({ readiness, metrics })
  onTestFinished(() => ops.close())
  const port = Number(new URL(await ops.listen({ port: 0 })).port)
  const told = {
    [`GET /live?${'a'.repeat(20_000)} HTTP/1.1\r\nhost: a\r\n\r\n`]: '431 Request Header Fields Too Large',
    'no request\r\n\r\n': '400 Bad Request',
  }
  for (const [broken, status] of Object.entries(told)) {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(broken)
    expect(await text(socket)).toBe(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
  }
})
