import { createServer, type Socket } from 'node:net'
import { parentPort } from 'node:worker_threads'
import { listenOnFreePort } from '@svc/testkit'
import { WAYS } from './misbehave.ts'

/** Requests by their path, which is `/<way>/<round>`. */
const hits = new Map<string, number>()

const server = createServer({ allowHalfOpen: true }, (socket) => {
  let heard = Buffer.alloc(0)
  socket.on('error', () => socket.destroy())
  socket.on('end', () => socket.end())
  socket.on('data', (piece) => {
    heard = Buffer.concat([heard, Buffer.from(piece)])
    const request = wholeRequest(heard)
    if (request === null) return
    heard = heard.subarray(request.bytes)
    answer(socket, request.path)
  })
})

const { port } = await listenOnFreePort(server)
parentPort?.on('message', () => parentPort?.postMessage({ kind: 'hits', hits: [...hits] }))
parentPort?.postMessage({ kind: 'listening', port })

function answer(socket: Socket, path: string): void {
  const index = hits.get(path) ?? 0
  hits.set(path, index + 1)
  const way = WAYS.get(path.split('/')[1] ?? '')
  if (way) way(socket, index)
  else socket.destroy()
}

function wholeRequest(heard: Buffer): { path: string; bytes: number } | null {
  const end = heard.indexOf('\r\n\r\n')
  if (end === -1) return null
  const head = heard.toString('latin1', 0, end)
  const bytes = end + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
  const path = /^POST (\S+)/.exec(head)?.[1] ?? ''
  return heard.length < bytes ? null : { path, bytes }
}
