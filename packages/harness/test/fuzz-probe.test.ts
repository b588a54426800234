import { createServer, type ServerResponse } from 'node:http'
import { listenOnFreePort } from '@svc/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { HEALTH, startProbe } from '../src/fuzz/support/probe.ts'

test('a stall is met by every request that is due while it lasts', async () => {
  const held: ServerResponse[] = []
  let isOver = false
  const { port, close } = await listenOnFreePort(
    createServer((_, response) => {
      held.push(response)
      // None is answered before four wait: a caller of one after the other would wait for ever.
      if (held.length >= 4 || isOver) for (const one of held.splice(0)) one.end('fine')
    }),
  )
  onTestFinished(close)
  const probe = startProbe({ port, everyMs: 5, request: HEALTH })
  await expect.poll(() => probe.notes.latenciesMs.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(8)
  isOver = true
  const stopping = probe.stop()
  for (const one of held.splice(0)) one.end('fine')
  const { failures, latenciesMs, lateMs } = await stopping
  expect([failures, latenciesMs.length >= 8, lateMs.length]).toEqual([0, true, latenciesMs.length])
})
