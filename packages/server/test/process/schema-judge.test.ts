import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { JsonObject } from '@svc/contract'
import { expect, onTestFinished, test } from 'vitest'
import { createSchemaJudge, type SchemaJudgeOptions } from '../../src/deployments/schema-judge.ts'

const BUILT = new URL('../../dist/deployments/schema-worker.js', import.meta.url)
const GOOD: JsonObject = { type: 'object', properties: { text: { type: 'string' } } }
const BAD: JsonObject = { type: 'objekt' }

/** A judge whose threads run what is built, or a program of the test's own. */
function startJudge(options: Partial<SchemaJudgeOptions> & { program?: string } = {}) {
  const { program, ...rest } = options
  if (!existsSync(BUILT)) throw new Error('run “npm run build” first')
  const workers: Worker[] = []
  const startWorker = () => {
    const worker = program === undefined ? new Worker(BUILT, { execArgv: [] }) : new Worker(program, { eval: true })
    workers.push(worker)
    return worker
  }
  const judge = createSchemaJudge({ threads: 1, startWorker, ...rest })
  onTestFinished(() => judge.close())
  return { judge, workers }
}

/** A thread that answers every manifest but one whose first schema says `hang` or `die`. */
const ODD_THREAD = `
  const { parentPort } = require('node:worker_threads')
  parentPort.on('message', ({ id, question }) => {
    if (question[0].does === 'hang') for (;;) Math.random()
    if (question[0].does === 'die') throw new Error('broken')
    parentPort.postMessage({ id, answer: question.map(() => null) })
  })
  parentPort.postMessage({ id: 0 })
`

test('each schema gets its verdict, in order, from a thread', async () => {
  const { judge } = startJudge()
  expect(await judge.judge('a', [GOOD, BAD, GOOD])).toEqual({
    ok: true,
    problems: [null, expect.stringContaining('is not valid JSON Schema'), null],
  })
  expect(await judge.judge('a', [])).toEqual({ ok: true, problems: [] })
})

test('the thread that asks stays free while others judge', async () => {
  const { judge } = startJudge()
  await judge.judge('a', [GOOD])
  const branch = {
    type: 'object',
    properties: { x: { $ref: '#/$defs/a' } },
    $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } },
  }
  let ticks = 0
  const ticking = setInterval(() => {
    ticks += 1
  }, 1)
  const verdicts = await Promise.all([
    judge.judge(
      'a',
      Array.from({ length: 40 }, () => branch),
    ),
    judge.judge('b', [GOOD]),
  ])
  clearInterval(ticking)
  expect(verdicts[1]).toEqual({ ok: true, problems: [null] })
  expect(ticks).toBeGreaterThan(5)
})

test('a thread that does not answer is stopped, its manifest refused, and the next one judged by a new thread', async () => {
  const { judge, workers } = startJudge({ program: ODD_THREAD, verdictMs: 1_000 })
  const [hung, next] = await Promise.all([judge.judge('a', [{ does: 'hang' }]), judge.judge('a', [GOOD])])
  expect(hung).toEqual({ ok: false, problem: expect.stringContaining('too long') })
  expect(next).toEqual({ ok: true, problems: [null] })
  expect(workers).toHaveLength(2)
})

test('a thread that fails by a fault of ours is no fault of the manifest', async () => {
  const { judge } = startJudge({ program: ODD_THREAD })
  await expect(judge.judge('a', [{ does: 'die' }])).rejects.toThrow('broken')
  expect(await judge.judge('a', [GOOD])).toEqual({ ok: true, problems: [null] })
})

test('a thread that does not even start is a fault of ours, and tried again with the next manifest', async () => {
  const { judge, workers } = startJudge({ program: 'throw new Error("not here")' })
  await expect(judge.judge('a', [GOOD])).rejects.toThrow('did not start')
  await expect(judge.judge('a', [GOOD])).rejects.toThrow('did not start')
  expect(workers).toHaveLength(2)
})

test('more than may wait is refused with 429, and what waited too long as well', async () => {
  const { judge } = startJudge({ program: ODD_THREAD, verdictMs: 300, waitMs: 100 })
  const large = { description: 'x'.repeat(5_000_000) }
  const hanging = judge.judge('a', [{ does: 'hang' }])
  const waiting = judge.judge('a', [large])
  const refused = { code: 'rate_limit_exceeded', headers: { 'retry-after': '2' } }
  await Promise.all([
    expect(judge.judge('a', [large])).rejects.toMatchObject(refused),
    expect(waiting).rejects.toMatchObject(refused),
  ])
  expect(await hanging).toMatchObject({ ok: false })
})
