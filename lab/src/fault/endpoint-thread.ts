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
  if (isFault(way)) commitFault(FAULTS[way].fault, response)
  else setTimeout(good, way === 'slow' ? SLOW_MS : 0, response)
}

function good(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"output":{"order":"A-1001"}}')
}

const { port } = await listenOnFreePort(server)
parentPort?.on('message', () => parentPort?.postMessage([...hits]))
parentPort?.postMessage(port)
