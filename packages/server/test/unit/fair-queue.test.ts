import { describe, expect, test } from 'vitest'
import { FairQueue } from '../../src/deployments/fair-queue.ts'

function filled(...items: readonly (readonly [owner: string, item: string])[]): FairQueue<string> {
  const queue = new FairQueue<string>({ maxWeight: 100, maxWeightOfOwner: 40, maxCount: 8, maxCountOfOwner: 6 })
  for (const [owner, item] of items) queue.push(owner, item, 10)
  return queue
}

function drained(queue: FairQueue<string>): string[] {
  const next = queue.shift()
  return next === undefined ? [] : [next, ...drained(queue)]
}

describe('a fair queue', () => {
  test('serves owners in turn, and each in the order of coming', () => {
    const queue = filled(['a', 'a1'], ['a', 'a2'], ['a', 'a3'], ['b', 'b1'], ['c', 'c1'], ['b', 'b2'])
    expect(drained(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
    expect(queue.shift()).toBeUndefined()
  })

  test('lets no owner take the room of the others, and says whose line is full', () => {
    const queue = filled(['a', '1'], ['a', '2'], ['a', '3'], ['a', '4'])
    expect(queue.push('a', '5', 1)).toBe('owner')
    expect(queue.push('b', '1', 40)).toBeNull()
    expect(queue.push('c', '1', 20)).toBeNull()
    expect(queue.push('c', '2', 1)).toBe('all')
    expect(drained(queue)).toEqual(['1', '1', '1', '2', '3', '4'])
    expect(queue.push('c', '2', 1)).toBeNull()
  })

  test('lets so many wait and no more, of one owner and in all, however light they are', () => {
    const queue = filled()
    const push = (owner: string) => queue.push(owner, 'light', 0)
    expect(Array.from({ length: 7 }, () => push('a'))).toEqual([null, null, null, null, null, null, 'owner'])
    expect([push('b'), push('b'), push('b')]).toEqual([null, null, 'all'])
    queue.shift()
    expect([push('b'), push('b')]).toEqual([null, 'all'])
  })

  test('gives strangers half of an owner’s line, by count and by weight, and the owner what they leave', () => {
    const light = filled()
    const push = (isStrangers: boolean) => light.push('a', 'light', 0, isStrangers)
    expect([push(true), push(true), push(true), push(true)]).toEqual([null, null, null, 'owner'])
    expect([push(false), push(false), push(false), push(false)]).toEqual([null, null, null, 'owner'])
    light.shift()
    expect([push(true), push(true)]).toEqual([null, 'owner'])
    const heavy = filled()
    expect([heavy.push('a', '1', 15, true), heavy.push('a', '2', 6, true)]).toEqual([null, 'owner'])
    expect([heavy.push('a', '3', 25), heavy.push('a', '4', 1)]).toEqual([null, 'owner'])
  })

  test('is left by what no longer waits, wherever in line it is, and its place is free', () => {
    const queue = filled(['a', 'a1'], ['a', 'a2'], ['a', 'a3'], ['b', 'b1'])
    queue.remove('a', 'a2')
    queue.remove('a', 'a2')
    queue.remove('b', 'b1')
    queue.remove('c', 'a1')
    expect(queue.push('a', 'a4', 20)).toBeNull()
    expect(queue.push('a', 'a5', 1)).toBe('owner')
    expect(drained(queue)).toEqual(['a1', 'a3', 'a4'])
    expect(queue.push('b', 'all', 1_000)).toBeNull()
  })

  test('has an eighth more room for owners of whom nothing waits, by count and by weight', () => {
    const light = filled(['a', '1'], ['b', '1'])
    for (const owner of ['a', 'a', 'a', 'b', 'b', 'b']) light.push(owner, 'light', 0)
    expect([light.push('b', 'light', 0), light.push('c', 'light', 0)]).toEqual(['all', null])
    expect([light.push('c', 'light', 0), light.push('d', 'light', 0)]).toEqual(['all', 'all'])
    const heavy = filled()
    for (const owner of ['a', 'b', 'c', 'd']) heavy.push(owner, 'heavy', 25)
    expect([heavy.push('d', 'more', 1), heavy.push('e', 'more', 12)]).toEqual(['all', null])
    expect(heavy.push('f', 'more', 1)).toBe('all')
  })

  test('takes what is larger than any line where nothing else waits', () => {
    const queue = filled()
    expect(queue.push('a', 'large', 1_000)).toBeNull()
    expect(queue.push('a', 'more', 1)).toBe('owner')
    expect(queue.push('b', 'more', 1)).toBe('all')
    expect(drained(queue)).toEqual(['large'])
  })
})
