import { type CapabilityResult, ClientError, pollCapability } from '@svc/widget'
import { describe, expect, test } from 'vitest'
import { createTestClock, createTestVisibility, settled } from './support/test-clock.ts'

type Answer = () => CapabilityResult | Promise<CapabilityResult>

const answered = (output: unknown): CapabilityResult => ({ executionId: 'e', output, error: null, durationMs: 1 })
const open: Answer = () => answered('open')
const paid: Answer = () => answered('paid')
const failed: Answer = () => ({ executionId: 'e', output: null, error: { message: 'no' }, durationMs: 1 })

function start(answers: Answer[], options: { intervalMs?: number; timeoutMs?: number } = {}) {
  const { intervalMs = 3000, timeoutMs = 60_000 } = options
  const clock = createTestClock()
  const visibility = createTestVisibility()
  const stop = new AbortController()
  const began = clock.now()
  const polledAt: number[] = []
  let underWay = 0
  let mostUnderWay = 0
  const client = {
    async callCapability() {
      polledAt.push(clock.now() - began)
      underWay += 1
      mostUnderWay = Math.max(mostUnderWay, underWay)
      try {
        return (await (answers.length > 1 ? answers.shift() : answers[0])?.()) ?? answered(null)
      } finally {
        underWay -= 1
      }
    },
  }
  const end = pollCapability(
    { client, clock, visibility },
    {
      capability: 'order-status',
      input: {},
      intervalMs,
      deadlineAt: began + timeoutMs,
      isSettled: (output) => output === 'paid',
      signal: stop.signal,
    },
  )
  end.catch(() => undefined)
  return { clock, visibility, stop, end, polledAt, mostUnderWay: () => mostUnderWay }
}

describe('a poll', () => {
  test('asks at intervals until the output is settled', async () => {
    const poll = start([open, open, paid])
    await poll.clock.advance(20_000)
    expect(await poll.end).toEqual({ type: 'settled', output: 'paid' })
    expect(poll.polledAt).toEqual([3000, 6000, 9000])
    expect(poll.clock.pending).toBe(0)
  })

  // holds WID-03
  test('does not ask more often than once a second', async () => {
    const poll = start([open], { intervalMs: 5, timeoutMs: 3500 })
    await poll.clock.advance(10_000)
    expect(await poll.end).toEqual({ type: 'expired' })
    expect(poll.polledAt).toEqual([1000, 2000, 3000])
  })

  test('asks a last time at its deadline, and ends', async () => {
    const poll = start([open], { intervalMs: 4000, timeoutMs: 10_000 })
    await poll.clock.advance(60_000)
    expect(await poll.end).toEqual({ type: 'expired' })
    expect(poll.polledAt).toEqual([4000, 8000, 10_000])
  })

  test('keeps the second between two polls however late the answer to the first came', async () => {
    let answer: (result: CapabilityResult) => void = () => undefined
    const poll = start([() => new Promise((resolve) => (answer = resolve)), open], { intervalMs: 1000 })
    await poll.clock.advance(6500)
    answer(answered('open'))
    await poll.clock.advance(999)
    expect(poll.polledAt).toEqual([1000])
    await poll.clock.advance(1)
    expect(poll.polledAt).toEqual([1000, 7500])
  })

  test('takes an answer that does not come as lost, asks again, and ends at its deadline', async () => {
    const never: Answer = () => new Promise(() => undefined)
    const poll = start([never], { timeoutMs: 50_000 })
    await poll.clock.advance(50_000)
    expect(await poll.end).toEqual({ type: 'expired' })
    expect([poll.polledAt, poll.clock.pending]).toEqual([[3000, 34_000], 0])
  })

  test('asks at once when the page is returned to, though not within a second of the last time', async () => {
    const poll = start([open], { intervalMs: 30_000 })
    await poll.clock.advance(5000)
    poll.visibility.show()
    await poll.clock.advance(0)
    expect(poll.polledAt).toEqual([5000])
    poll.visibility.show()
    await poll.clock.advance(200)
    poll.visibility.show()
    await poll.clock.advance(800)
    expect(poll.polledAt).toEqual([5000, 6000])
    await poll.clock.advance(30_000)
    expect(poll.polledAt).toEqual([5000, 6000, 36_000])
  })

  test('has one request under way at most, however often the page is returned to', async () => {
    let answer: (result: CapabilityResult) => void = () => undefined
    const poll = start([() => new Promise((resolve) => (answer = resolve)), paid])
    await poll.clock.advance(3000)
    poll.visibility.show()
    await poll.clock.advance(20_000)
    expect(poll.polledAt).toEqual([3000])
    answer(answered('open'))
    await poll.clock.advance(10_000)
    expect(poll.mostUnderWay()).toBe(1)
    expect(await poll.end).toMatchObject({ type: 'settled' })
  })

  test('asks again after failures of the capability and of the network', async () => {
    const lost: Answer = () => Promise.reject(new ClientError('unreachable', 'gone'))
    const poll = start([failed, lost, paid])
    await poll.clock.advance(20_000)
    expect(await poll.end).toMatchObject({ type: 'settled' })
  })

  test('waits for as long as the service says, also when the page is returned to', async () => {
    const limited: Answer = () => Promise.reject(new ClientError('rate_limited', 'slow', { retryAfterMs: 20_000 }))
    const poll = start([limited, paid])
    await poll.clock.advance(4000)
    poll.visibility.show()
    await poll.clock.advance(30_000)
    expect(poll.polledAt).toEqual([3000, 23_000])
  })

  test('does not ask at all where its deadline lies within the time that the service wants to be left alone', async () => {
    const limited: Answer = () => Promise.reject(new ClientError('rate_limited', 'slow', { retryAfterMs: 3_600_000 }))
    for (const isReturnedTo of [false, true]) {
      const poll = start([limited, paid], { timeoutMs: 600_000 })
      await poll.clock.advance(4000)
      if (isReturnedTo) poll.visibility.show()
      await poll.clock.advance(595_999)
      await expect(Promise.race([poll.end, 'waiting'])).resolves.toBe('waiting')
      await poll.clock.advance(1)
      expect([await poll.end, poll.polledAt]).toEqual([{ type: 'expired' }, [3000]])
    }
  })

  test.each(['unauthorized', 'forbidden', 'not_found', 'invalid'] as const)('gives up on %s', async (kind) => {
    const poll = start([() => Promise.reject(new ClientError(kind, 'no'))])
    await poll.clock.advance(3000)
    expect(await poll.end).toMatchObject({ type: 'refused', error: { kind } })
  })

  test('ends at once when it is stopped, and leaves neither timer nor listener', async () => {
    const poll = start([open])
    await settled()
    poll.stop.abort(new Error('unmounted'))
    await expect(poll.end).rejects.toThrow('unmounted')
    expect([poll.clock.pending, poll.visibility.listeners]).toEqual([0, 0])
    await poll.clock.advance(60_000)
    expect(poll.polledAt).toEqual([])
  })
})
