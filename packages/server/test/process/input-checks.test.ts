import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { JsonObject } from '@svc/contract'
import { expect, onTestFinished, test } from 'vitest'
import { createInputChecks, createInputThreads } from '../../src/deployments/input-checks.ts'
import type { Asker } from '../../src/deployments/waiting-line.ts'
import { Stop } from '../../src/stop-signal.ts'

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

/** Threads, of which the one never answers. */
function startStuckThreads() {
  const ready = `require('node:worker_threads').parentPort.on('message', () => {}).postMessage({ id: 0 })`
  const threads = createInputThreads(() => new Worker(ready, { eval: true }))
  onTestFinished(() => threads.close())
  const asked = { schema: '{}', value: {}, root: 'input', bytes: 2 }
  const ask = (ownerId: string, asker?: Asker) => threads.ask(ownerId, asked, 2, asker)
  const waiting: Promise<unknown>[] = []
  const turnedDown: string[] = []
  return {
    ask,
    /** Asks, and fails where there is no place to wait at. */
    async wait(ownerId: string, asker?: Asker) {
      waiting.push(ask(ownerId, asker).catch(() => turnedDown.push(ownerId)))
      await Promise.resolve()
      await Promise.resolve()
      expect(turnedDown).toEqual([])
    },
    /** Ends all that waits; how many these were. */
    async end() {
      await threads.close()
      await Promise.all(waiting)
      return waiting.length
    },
  }
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

test('of one owner’s inputs 64 wait and no more, and others’ wait beside them', async () => {
  const { ask, wait, end } = startStuckThreads()
  // One is being checked, for ever; the others wait for it.
  for (let at = 0; at < 65; at += 1) await wait('a')
  await wait('b')
  await expect(ask('a')).rejects.toMatchObject({ code: 'rate_limit_exceeded', headers: { 'retry-after': '1' } })
  expect(await end()).toBe(66)
})

test('of these 32 come through one door, so that those of other doors wait beside them', async () => {
  const { ask, wait, end } = startStuckThreads()
  const through = (door: string) => ({ signal: new Stop(), door })
  for (let at = 0; at < 33; at += 1) await wait('a', through('page'))
  await expect(ask('a', through('page'))).rejects.toMatchObject({ code: 'rate_limit_exceeded' })
  for (let at = 0; at < 16; at += 1) await wait('a', through('broker'))
  await expect(ask('a', through('broker'))).rejects.toMatchObject({ code: 'rate_limit_exceeded' })
  for (let at = 0; at < 8; at += 1) await wait('a', through('owner'))
  expect(await end()).toBe(57)
})

test('of all owners’ inputs 512 wait, and 64 more of owners of whom none waits', async () => {
  const { ask, wait, end } = startStuckThreads()
  await wait('first')
  for (let owner = 0; owner < 8; owner += 1) for (let at = 0; at < 64; at += 1) await wait(`owner ${owner}`)
  await expect(ask('owner 0')).rejects.toMatchObject({ code: 'rate_limit_exceeded' })
  for (let owner = 0; owner < 64; owner += 1) await wait(`newcomer ${owner}`)
  await expect(ask('newcomer 0')).rejects.toMatchObject({ code: 'rate_limit_exceeded' })
  await expect(ask('one too many')).rejects.toMatchObject({ code: 'rate_limit_exceeded' })
  expect(await end()).toBe(1 + 512 + 64)
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
