import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createAnswerThread } from '../../src/dispatch/answer-thread.ts'
import { FAILURES } from '../../src/dispatch/failures.ts'
import { type AnswerBody, readAnswer } from '../../src/dispatch/read-answer.ts'
import { Stop } from '../../src/lib/stop-signal.ts'
import { startWorker } from '../../src/lib/worker-thread.ts'
import { DEFAULT_LIMITS } from '../../src/limits.ts'
import { Secret } from '../../src/secrets/secret.ts'

const BUILT = new URL('../../dist/dispatch/answer-worker.js', import.meta.url)
const TOKEN = 'a-token-of-an-end-user'

function startThread(program?: string, maxHeapMb?: number) {
  if (!existsSync(BUILT)) throw new Error('run “npm run build” first')
  const started: Worker[] = []
  const { read, close } = createAnswerThread(() => {
    const worker = program === undefined ? startWorker(BUILT, maxHeapMb) : new Worker(program, { eval: true })
    started.push(worker)
    return worker
  })
  onTestFinished(close)
  const readBody = (body: AnswerBody, ownerId = 'own_1', signal = new Stop()) => read(body, ownerId, signal)
  return { read: readBody, started }
}

function bodyOf(text: string, limits = DEFAULT_LIMITS): AnswerBody {
  return { body: Buffer.from(text), endUserToken: new Secret(TOKEN), limits }
}

const list = (count: number, of: unknown) => JSON.stringify({ output: Array.from({ length: count }, () => of) })

// holds OUT-16
test('reads what the calling thread would read, however many are asked at once', async () => {
  const { read, started } = startThread()
  const answers = [
    ...[list(20_000, 'x'), list(10_000, TOKEN), list(60_000, 1), 'no JSON', '{"output":1e400}'],
    `{"error":"Nobody knows ${TOKEN}."}`,
  ].map((text) => bodyOf(text))
  const results = await Promise.all(answers.map((answer) => read(answer)))
  for (const [index, answer] of answers.entries()) {
    const expected = readAnswer(answer)
    const named = expected.ok ? expected : { ok: false, failure: expect.objectContaining(expected.failure) }
    expect(results[index]).toEqual(named)
  }
  expect(started).toHaveLength(1)
})

test('an answer whose caller has left is cancelled while it waits', async () => {
  const { read } = startThread()
  const signal = new Stop()
  const [first, second] = [read(bodyOf(list(20_000, 1))), read(bodyOf(list(20_000, 1)), 'own_1', signal)]
  signal.abort()
  expect(await second).toEqual({ ok: false, failure: FAILURES.cancelled })
  expect(await first).toMatchObject({ ok: true })
})

test('a thread that dies costs its answer alone; the next one gets another thread', async () => {
  const { read, started } = startThread(`
    const { parentPort } = require('node:worker_threads')
    parentPort.on('message', () => { throw new Error('a fault of ours') })
    parentPort.postMessage('ready')
  `)
  const one = () => read(bodyOf(list(10, 1)))
  expect(await Promise.all([one(), one()])).toEqual([
    { ok: false, failure: FAILURES.unusable },
    { ok: false, failure: FAILURES.unusable },
  ])
  expect(started).toHaveLength(2)
})

test('an answer that takes too much memory fails alone', async () => {
  const { read, started } = startThread(undefined, 32)
  // A million and a half empty objects, were their number not bounded.
  const limits = { ...DEFAULT_LIMITS, responseValues: Number.POSITIVE_INFINITY }
  const hostile = read(bodyOf(`{"output":[${'{},'.repeat(1_500_000)}{}]}`, limits))
  const other = read(bodyOf(list(20_000, 1)), 'own_2')
  expect(await hostile).toEqual({ ok: false, failure: FAILURES.unusable })
  expect(await other).toMatchObject({ ok: true })
  expect(started).toHaveLength(2)
})

test('an answer that takes too long fails alone', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { read, started } = startThread(`
    const { parentPort } = require('node:worker_threads')
    parentPort.on('message', () => { for (;;) Math.random() })
    parentPort.postMessage('ready')
  `)
  const hostile = read(bodyOf(list(10, 1)))
  await once(started[0] as Worker, 'message')
  await new Promise(setImmediate)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(await hostile).toEqual({ ok: false, failure: FAILURES.unusable })
})
