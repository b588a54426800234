import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { FieldErrors, JsonObject } from '@svc/contract'
import { expect, onTestFinished, test } from 'vitest'
import { EMPTY_OBJECT, JsonDocument } from '../../src/lib/json-document.ts'
import { Stop } from '../../src/lib/stop-signal.ts'
import { createWorkerThread } from '../../src/lib/worker-thread.ts'
import type { SchemaJob } from '../../src/schemas/jobs.ts'
import { createSchemas } from '../../src/schemas/schemas.ts'

const BUILT = new URL('../../dist/schemas/schema-worker.js', import.meta.url)
const GOOD: JsonObject = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
const LARGE: JsonObject = {
  ...GOOD,
  properties: Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`f${at}`, { type: 'integer' }])),
}
const NOT_CHECKED = { input: [expect.stringContaining('cannot be checked')] }
const branch = (x: JsonObject) => ({ type: 'object', properties: { x }, required: ['y'] })
const node = { $ref: '#/$defs/node' }
const DOUBLING: JsonObject = { ...node, $defs: { node: { anyOf: [branch(node), branch(node)] } } }

function texts(...schemas: JsonObject[]): string[] {
  return schemas.map((schema) => JSON.stringify(schema))
}

function levels(count: number): JsonObject {
  return count === 0 ? {} : { y: 1, x: levels(count - 1) }
}

/** Schemas whose threads run what is built, or a program of the test's own. */
function start(program?: string) {
  if (!existsSync(BUILT)) throw new Error('run “npm run build” first')
  const workers: Worker[] = []
  const schemas = createSchemas(() =>
    createWorkerThread(() => {
      const worker = program === undefined ? new Worker(BUILT, { execArgv: [] }) : new Worker(program, { eval: true })
      workers.push(worker)
      return worker
    }),
  )
  onTestFinished(() => schemas.close())
  return { schemas, workers }
}

/** How long the event loop was held at most while `work` ran. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let [longest, last] = [0, performance.now()]
  const ticking = setInterval(() => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
  }, 1)
  await work()
  clearInterval(ticking)
  return Math.max(longest, performance.now() - last)
}

test('each schema gets its verdict, in order; none asks no thread', async () => {
  const { schemas, workers } = start()
  expect(await schemas.judge('a', [])).toEqual([])
  expect(workers).toHaveLength(0)
  expect(await schemas.judge('a', texts(GOOD, { type: 'objekt' }, GOOD))).toEqual([
    null,
    expect.stringContaining('is not valid JSON Schema'),
    null,
  ])
})

// holds CAP-14
test('the schema at which a thread was stopped is named, those before it are judged, and those after it were not reached', async () => {
  const { schemas } = start(`
    const { parentPort } = require('node:worker_threads')
    parentPort.on('message', ({ schema }) => {
      if (JSON.parse(schema).hangs) for (;;) Math.random()
      parentPort.postMessage(null)
    })
    parentPort.postMessage('ready')
  `)
  expect(await schemas.judge('a', texts(GOOD, { hangs: true }, GOOD))).toEqual([
    null,
    expect.stringContaining('takes too long'),
    expect.stringContaining('was not reached'),
  ])
  expect(await schemas.judge('a', texts(GOOD))).toEqual([null])
})

// holds CAP-15
test('a manifest waits for one slow schema of each other account’s, however many they have', async () => {
  const order: string[] = []
  const threads = () => ({
    run: async (job: SchemaJob) => {
      order.push(job.schema)
      await new Promise(setImmediate)
      now += job.schema.startsWith('slow') ? 900 : 1
      return [null]
    },
    close: async () => {},
  })
  let now = 0
  const schemas = createSchemas(threads, () => now)
  const attack = ['a', 'b'].map((owner) => schemas.judge(owner, Array(6).fill(`slow ${owner}`)))
  expect(await schemas.judge('c', ['c1', 'c2', 'c3'])).toEqual([null, null, null])
  expect(order.slice(0, 5)).toEqual(['slow a', 'slow b', 'c1', 'c2', 'c3'])
  expect(await Promise.all(attack)).toEqual([Array(6).fill(null), Array(6).fill(null)])
})

test('a manifest that waits for too long in all is refused', async () => {
  let now = 0
  const run = async () => {
    now += 3_000
    return [null]
  }
  const schemas = createSchemas(
    () => ({ run, close: async () => {} }),
    () => now,
  )
  const answers = await Promise.allSettled(Array.from({ length: 9 }, (_, at) => schemas.judge(`o${at}`, ['{}', '{}'])))
  expect(answers.some(({ status }) => status === 'rejected')).toBe(true)
})

test('a small input of a small schema is checked without a thread, a large schema in one, with the same faults', async () => {
  const { schemas, workers } = start()
  const missing = { 'input.text': ['is required.'] }
  const small = schemas.checkOf('a', GOOD)
  expect([small(JsonDocument.of({ text: 'a' }), 'input'), small(EMPTY_OBJECT, 'input')]).toEqual([null, missing])
  expect(workers).toHaveLength(0)
  const large = schemas.checkOf('a', LARGE)
  expect(await large(JsonDocument.of({ text: 'a', f1: 1 }), 'input')).toBeNull()
  expect(await large(EMPTY_OBJECT, 'input')).toEqual(missing)
  expect(await small(JsonDocument.of({ text: 'a'.repeat(100_000) }), 'input')).toBeNull()
  expect(await schemas.judge('a', texts(GOOD))).toEqual([null])
  // Inputs and manifests have one thread together.
  expect(workers).toHaveLength(1)
})

// holds CAP-14
test.each([
  ['$ref', DOUBLING],
  ['$ref in draft-07', { $schema: 'http://json-schema.org/draft-07/schema#', ...DOUBLING, ...{ allOf: [node] } }],
  [
    '$dynamicRef',
    {
      ...node,
      $defs: {
        node: {
          $dynamicAnchor: 'node',
          anyOf: [branch({ $dynamicRef: '#node' }), branch({ $dynamicRef: '#node' })],
        },
      },
    },
  ],
])('a check that doubles with each level by %s ends in its time, and holds up nobody', async (_, schema) => {
  const { schemas } = start()
  const check = schemas.checkOf('a', schema)
  expect(await check(JsonDocument.of({ y: 1, x: { y: 1 } }), 'input')).toBeNull()
  const told: (FieldErrors | null)[] = []
  const began = performance.now()
  const turn = await longestTurn(async () => told.push(await check(JsonDocument.of(levels(30)), 'input')))
  expect(told).toEqual([NOT_CHECKED])
  // A check in this thread would be one turn.
  expect(turn).toBeLessThan((performance.now() - began) / 2)
  expect(await check(JsonDocument.of({ y: 1, x: {} }), 'input')).toHaveProperty('input.x.y')
})

test('faults by the ten thousand are told as the first few', async () => {
  const { schemas } = start()
  const faults = await schemas.checkOf('a', DOUBLING)(JsonDocument.of(levels(12)), 'input')
  expect(Object.values(faults ?? {}).flat().length).toBeGreaterThan(0)
  expect(JSON.stringify(faults).length).toBeLessThan(2000)
})

// holds CAP-15
test('an owner’s inputs wait for one check of another owner’s, however many of these wait', async () => {
  let now = 0
  const order: string[] = []
  const run = async ({ ownerId }: SchemaJob) => {
    order.push(ownerId)
    await new Promise(setImmediate)
    now += ownerId === 'hostile' ? 250 : 1
    return [null, null]
  }
  const schemas = createSchemas(
    () => ({ run, close: async () => {} }),
    () => now,
  )
  const check = (ownerId: string) => schemas.checkOf(ownerId, LARGE)(EMPTY_OBJECT, 'input')
  const checks = ['hostile', 'hostile', 'hostile', 'other', 'other'].map(check)
  expect(await Promise.all(checks)).toEqual(checks.map(() => null))
  expect(order).toEqual(['hostile', 'other', 'other', 'hostile', 'hostile'])
})

test('of one owner’s inputs 64 wait and no more, and another owner’s waits beside them', async () => {
  const { schemas } = start(`require('node:worker_threads').parentPort.on('message', () => {}).postMessage('ready')`)
  const stop = new Stop()
  const check = (ownerId: string) => schemas.checkOf(ownerId, LARGE)(EMPTY_OBJECT, 'input', stop)
  const refused: string[] = []
  const asked = [...Array.from({ length: 70 }, () => 'a'), 'b'].map(async (ownerId) => {
    await Promise.resolve(check(ownerId)).catch(() => refused.push(ownerId))
  })
  await new Promise(setImmediate)
  // One is being checked, 64 wait.
  expect(refused).toEqual(['a', 'a', 'a', 'a', 'a'])
  stop.abort()
  await Promise.all(asked)
  expect(refused.filter((ownerId) => ownerId === 'b')).toHaveLength(1)
})
