import { expect, test } from 'vitest'
import { createHashLane } from '../../src/accounts/hash-lane.ts'
import { AppError } from '../../src/errors.ts'

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

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('as many as may run at once, and the next one when one has ended', async () => {
  const lane = createHashLane({ parallel: 2, waiting: 10 })
  const work = createWork()
  const all = Array.from({ length: 5 }, () => lane.run(work.run))
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
  const later = Array.from({ length: 3 }, () => lane.run(work.run))
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
  const taken = [lane.run(work.run), lane.run(work.run), lane.run(work.run)]
  const refusal = await lane.run(work.run).catch((error: unknown) => error)
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
  await expect(lane.run(failing)).rejects.toThrow('no memory')
  await expect(lane.run(async () => 'hash')).resolves.toBe('hash')
})
