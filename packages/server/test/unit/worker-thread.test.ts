import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { createWorkerThread } from '../../src/lib/worker-thread.ts'

/** A thread that answers what it is told to, part by part, and counts its jobs; `hang` and `die` are no answers. */
const PROGRAM = `
  const { parentPort, workerData } = require('node:worker_threads')
  parentPort.on('message', (parts) => {
    for (const part of parts) {
      if (part === 'hang') for (;;) Math.random()
      if (part === 'die') throw new Error('broken')
      if (part === 'grow') for (const all = [];;) all.push(new Array(100_000).fill(all.length))
      parentPort.postMessage(part)
    }
    Atomics.store(workerData, 0, workerData[0] + 1)
    Atomics.notify(workerData, 0)
  })
  parentPort.postMessage('ready')
`

function startThread(program = PROGRAM) {
  const workers: Worker[] = []
  const answered = new Int32Array(new SharedArrayBuffer(4))
  const thread = createWorkerThread<readonly string[], string>(() => {
    const worker = new Worker(program, {
      eval: true,
      workerData: answered,
      resourceLimits: { maxOldGenerationSizeMb: 32 },
    })
    workers.push(worker)
    return worker
  })
  onTestFinished(() => thread.close())
  return { thread, workers, answered }
}

const PLENTY = 30_000

test('one thread answers all jobs, with one part for each limit', async () => {
  const { thread, workers } = startThread()
  expect(await thread.run(['a', 'b'], [PLENTY, PLENTY])).toEqual(['a', 'b'])
  expect(await thread.run([], [])).toEqual([])
  expect(await thread.run(['c'], [PLENTY])).toEqual(['c'])
  expect(workers).toHaveLength(1)
})

test('a thread that is late with a part is stopped; earlier parts are kept, and the next job has a new thread', async () => {
  const { thread, workers } = startThread()
  expect(await thread.run(['a', 'hang', 'c'], [PLENTY, 50, PLENTY])).toEqual(['a'])
  expect(await thread.run(['d'], [PLENTY])).toEqual(['d'])
  expect(workers).toHaveLength(2)
})

test('a part that arrives while the event loop is blocked is not late', async () => {
  const { thread, workers, answered } = startThread()
  await thread.run(['a'], [PLENTY])
  const limitMs = 50
  const running = thread.run(['b'], [limitMs])
  // The job is sent in a microtask. From then on nothing of this thread runs until it is answered and its limit is over.
  await Promise.resolve()
  for (let jobs = 0; jobs < 2; jobs = Atomics.load(answered, 0)) {
    if (Atomics.wait(answered, 0, jobs, PLENTY) === 'timed-out') break
  }
  Atomics.wait(answered, 0, 2, limitMs * 2)
  expect(await running).toEqual(['b'])
  expect(workers).toHaveLength(1)
})

test('a job that takes too much memory has no more parts, and the next job has a new thread', async () => {
  const { thread, workers } = startThread()
  expect(await thread.run(['a', 'grow'], [PLENTY, PLENTY])).toEqual(['a'])
  expect(await thread.run(['b'], [PLENTY])).toEqual(['b'])
  expect(workers).toHaveLength(2)
})

test('a thread that throws rejects the job, and the next one has a new thread', async () => {
  const { thread } = startThread()
  await expect(thread.run(['die'], [PLENTY])).rejects.toThrow('broken')
  expect(await thread.run(['a'], [PLENTY])).toEqual(['a'])
})

test('a thread that does not start is started again with the next job', async () => {
  const { thread, workers } = startThread('throw new Error("not here")')
  await expect(thread.run(['a'], [PLENTY])).rejects.toThrow('not here')
  await expect(thread.run(['a'], [PLENTY])).rejects.toThrow('not here')
  expect(workers).toHaveLength(2)
})

test('no thread is started after close', async () => {
  const { thread, workers } = startThread()
  await thread.close()
  await expect(thread.run(['a'], [PLENTY])).rejects.toThrow()
  expect(workers).toHaveLength(0)
})
