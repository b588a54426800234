import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { createFairThreads, type FairThreadsOptions } from '../../src/deployments/fair-threads.ts'
import { Stop } from '../../src/stop-signal.ts'

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

test('who has left leaves the place in line at once, and is not answered when its turn comes', async () => {
  const asked: unknown[] = []
  const startWorker = () => {
    const worker = OPTIONS.startWorker()
    const post = worker.postMessage.bind(worker)
    worker.postMessage = (message) => {
      asked.push(message.question)
      post(message)
    }
    return worker
  }
  const threads = startThreads({ startWorker, waitMs: 60_000, waiting: { maxCountOfOwner: 1 } })
  const [leaving, staying, gone] = [new Stop(), new Stop(), new Stop()]
  const first = threads.ask('a', 'first', 0)
  const left = threads.ask('a', 'left', 0, { signal: leaving, door: 'page' })
  await expect(threads.ask('a', 'too many', 0)).rejects.toThrow(BUSY)
  leaving.abort()
  await expect(left).rejects.toThrow(BUSY)
  gone.abort()
  await expect(threads.ask('a', 'gone', 0, { signal: gone, door: 'page' })).rejects.toThrow(BUSY)
  const stayed = threads.ask('a', 'stayed', 0, { signal: staying, door: 'page' })
  expect([await first, await stayed]).toEqual([
    { ok: true, answer: 'first' },
    { ok: true, answer: 'stayed' },
  ])
  expect(asked).toEqual(['first', 'stayed'])
})

test('what has waited too long is told so then, not when the thread comes free', async () => {
  const threads = startThreads({ waitMs: 50 })
  let isStuck = true
  const stuck = threads.ask('a', 'hang', 0).catch(() => undefined)
  void stuck.finally(() => {
    isStuck = false
  })
  await expect(threads.ask('b', 'waiting', 0)).rejects.toThrow(BUSY)
  expect(isStuck).toBe(true)
})

test('tells a thread that was stopped from one that had too little memory', async () => {
  const threads = startThreads({ answerMs: 5_000 })
  expect(await threads.ask('a', 'hoard', 0)).toEqual({ ok: false, lack: 'memory' })
  const impatient = startThreads({ answerMs: 100 })
  expect(await impatient.ask('a', 'hang', 0)).toEqual({ ok: false, lack: 'time' })
})
