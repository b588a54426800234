import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createCoalescer } from '../../src/lib/coalesce.ts'
import { Lru } from '../../src/lib/lru.ts'
import { deferred } from '../support/deferred.ts'

/** Reads that a test ends one by one. */
function controlledReads() {
  const begun: ReturnType<typeof deferred<string>>[] = []
  return {
    begun,
    begin: () => {
      const read = deferred<string>()
      begun.push(read)
      return read.promise
    },
  }
}

describe('coalesced reads', () => {
  test('callers that come during a read share the next one', async () => {
    const coalescer = createCoalescer<string>()
    const { begun, begin } = controlledReads()
    const first = coalescer.read('a', begin)
    const later = [coalescer.read('a', begin), coalescer.read('a', begin), coalescer.read('a', begin)]
    expect(begun).toHaveLength(1)
    begun[0]?.resolve('first')
    expect(await first).toBe('first')
    expect(begun).toHaveLength(2)
    begun[1]?.resolve('second')
    expect(await Promise.all(later)).toEqual(['second', 'second', 'second'])
    expect(begun).toHaveLength(2)
  })

  test('no caller gets a read that began before its call', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.integer({ min: 1, max: 12 }), async (scheduler, callers) => {
        const coalescer = createCoalescer<number>()
        let asked = 0
        const begin = () => {
          const seen = asked
          return scheduler.schedule(Promise.resolve(seen))
        }
        const asking = scheduler.scheduleSequence(
          Array.from({ length: callers }, () => async () => {
            asked += 1
            const mine = asked
            reads.push(coalescer.read('a', begin).then((seen) => expect(seen).toBeGreaterThanOrEqual(mine)))
          }),
        )
        const reads: Promise<void>[] = []
        await scheduler.waitFor(asking.task)
        await scheduler.waitFor(Promise.all(reads))
        expect(reads).toHaveLength(callers)
      }),
      { numRuns: 200, seed: 1 },
    )
  })

  test('reads of different names run concurrently', async () => {
    const coalescer = createCoalescer<string>()
    const { begun, begin } = controlledReads()
    const reads = [coalescer.read('a', begin), coalescer.read('b', begin)]
    expect(begun).toHaveLength(2)
    begun[1]?.resolve('b')
    begun[0]?.resolve('a')
    expect(await Promise.all(reads)).toEqual(['a', 'b'])
  })

  test('a read that fails rejects for its own callers, and the next one begins', async () => {
    const coalescer = createCoalescer<string>()
    const fault = deferred()
    const failing = coalescer.read('a', async () => {
      await fault.promise
      throw new Error('no such row')
    })
    const next = coalescer.read('a', async () => 'found')
    fault.resolve()
    await expect(failing).rejects.toThrow('no such row')
    expect(await next).toBe('found')
    expect(await coalescer.read('a', async () => 'again')).toBe('again')
  })
})

interface Use {
  key: number
  does: 'get' | 'set' | 'delete'
}

interface Entry {
  key: number
  value: number
}

describe('the LRU map', () => {
  test('evicts the least recently used entry, as a list in order of use would', () => {
    const use: fc.Arbitrary<Use> = fc.record({
      key: fc.integer({ min: 0, max: 8 }),
      does: fc.constantFrom('get', 'set', 'delete'),
    })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.array(use, { maxLength: 80 }), (max, uses) => {
        const lru = new Lru<number, number>(max)
        let entries: readonly Entry[] = []
        for (const [value, { key, does }] of uses.entries()) {
          const known = entries.find((entry) => entry.key === key)
          if (does === 'get') expect(lru.get(key)).toBe(known?.value)
          if (does === 'set') lru.set(key, value)
          if (does === 'delete') lru.delete(key)
          entries = used(entries, { key, does }, value).slice(-max)
        }
        expect(entries.map(({ key }) => lru.get(key))).toEqual(entries.map(({ value }) => value))
      }),
      { numRuns: 500, seed: 2 },
    )
  })

  test('weighs its entries, without those that were replaced or deleted', () => {
    const lru = new Lru<string, string>(10, (value) => value.length)
    lru.set('a', 'xxxx')
    lru.set('b', 'xxxx')
    lru.set('a', 'x')
    lru.set('c', 'xxxxx')
    expect(['a', 'b', 'c'].map((key) => lru.get(key))).toEqual(['x', 'xxxx', 'xxxxx'])
    lru.delete('b')
    lru.set('d', 'xxxx')
    expect(['a', 'b', 'c', 'd'].map((key) => lru.get(key))).toEqual(['x', undefined, 'xxxxx', 'xxxx'])
    lru.set('e', 'xxxxxxxxxx')
    expect(['a', 'c', 'd', 'e'].map((key) => lru.get(key))).toEqual([undefined, undefined, undefined, 'xxxxxxxxxx'])
  })
})

// The list after a use: what was used last stands last.
function used(entries: readonly Entry[], { key, does }: Use, value: number): readonly Entry[] {
  const known = entries.find((entry) => entry.key === key)
  const others = entries.filter((entry) => entry.key !== key)
  if (does === 'set') return [...others, { key, value }]
  return does === 'get' && known ? [...others, known] : others
}
