import { expect, test } from 'vitest'
import { createHashLane, type HashLane } from '../../src/accounts/hash-lane.ts'
import { AppError } from '../../src/errors.ts'
import { deferred } from '../support/deferred.ts'

/** Work that ends when it is told to; `begun` counts what has. */
function createWork() {
  const ends: (() => void)[] = []
  return {
    run: () => new Promise<void>((resolve) => ends.push(resolve)),
    get begun() {
      return ends.length
    },
    end(index: number) {
      ends[index]?.()
    },
  }
}

/** Visits a lane for one hash. */
const hashIn = <T>(lane: HashLane, hash: () => Promise<T>) => lane.visit((place) => place.run(hash))

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('as many as may run at once, and the next one when one has ended', async () => {
  const lane = createHashLane({ parallel: 2, waiting: 10 })
  const work = createWork()
  const all = Array.from({ length: 5 }, () => hashIn(lane, work.run))
  await settled()
  expect(work.begun).toBe(2)
  work.end(1)
  await settled()
  expect(work.begun).toBe(3)
  for (let index = 0; index < 5; index += 1) {
    work.end(index)
    await settled()
  }
  await Promise.all(all)
  const later = Array.from({ length: 3 }, () => hashIn(lane, work.run))
  await settled()
  expect(work.begun).toBe(7)
  for (let index = 5; index < 8; index += 1) {
    work.end(index)
    await settled()
  }
  await Promise.all(later)
})

test('one too many is refused at once, and the others are not', async () => {
  const lane = createHashLane({ parallel: 1, waiting: 2 })
  const work = createWork()
  const taken = [hashIn(lane, work.run), hashIn(lane, work.run), hashIn(lane, work.run)]
  const refusal = await hashIn(lane, work.run).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(AppError)
  expect(refusal).toMatchObject({ code: 'rate_limit_exceeded', headers: { 'retry-after': '1' } })
  for (let index = 0; index < 3; index += 1) {
    work.end(index)
    await settled()
  }
  await Promise.all(taken)
  expect(work.begun).toBe(3)
})

test('work that fails makes room as work that succeeds does', async () => {
  const lane = createHashLane({ parallel: 1, waiting: 2 })
  const failing = () => Promise.reject(new Error('no memory'))
  await expect(hashIn(lane, failing)).rejects.toThrow('no memory')
  await expect(hashIn(lane, async () => 'hash')).resolves.toBe('hash')
})

test('a place that was taken before its hash is kept for it, and lets it in once only', async () => {
  const lane = createHashLane({ parallel: 1, waiting: 1 })
  const [work, drawn] = [createWork(), deferred()]
  const early = lane.visit(async (place) => {
    place.take()
    place.take()
    await drawn.promise
    await place.run(work.run)
    await place.run(work.run)
  })
  const other = hashIn(lane, work.run)
  await expect(hashIn(lane, work.run)).rejects.toBeInstanceOf(AppError)
  drawn.resolve()
  for (let index = 0; index < 3; index += 1) {
    await settled()
    work.end(index)
  }
  await Promise.all([early, other])
  expect(work.begun).toBe(3)
})

test('whoever takes no place keeps none from others, and one who leaves without a hash gives his back', async () => {
  const lane = createHashLane({ parallel: 1, waiting: 0 })
  const over = deferred()
  const idle = lane.visit(() => over.promise)
  await expect(lane.visit(async (place) => place.take())).resolves.toBeUndefined()
  await expect(hashIn(lane, async () => 'hash')).resolves.toBe('hash')
  over.resolve()
  await idle
})
