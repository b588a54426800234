import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { JsonObject } from '@svc/contract'
import { expect, onTestFinished, test } from 'vitest'
import { createInputChecks, createInputThreads } from '../../src/deployments/input-checks.ts'

const BUILT = new URL('../../dist/deployments/input-worker.js', import.meta.url)
const LARGE: JsonObject = {
  type: 'object',
  properties: { name: { type: 'string' }, size: { type: 'number' } },
  required: ['name'],
  description: 'x'.repeat(10_000),
}
const TREE: JsonObject = {
  $ref: '#/$defs/node',
  $defs: {
    node: { type: 'object', properties: { next: { allOf: [{ $ref: '#/$defs/node' }, { $ref: '#/$defs/node' }] } } },
  },
}

/** Checks whose thread runs what is built. */
function startChecks() {
  if (!existsSync(BUILT)) throw new Error('run “npm run build” first')
  const workers: Worker[] = []
  const checks = createInputChecks(
    createInputThreads(() => {
      const worker = new Worker(BUILT, { execArgv: [] })
      workers.push(worker)
      return worker
    }),
    // What is quick is so on a busy machine, too.
    { compileMs: 5_000 },
  )
  onTestFinished(() => checks.close())
  return { checks, workers }
}

test('a thread is started when it is first needed, and finds what this one would', async () => {
  const { checks, workers } = startChecks()
  expect(checks.checkOf('a', { type: 'object' })({}, 'input')).toBeNull()
  expect(workers).toHaveLength(0)
  const large = checks.checkOf('a', LARGE)
  expect(await large({ name: 'Ada', size: 1 }, 'input')).toBeNull()
  expect(await large({}, 'input')).toEqual({ 'input.name': ['is required.'] })
  // No JSON can carry it on, and what is asked is what was sent.
  expect(await large({ name: 'Ada', size: Number.POSITIVE_INFINITY }, 'input')).toEqual({
    'input.size': ['must be number.'],
  })
  expect(workers).toHaveLength(1)
})

test('of one owner’s inputs 32 wait and no more, and others’ wait beside them', async () => {
  const ready = `require('node:worker_threads').parentPort.on('message', () => {}).postMessage({ id: 0 })`
  const threads = createInputThreads(() => new Worker(ready, { eval: true }))
  const ask = (ownerId: string) => threads.ask(ownerId, { schema: '{}', value: {}, root: 'input', bytes: 2 }, 2)
  const ended: string[] = []
  const wait = (ownerId: string) => ask(ownerId).catch(() => ended.push(ownerId))
  // One is being checked, for ever; the others wait for it.
  const waiting = [...Array.from({ length: 33 }, () => wait('a')), wait('b')]
  await expect(ask('a')).rejects.toMatchObject({ code: 'rate_limit_exceeded', headers: { 'retry-after': '1' } })
  expect(ended).toEqual([])
  await threads.close()
  await Promise.all(waiting)
})

test('the thread that asks stays free while an input without end is checked', async () => {
  const { checks } = startChecks()
  let deep: JsonObject = {}
  for (let level = 0; level < 31; level += 1) deep = { next: deep }
  let ticks = 0
  const ticking = setInterval(() => {
    ticks += 1
  }, 1)
  const faults = await checks.checkOf('a', TREE)(deep, 'input')
  clearInterval(ticking)
  expect(faults).toEqual({ input: [expect.stringContaining('takes too long')] })
  expect(ticks).toBeGreaterThan(5)
})
