import { expect, test, vi } from 'vitest'
import { KeyedSemaphore } from '../../src/lib/keyed-semaphore.ts'
import { deferred } from '../support/deferred.ts'

/** A semaphore whose jobs record their start and end when they are told to. */
function setUp(limits: Partial<ConstructorParameters<typeof KeyedSemaphore>[0]> = {}) {
  let now = 0
  const all = { permits: 2, permitsPerKey: 2, waiting: 100, waitingPerKey: 100, ...limits }
  const semaphore = new KeyedSemaphore(all, { now: () => now })
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const run = (key: string, name: string, signal?: AbortSignal) => {
    const gate = deferred<void>()
    ends.set(name, () => gate.resolve())
    return semaphore.run(
      key,
      async () => {
        started.push(name)
        await gate.promise
        return name
      },
      signal,
    )
  }
  const end = async (name: string, afterMs = 0) => {
    now += afterMs
    ends.get(name)?.()
    await new Promise(setImmediate)
  }
  return { semaphore, started, run, end }
}

test('no more jobs run than there are permits, and each waiting one runs once', async () => {
  const semaphore = new KeyedSemaphore({ permits: 3, permitsPerKey: 3, waiting: 1_000, waitingPerKey: 500 })
  let running = 0
  let most = 0
  let done = 0
  const work = async () => {
    running += 1
    most = Math.max(most, running)
    await new Promise(setImmediate)
    running -= 1
    done += 1
  }
  await Promise.all(Array.from({ length: 500 }, (_, at) => semaphore.run(`key ${at % 7}`, work)))
  expect({ most, done, running: semaphore.running, waiting: semaphore.waiting }).toEqual({
    most: 3,
    done: 500,
    running: 0,
    waiting: 0,
  })
})

test('keys alternate, so one job of a second key runs before the rest of the first', async () => {
  const { run, end, started } = setUp({ permits: 1 })
  const jobs = [run('a', 'a1'), run('a', 'a2'), run('a', 'a3'), run('b', 'b1')]
  for (const name of ['a1', 'a2', 'b1', 'a3']) await end(name)
  await Promise.all(jobs)
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3'])
})

test('the key that has used the least time is next, whatever the order of arrival', async () => {
  const { run, end, started } = setUp({ permits: 1 })
  const jobs = [run('a', 'a1'), run('b', 'b1'), run('a', 'a2')]
  await end('a1', 900)
  await end('b1', 700)
  jobs.push(run('c', 'c1'), run('b', 'b2'), run('c', 'c2'))
  for (const name of ['a2', 'c1', 'c2', 'b2']) await end(name, 10)
  await Promise.all(jobs)
  expect(started).toEqual(['a1', 'b1', 'a2', 'c1', 'c2', 'b2'])
})

test('a key that was idle for long counts as at most a second behind the others', async () => {
  const { run, end, started } = setUp({ permits: 1 })
  const alone = [run('a', 'a1'), run('a', 'a2')]
  await end('a1', 60_000)
  const jobs = [run('a', 'a3'), run('b', 'b1'), run('b', 'b2')]
  await end('a2', 10)
  await end('b1', 1_100)
  await end('a3')
  await end('b2')
  await Promise.all([...alone, ...jobs])
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3', 'b2'])
})

test('a key at its own limit leaves the other permits to other keys', async () => {
  const { run, end, started } = setUp({ permits: 4, permitsPerKey: 1 })
  const jobs = [run('a', 'a1'), run('a', 'a2'), run('b', 'b1')]
  expect(started).toEqual(['a1', 'b1'])
  await end('a1')
  expect(started).toEqual(['a1', 'b1', 'a2'])
  await Promise.all([end('b1'), end('a2'), ...jobs])
})

test('a full queue refuses, and says for which keys it is full', async () => {
  const { run, end } = setUp({ permits: 1, waiting: 2, waitingPerKey: 1 })
  const jobs = [run('a', 'a1'), run('a', 'a2')]
  await expect(run('a', 'a3')).rejects.toMatchObject({ reason: 'key' })
  jobs.push(run('b', 'b1'))
  await expect(run('c', 'c1')).rejects.toMatchObject({ reason: 'all' })
  for (const name of ['a1', 'a2', 'b1']) await end(name)
  await Promise.all(jobs)
})

// holds CAP-15
test('keys that fill the queue leave places to others', async () => {
  const { semaphore, run, end, started } = setUp({ permits: 1, waiting: 64, waitingPerKey: 16 })
  const first = run('first', 'first')
  const jobs = ['a', 'b', 'c', 'd', 'e'].flatMap((key) =>
    Array.from({ length: 16 }, (_, at) => Promise.resolve().then(() => run(key, `${key}${at}`))),
  )
  const settled = Promise.allSettled(jobs)
  await new Promise(setImmediate)
  expect(semaphore.waiting).toBeLessThan(64)
  const other = run('other', 'other')
  await end('first')
  while (started.at(-1) !== 'other') await end(started.at(-1) ?? '')
  await end('other')
  expect(await other).toBe('other')
  while (semaphore.running > 0) await end(started.at(-1) ?? '')
  await Promise.all([first, settled])
})

test('a job that is cancelled while it waits never starts and frees its place', async () => {
  const { run, end, started } = setUp({ permits: 1, waiting: 1 })
  const cancel = new AbortController()
  const first = run('a', 'a1')
  const second = run('b', 'b1', cancel.signal)
  cancel.abort()
  await expect(second).rejects.toMatchObject({ reason: 'wait' })
  const third = run('c', 'c1')
  await end('a1')
  await end('c1')
  await Promise.all([first, third])
  expect(started).toEqual(['a1', 'c1'])
  await expect(run('d', 'd1', cancel.signal)).rejects.toMatchObject({ reason: 'wait' })
})

test('a job that fails frees its permit', async () => {
  const { semaphore, run, end } = setUp({ permits: 1 })
  await expect(semaphore.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  const next = run('a', 'a1')
  await end('a1')
  expect(await next).toBe('a1')
})

test('a job that waits too long is refused with the given error and never runs; running jobs go on', async () => {
  vi.useFakeTimers()
  try {
    const limits = { permits: 1, permitsPerKey: 1, waiting: 2, waitingPerKey: 1 }
    const semaphore = new KeyedSemaphore(limits, { waitMs: 1_000, refusal: (reason) => new Error(`late: ${reason}`) })
    const gate = deferred<void>()
    const running = semaphore.run('a', () => gate.promise)
    const late = vi.fn(async () => 'done')
    const waiting = expect(semaphore.run('b', late)).rejects.toThrow('late: wait')
    await vi.advanceTimersByTimeAsync(1_000)
    await waiting
    gate.resolve()
    await running
    expect(late).not.toHaveBeenCalled()
  } finally {
    vi.useRealTimers()
  }
})
