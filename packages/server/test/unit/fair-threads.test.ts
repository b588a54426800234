import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { createFairThreads, type FairThreadsOptions } from '../../src/deployments/fair-threads.ts'

/** A thread that gives back what it is asked, but for what it is to die of. */
const ECHO = `
  const { parentPort } = require('node:worker_threads')
  parentPort.on('message', ({ id, question }) => {
    if (question === 'hang') for (;;) Math.random()
    const hoard = []
    if (question === 'hoard') for (;;) hoard.push(new Array(10_000).fill(0.5))
    parentPort.postMessage({ id, answer: question })
  })
  parentPort.postMessage({ id: 0 })
`
const BUSY = 'come again'
const OPTIONS = {
  threads: 1,
  startWorker: () => new Worker(ECHO, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 16 } }),
  answerMs: 60_000,
  waitMs: 1_000,
  busy: () => new Error(BUSY),
}

function startThreads(options: Partial<FairThreadsOptions> = {}) {
  const threads = createFairThreads<string, string>({ ...OPTIONS, ...options })
  onTestFinished(() => threads.close())
  return threads
}

test('however many have waited too long at once, each is told so, and the next to ask is answered', async () => {
  const clock = { now: 0 }
  const count = 20_000
  const threads = startThreads({ now: () => clock.now, waiting: { maxCount: count, maxCountOfOwner: count } })
  const first = threads.ask('a', 'first', 0)
  const late = Array.from({ length: count }, () => threads.ask('a', 'late', 0).catch((error: Error) => error.message))
  clock.now = OPTIONS.waitMs + 1
  expect(await first).toEqual({ ok: true, answer: 'first' })
  expect(new Set(await Promise.all(late))).toEqual(new Set([BUSY]))
  expect(await threads.ask('a', 'next', 0)).toEqual({ ok: true, answer: 'next' })
})

test('tells a thread that was stopped from one that had too little memory', async () => {
  const threads = startThreads({ answerMs: 5_000 })
  expect(await threads.ask('a', 'hoard', 0)).toEqual({ ok: false, lack: 'memory' })
  const impatient = startThreads({ answerMs: 100 })
  expect(await impatient.ask('a', 'hang', 0)).toEqual({ ok: false, lack: 'time' })
})
