import { createServer } from 'node:http'
import { parentPort } from 'node:worker_threads'
import { listenOnFreePort } from '@svc/testkit'
import { Pool } from 'undici'
import { z } from 'zod'
import type { Probe } from './judge.ts'

/** The healthy tenant: an endpoint that answers at once, and one caller who calls it at an even pace. */
const Order = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('call'), url: z.string(), path: z.string(), everyMs: z.number() }),
  z.object({ kind: z.literal('report') }),
])

const { port } = await listenOnFreePort(
  createServer((request, response) => {
    request.resume().once('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"output":"fine"}')
    })
  }),
)

const probes: Probe[] = []

parentPort?.on('message', (message) => {
  const order = Order.parse(message)
  if (order.kind === 'report') return parentPort?.postMessage({ kind: 'probes', probes })
  const pool = new Pool(order.url, { connections: null, pipelining: 1 })
  setInterval(() => void probe(pool, order.path), order.everyMs)
})
parentPort?.postMessage({ kind: 'listening', port })

async function probe(pool: Pool, path: string): Promise<void> {
  const startedAt = performance.now()
  const isGood = await pool
    .request({ method: 'POST', path, headers: { 'content-type': 'application/json' }, body: '{"input":{}}' })
    .then(async ({ statusCode, body }) => {
      await body.dump()
      return statusCode === 200
    })
    .catch(() => false)
  // Of the machine and not of this thread: every thread counts from its own start.
  probes.push({ at: performance.timeOrigin + startedAt, tookMs: performance.now() - startedAt, isGood })
}
