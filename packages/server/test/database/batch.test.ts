import { expect, test } from 'vitest'
import { createBatcher, QueueFullError } from '../../src/database/batch.ts'

test('items of one turn of the event loop go together', async () => {
  const { runs, batcher } = createRecorder()

  const answers = await Promise.all([batcher.submit('a'), batcher.submit('b'), batcher.submit('c')])

  expect(answers).toEqual(['A', 'B', 'C'])
  expect(runs).toEqual([['a', 'b', 'c']])
})

test('items that arrive from different callbacks of one turn go together', async () => {
  const { runs, batcher } = createRecorder()

  const later = Promise.resolve().then(() => batcher.submit('b'))
  await Promise.all([batcher.submit('a'), later])

  expect(runs).toEqual([['a', 'b']])
})

test('items that arrive during a run form the next one, and no two runs overlap', async () => {
  const { runs, batcher, gate } = createGated()
  const first = batcher.submit('a')
  await gate.entered()
  const rest = [batcher.submit('b'), batcher.submit('c')]
  expect(batcher.depth).toBe(2)
  expect(runs).toEqual([['a']])

  gate.open()
  await first
  await gate.entered()
  expect(runs).toEqual([['a'], ['b', 'c']])
  gate.open()

  expect(await Promise.all(rest)).toEqual(['B', 'C'])
  expect(batcher.depth).toBe(0)
})

test('a run takes no more than the largest batch', async () => {
  const { runs, batcher } = createRecorder({ maxBatch: 2 })

  await Promise.all(['a', 'b', 'c', 'd', 'e'].map((item) => batcher.submit(item)))

  expect(runs).toEqual([['a', 'b'], ['c', 'd'], ['e']])
})

test('a bad item fails alone, and the others are done once each', async () => {
  const done: string[] = []
  const batcher = createBatcher<string, string>({
    run: async (items) => {
      if (items.includes('bad')) throw new Error('violates check')
      done.push(...items)
      return items
    },
  })

  const outcomes = await Promise.allSettled(['a', 'bad', 'b'].map((item) => batcher.submit(item)))

  expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(done).toEqual(['a', 'b'])
})

test.each(['SQLITE_FULL', 'SQLITE_IOERR_FSYNC', 'SVC_DATABASE_ENDED', '57P01', '08006', 'ECONNREFUSED'])(
  'where the database itself is out (%s), a batch fails at once',
  async (code) => {
    let runs = 0
    const batcher = createBatcher<string, string>({
      run: async () => {
        runs += 1
        throw Object.assign(new Error('out'), { code })
      },
    })

    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((item) => batcher.submit(item)))

    expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(runs).toBe(1)
  },
)

test('a database that goes out while items are repeated fails the rest at once', async () => {
  const runs: string[][] = []
  const batcher = createBatcher<string, string>({
    run: async (items) => {
      runs.push(items)
      if (items.length > 1) throw new Error('violates check')
      if (items[0] === 'b') throw new Error('Connection terminated unexpectedly')
      return items
    },
  })

  const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((item) => batcher.submit(item)))

  expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected', 'rejected'])
  expect(runs).toEqual([['a', 'b', 'c'], ['a'], ['b']])
})

test('a run that answers the wrong number of items fails them and is not repeated', async () => {
  let runs = 0
  const batcher = createBatcher<string, string>({
    run: async () => {
      runs += 1
      return ['only one']
    },
  })

  const outcomes = await Promise.allSettled([batcher.submit('a'), batcher.submit('b')])

  expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected'])
  expect(runs).toBe(1)
})

test('past the queue’s limit an item is refused, and there is room again after the next run', async () => {
  const { batcher, gate } = createGated({ maxQueued: 2 })
  const running = batcher.submit('a')
  await gate.entered()
  const waiting = [batcher.submit('b'), batcher.submit('c')]

  await expect(batcher.submit('d')).rejects.toBeInstanceOf(QueueFullError)

  gate.open()
  await running
  await gate.entered()
  const late = batcher.submit('e')
  gate.open()
  await gate.entered()
  gate.open()
  expect(await Promise.all([...waiting, late])).toEqual(['B', 'C', 'E'])
})

test('draining waits for the run under way and for those behind it', async () => {
  const { runs, batcher, gate } = createGated()
  const answers = [batcher.submit('a')]
  await gate.entered()
  answers.push(batcher.submit('b'))
  let isDrained = false
  const drained = batcher.drain().then(() => {
    isDrained = true
  })

  gate.open()
  await gate.entered()
  expect(isDrained).toBe(false)
  gate.open()
  await drained

  expect(runs).toEqual([['a'], ['b']])
  expect(await Promise.all(answers)).toEqual(['A', 'B'])
})

test('an idle batcher drains at once and works again afterwards', async () => {
  const { batcher } = createRecorder()
  await batcher.drain()
  await batcher.submit('a')
  await batcher.drain()

  expect(await batcher.submit('b')).toBe('B')
})

function createRecorder(limits: { maxBatch?: number } = {}) {
  const runs: string[][] = []
  const run = async (items: string[]) => {
    runs.push(items)
    return items.map((item) => item.toUpperCase())
  }
  return { runs, batcher: createBatcher({ run, ...limits }) }
}

/** Every run waits until the test lets it go on. */
function createGated(limits: { maxQueued?: number } = {}) {
  const gate = createGate()
  const runs: string[][] = []
  const run = async (items: string[]) => {
    runs.push(items)
    await gate.pass()
    return items.map((item) => item.toUpperCase())
  }
  return { runs, gate, batcher: createBatcher({ run, ...limits }) }
}

function createGate() {
  let leave: (() => void) | undefined
  let announce: (() => void) | undefined
  return {
    pass: () =>
      new Promise<void>((resolve) => {
        leave = resolve
        announce?.()
      }),
    /** Resolves while a run waits at the gate. */
    entered: () =>
      new Promise<void>((resolve) => {
        announce = resolve
        if (leave !== undefined) resolve()
      }),
    open: () => {
      leave?.()
      leave = undefined
    },
  }
}
