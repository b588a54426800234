import { createServer, type ServerResponse } from 'node:http'
import { parentPort } from 'node:worker_threads'
import { commitFault, listenOnFreePort } from '@svc/testkit'
import { FAULTS, isFault } from './endpoint-ways.ts'

/** Requests by their path, which is `/<way>/<round>`. */
const hits = new Map<string, number>()
const SLOW_MS = 2_000

const server = createServer((request, response) => {
  const path = request.url ?? ''
  hits.set(path, (hits.get(path) ?? 0) + 1)
  request.resume().once('end', () => answer(response, path.split('/')[1] ?? ''))
})

function answer(response: ServerResponse, way: string): void {
  if (isFault(way)) {
    const chosen = FAULTS[way]
    if ('fault' in chosen) commitFault(chosen.fault, response)
    else flood(response, Buffer.from(chosen.flood.repeat(1_000)))
  } else setTimeout(good, way === 'slow' ? SLOW_MS : 0, response)
}

function good(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"output":{"order":"A-1001"}}')
}

function flood({ socket }: ServerResponse, bytes: Buffer): void {
  const more = () => {
    while (socket && !socket.destroyed && socket.write(bytes));
  }
  socket?.on('drain', more).on('error', () => undefined)
  more()
}

const { port } = await listenOnFreePort(server)
parentPort?.on('message', () => parentPort?.postMessage([...hits]))
parentPort?.postMessage(port)
