import { expect, test, vi } from 'vitest'
import { createRunQueue } from '../../src/lib/run-queue.ts'
import { Stop } from '../../src/lib/stop-signal.ts'
import { deferred } from '../support/deferred.ts'

function setUp(waitMs = 60_000) {
  const refusal = () => new Error('too many')
  const limits = { permits: 1, permitsPerKey: 1, waiting: 2, waitingPerKey: 1 }
  const queue = createRunQueue({ limits, waitMs, refusal })
  const gate = deferred<void>()
  const running = queue('a', async () => gate.promise)
  return { queue, running, end: () => gate.resolve() }
}

const work = async () => 'done'

test('a job runs once a permit is free', async () => {
  const { queue, running, end } = setUp()
  const waiting = queue('b', work)
  end()
  await running
  expect(await waiting).toBe('done')
})

test('a job is refused where the queue is full', async () => {
  const { queue, end } = setUp()
  const waiting = queue('b', work)
  await expect(queue('b', work)).rejects.toThrow('too many')
  end()
  expect(await waiting).toBe('done')
})

test('a job that waits too long is refused and never runs; running jobs go on', async () => {
  vi.useFakeTimers()
  try {
    const { queue, running, end } = setUp(1_000)
    const late = vi.fn(work)
    const waiting = expect(queue('b', late)).rejects.toThrow('too many')
    await vi.advanceTimersByTimeAsync(1_000)
    await waiting
    end()
    await running
    expect(late).not.toHaveBeenCalled()
  } finally {
    vi.useRealTimers()
  }
})

test('a job whose signal aborts frees its place; an aborted one never waits', async () => {
  const { queue, running, end } = setUp()
  const stop = new Stop()
  const left = expect(queue('b', work, stop)).rejects.toThrow('too many')
  stop.abort()
  await left
  await expect(queue('b', work, stop)).rejects.toThrow('too many')
  const waiting = queue('b', work)
  end()
  await running
  expect(await waiting).toBe('done')
})

test('an error of the job is thrown unchanged', async () => {
  const { queue, end } = setUp()
  end()
  const failing = async () => {
    throw new Error('broken')
  }
  await expect(queue('b', failing)).rejects.toThrow('broken')
})
