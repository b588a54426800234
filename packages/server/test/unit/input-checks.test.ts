import type { JsonObject } from '@svc/contract'
import { expect, test } from 'vitest'
import { createInputChecks, type InputChecksOptions, type InputThreads } from '../../src/deployments/input-checks.ts'
import { createInputDesk } from '../../src/deployments/input-desk.ts'
import { TimeLimitError } from '../../src/deployments/time-limit.ts'
import { object } from './schema-support.ts'

const NAMED = object({ name: { type: 'string' } }, { required: ['name'] })
const TREE: JsonObject = {
  $ref: '#/$defs/node',
  $defs: { node: object({ next: { allOf: [{ $ref: '#/$defs/node' }, { $ref: '#/$defs/node' }] } }) },
}
const MISSING = { 'input.name': ['is required.'] }
const NOT_CHECKED = { input: [expect.stringContaining('takes too long')] }

function tree(levels: number): JsonObject {
  return levels === 0 ? {} : { next: tree(levels - 1) }
}

/** Checks whose threads are this one, and whose inputs these were asked for. On a busy machine, too, what is quick is so. */
function startChecks({ ask, ...options }: InputChecksOptions & { ask?: InputThreads['ask'] } = {}) {
  const asked: string[] = []
  const clock = { now: 0 }
  const check = createInputDesk()
  const threads: InputThreads = {
    async ask(ownerId, question, bytes) {
      asked.push(ownerId)
      return ask ? ask(ownerId, question, bytes) : { ok: true, answer: check(question) }
    },
    close: async () => {},
  }
  const times = { now: () => clock.now, compileMs: 5_000, checkMs: 300 }
  return { checks: createInputChecks(threads, { ...times, ...options }), asked, clock }
}

test('what is quick is checked at once, references included', () => {
  const { checks, asked } = startChecks()
  const named = checks.checkOf('a', NAMED)
  expect([named({ name: 'Ada' }, 'input'), named({}, 'input')]).toEqual([null, MISSING])
  expect(checks.checkOf('a', TREE)(tree(3), 'input')).toBeNull()
  expect(asked).toEqual([])
})

/** Checks that are given up as soon as a test says so, and how often any was tried here. */
function startStoppedChecks() {
  const tried: number[] = []
  let share: number | null = null
  const stop: NonNullable<InputChecksOptions['stop']> = (maxMs, work) => {
    tried.push(maxMs)
    if (share !== null) throw new TimeLimitError('too slow', share)
    return work()
  }
  const started = startChecks({ stop, compileMs: 30, checkMs: 20 })
  return {
    ...started,
    tried,
    /** From now on all takes too long, with that share of the processor; null for nothing. */
    stopAll(ofProcessor: number | null) {
      share = ofProcessor
    },
  }
}

function named(description: string): JsonObject {
  return { ...NAMED, description }
}

test('a check that takes long is handed on, and others of the schema that may, for half a minute', async () => {
  const { checks, asked, clock } = startChecks()
  const nodes = checks.checkOf('a', TREE)
  expect(nodes(tree(2), 'input')).toBeNull()
  expect(await nodes(tree(31), 'input')).toEqual(NOT_CHECKED)
  expect(await nodes(tree(2), 'input')).toBeNull()
  expect(asked).toEqual(['a', 'a'])
  expect(checks.checkOf('b', TREE)(tree(2), 'input')).toBeNull()
  clock.now = 30_000
  expect(nodes(tree(2), 'input')).toBeNull()
  expect(asked).toEqual(['a', 'a'])
})

test.each([1, 0.1])(
  'what was given up is not tried again at once by all who come, with %d of a processor or with more',
  async (share) => {
    const { checks, tried, stopAll, clock } = startStoppedChecks()
    const check = checks.checkOf('a', NAMED)
    stopAll(share)
    for (let at = 0; at < 1_000; at += 1) expect(await check({}, 'input')).toEqual(MISSING)
    expect(tried).toEqual([30])
    clock.now = 30_000
    stopAll(null)
    expect(check({}, 'input')).toEqual(MISSING)
    expect(tried).toEqual([30, 30])
  },
)

test('two that were slow by themselves have all that may be slow handed on, for half a minute, of that owner alone', async () => {
  const { checks, asked, stopAll, clock } = startStoppedChecks()
  const known = checks.checkOf('a', named('known'))
  expect(known({}, 'input')).toEqual(MISSING)
  stopAll(0.9)
  await checks.checkOf('a', named('first'))({}, 'input')
  stopAll(null)
  // Once may be the engine's doing.
  expect(checks.checkOf('a', named('second'))({}, 'input')).toEqual(MISSING)
  stopAll(0.9)
  await checks.checkOf('a', named('third'))({}, 'input')
  stopAll(null)
  const fourth = checks.checkOf('a', named('fourth'))
  expect(await fourth({}, 'input')).toEqual(MISSING)
  expect(asked).toEqual(['a', 'a', 'a'])
  // Compiled already, and known to be quick.
  expect(known({}, 'input')).toEqual(MISSING)
  expect(checks.checkOf('b', named('fourth'))({}, 'input')).toEqual(MISSING)
  clock.now = 30_000
  expect(fourth({}, 'input')).toEqual(MISSING)
  expect(asked).toHaveLength(3)
})

test('where the machine was too busy, many schemas may be given up before the owner’s others are not tried', async () => {
  const { checks, tried, stopAll } = startStoppedChecks()
  stopAll(0.6)
  for (let at = 0; at < 15; at += 1) await checks.checkOf('a', named(`slow ${at}`))({}, 'input')
  stopAll(null)
  expect(checks.checkOf('a', named('quick'))({}, 'input')).toEqual(MISSING)
  expect(tried).toHaveLength(16)
  stopAll(0.6)
  // They held up others all the same, so that their number has an end.
  for (let at = 15; at < 100; at += 1) await checks.checkOf('a', named(`slow ${at}`))({}, 'input')
  expect(tried).toHaveLength(17)
})

test('a schema that is deployed to many runtimes of an owner is compiled once, and once for another owner', async () => {
  const { checks, tried } = startStoppedChecks()
  for (let runtime = 0; runtime < 100; runtime += 1) {
    expect(checks.checkOf('a', { ...NAMED })({}, 'input')).toEqual(MISSING)
  }
  expect(tried).toEqual([30])
  expect(checks.checkOf('b', NAMED)({}, 'input')).toEqual(MISSING)
  expect(tried).toEqual([30, 30])
})

test('a large schema is never compiled here', async () => {
  const { checks, asked } = startChecks()
  const large = object({ ...NAMED }, { ...NAMED, description: 'x'.repeat(8_200) })
  expect(await checks.checkOf('a', large)({}, 'input')).toEqual(MISSING)
  expect(asked).toEqual(['a'])
  // In bytes, of which a letter may have three.
  const foreign = object({ ...NAMED }, { ...NAMED, description: '€'.repeat(4_000) })
  expect(await checks.checkOf('b', foreign)({}, 'input')).toEqual(MISSING)
  expect(asked).toEqual(['a', 'b'])
})

test('a small schema that takes long to compile is handed on', async () => {
  const { checks, asked } = startChecks({ compileMs: 5 })
  const patterns = Array.from({ length: 200 }, (_, at) => ({ pattern: `(a${at}|b)*c{900}` }))
  expect(
    await checks.checkOf('a', { type: 'object', not: { anyOf: [...patterns, false] } })({}, 'input'),
  ).not.toBeNull()
  expect(asked).toEqual(['a'])
})

test('a pattern with large counts counts as what may take long, however short it is', async () => {
  const { checks, asked } = startChecks()
  const counted = object({ text: { type: 'string', pattern: '(a|b){1000}[ab]{1000}[ab]{1000}[ab]{1000}c' } })
  const text = `${'ab'.repeat(12_000)}!c`
  expect(await checks.checkOf('a', counted)({ text }, 'input')).toEqual(NOT_CHECKED)
  expect(asked).toEqual(['a'])
})

test('a thread that lacked memory could not check the input; one that lacked time was too busy for it', async () => {
  const lacking = (lack: 'time' | 'memory') => startChecks({ ask: async () => ({ ok: false, lack }) }).checks
  expect(await lacking('memory').checkOf('a', TREE)(tree(31), 'input')).toEqual(NOT_CHECKED)
  await expect(lacking('time').checkOf('a', TREE)(tree(31), 'input')).rejects.toMatchObject({
    code: 'rate_limit_exceeded',
    headers: { 'retry-after': '1' },
  })
})

test('a schema that was forgotten is compiled anew, and has no more time than it had', () => {
  const made: { runs: number }[] = []
  const newPatience = () => {
    const counted = { runs: 0 }
    made.push(counted)
    const run = <T>(check: () => T) => {
      counted.runs += 1
      return check()
    }
    return { run }
  }
  const texts = ['first', 'second'].map((description) => JSON.stringify({ ...TREE, description }))
  const check = createInputDesk({ compiledBytes: 0, newPatience })
  for (let round = 0; round < 3; round += 1)
    for (const schema of texts) expect(check({ schema, value: {}, root: 'input', bytes: 2 })).toBeNull()
  expect(made.map(({ runs }) => runs)).toEqual([3, 3])
})

test('a schema that does not compile leaves its inputs unchecked, small or large, and takes nobody else’s away', async () => {
  const { checks, asked, tried } = startStoppedChecks()
  const broken = object({ ...NAMED }, { $ref: '#/$defs/nowhere' })
  const large = { ...broken, description: 'x'.repeat(8_200) }
  expect(await checks.checkOf('b', large)({}, 'input')).toEqual(NOT_CHECKED)
  const small = [0, 1, 2].map((at) => checks.checkOf('a', { ...broken, description: `small ${at}` }))
  for (const check of [...small, ...small]) expect(await check({}, 'input')).toEqual(NOT_CHECKED)
  expect(asked).toEqual(['b', ...Array.from({ length: 6 }, () => 'a')])
  // Each was tried here once, and none of them counts as slow.
  expect(tried).toEqual([30, 30, 30])
  expect(checks.checkOf('a', NAMED)({}, 'input')).toEqual(MISSING)
})
