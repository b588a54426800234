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

  test('gives a door no more of an owner’s line than it leaves free, by count and by weight', () => {
    const light = filled()
    const push = (door?: string) => light.push('a', 'light', 0, door)
    expect([push('x'), push('x'), push('x'), push('x')]).toEqual([null, null, null, 'owner'])
    // What comes next finds a place, however full those before it have made the line.
    expect([push('y'), push('y'), push('z'), push('z')]).toEqual([null, 'owner', null, 'owner'])
    light.shift()
    light.shift()
    expect([push('x'), push('y'), push('x')]).toEqual(['owner', null, 'owner'])
    // Without a door there is nobody else to leave any to.
    const plain = filled()
    expect(Array.from({ length: 7 }, () => plain.push('a', 'light', 0)).indexOf('owner')).toBe(6)
    const heavy = filled()
    expect([heavy.push('a', '1', 15, 'x'), heavy.push('a', '2', 6, 'x')]).toEqual([null, 'owner'])
    expect([heavy.push('a', '3', 25, 'y'), heavy.push('a', '4', 1, 'z')]).toEqual([null, 'owner'])
  })

  test('serves the doors of an owner in turn, so that none waits behind the crowd at another', () => {
    const queue = new FairQueue<string>({ maxWeight: 100, maxWeightOfOwner: 100, maxCount: 100, maxCountOfOwner: 100 })
    const push = (item: string) => queue.push('a', item, 0, item[0])
    for (const item of ['x1', 'x2', 'x3', 'x4', 'y1', 'y2']) push(item)
    expect([queue.shift(), queue.shift(), queue.shift()]).toEqual(['x1', 'y1', 'x2'])
    // A door has no turns to make up for, and what comes to one comes last of it.
    for (const item of ['z1', 'z2', 'x5', 'y3']) push(item)
    expect(drained(queue)).toEqual(['y2', 'z1', 'x3', 'z2', 'y3', 'x4', 'x5'])
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
    queue.push('a', 'small', 1)
    // Where others wait, there has to be room for it among all.
    expect([queue.push('b', 'large', 1_000), queue.push('b', 'large', 100)]).toEqual(['all', null])
  })
})
