import { expect, test } from 'vitest'
import { createHistory, type Told } from '../../src/fault/history.ts'
import { askedSince, judgeOutages, type Look, type OutageNotes } from '../../src/fault/postgres-outage/judge.ts'

const [FROM, TO] = [100_000, 145_000]
const BUSY: Told = { as: 'refused', status: 500, reason: 'Nothing was done.' }
const COMPLETED: Told = { as: 'completed', executionId: 'exec_1', tokens: 1 }
const UNKNOWN: Told = { as: 'unknown', reason: 'Fault.' }
const WHATS = ['health', 'readiness', 'read'] as const

function look(what: Look['what'], fields: Partial<Look> = {}): Look {
  const status = { health: 200, readiness: 503, read: 500 }[what]
  return { what, at: FROM + 10_000, tookMs: 20, status, hasRetryAfter: what === 'read', ...fields }
}

function asked(told: Told = BUSY, invokedAt = FROM + 10, endedAt = invokedAt + 30) {
  return { told, invokedAt, endedAt }
}

function outage(more: Partial<OutageNotes> = {}): OutageNotes {
  const ten = <T>(make: () => T) => Array.from({ length: 10 }, make)
  return {
    from: FROM,
    to: TO,
    looks: [...WHATS.flatMap((what) => ten(() => look(what))), ...(more.looks ?? [])],
    operations: [...ten(() => asked()), ...(more.operations ?? [])],
    lasting: more.lasting ?? [COMPLETED],
    successMs: more.successMs ?? 800,
  }
}

function missed(...outages: OutageNotes[]): string[] {
  return judgeOutages(outages)
    .filter(({ passed }) => !passed)
    .map(({ what }) => what)
}

test('servers that said so all along, and were back soon, are accepted', () => {
  expect(missed(outage(), outage())).toEqual([])
})

test('what began before it, or may have found the database back, is not judged', () => {
  const operations = [asked(COMPLETED, FROM - 5), asked(UNKNOWN, FROM - 5), asked(COMPLETED, TO - 20, TO + 10)]
  const looks = [look('read', { at: FROM - 5, status: 200 }), look('readiness', { at: TO - 5, status: 200 })]
  expect(missed(outage({ operations, looks }))).toEqual([])
  // A server may believe for a moment what it saw last.
  expect(missed(outage({ looks: [look('readiness', { at: FROM + 2_000, status: 200 })] }))).toEqual([])
})

test.each<[string, Partial<OutageNotes>]>([
  ['of these, not refused because the database is away (500)', { operations: [asked(UNKNOWN)] }],
  ['of these, not refused because the database is away (500)', { operations: [asked(COMPLETED)] }],
  ['of these, not refused because the database is away (500)', { operations: [asked({ ...BUSY, status: 403 })] }],
  ['longest wait for such a refusal', { operations: [asked(BUSY, FROM + 10, FROM + 10_011)] }],
  ['of these, not refused with 500 and Retry-After', { looks: [look('read', { hasRetryAfter: false })] }],
  ['of these, not refused with 500 and Retry-After', { looks: [look('read', { status: 429 })] }],
  ['longest wait for such a refusal of a read', { looks: [look('read', { tookMs: 10_001 })] }],
  ['of these, not answered with 200', { looks: [look('health', { status: 503 })] }],
  ['of these, not answered with 200', { looks: [look('health', { status: null })] }],
  ['of these, not answered with 503', { looks: [look('readiness', { status: 200 })] }],
  ['of these, not completed', { lasting: [COMPLETED, { as: 'failed', executionId: 'exec_2', reason: 'x' }] }],
  ['until every server had a first success, longest', { successMs: 5_001 }],
])('missed: %s', (what, more) => {
  expect(missed(outage(), outage(more))).toEqual([what])
})

const HUNG = { tookMs: 90_000, status: null, hasRetryAfter: false }

test.each<[string, Partial<OutageNotes>, string[]]>([
  ['operations', { operations: [asked(BUSY, FROM + 10, TO + 1)] }, ['longest wait for such a refusal']],
  [
    'operations that the database answered in the end',
    { operations: [asked(COMPLETED, TO - 10_000, TO + 5)] },
    ['of these, not refused because the database is away (500)', 'longest wait for such a refusal'],
  ],
  [
    'reads',
    { looks: [look('read', HUNG)] },
    ['of these, not refused with 500 and Retry-After', 'longest wait for such a refusal of a read'],
  ],
  ['looks at /health', { looks: [look('health', HUNG)] }, ['of these, not answered with 200']],
  ['looks at /ready', { looks: [look('readiness', HUNG)] }, ['of these, not answered with 503']],
])('what hangs beyond the outage is judged, too: %s', (_, more, whats) => {
  expect(missed(outage(), outage(more))).toEqual(whats)
})

test('an outage in which nobody asked, or that nothing ran through, shows nothing, whatever others show', () => {
  const nothing = [
    'operations asked for while it was away, fewest in an outage',
    'reads while it was away, fewest in an outage',
    'looks at /health, fewest in an outage',
    'looks at /ready, four seconds into it, fewest in an outage',
    'executions that ran on through it, fewest in an outage',
  ]
  const crowded = outage({ looks: outage().looks, operations: outage().operations, lasting: [COMPLETED, COMPLETED] })
  expect(missed(crowded, { ...outage(), looks: [], operations: [], lasting: [] })).toEqual(nothing)
  expect(missed()).toEqual(nothing)
})

test('looks at /ready that were all taken in the first moments show nothing', () => {
  const early = outage().looks.map((each) => ({ ...each, at: FROM + 3_999 }))
  expect(missed({ ...outage(), looks: early })).toEqual(['looks at /ready, four seconds into it, fewest in an outage'])
})

test('what is asked for and not heard of stands among what was asked for', () => {
  let now = FROM - 5
  const history = createHistory(() => now)
  const plan = { op: 0, doorway: 'execute', runtime: 0, calls: 0, callMs: 0, pieceMs: 0, isReset: false } as const
  const heardBefore = history.invoke(plan, 'n1')
  now = FROM + 5
  const heard = history.invoke({ ...plan, op: 1 }, 'n1')
  history.invoke({ ...plan, op: 2 }, 'n1')
  now = FROM + 50
  heardBefore(COMPLETED)
  heard(BUSY)
  const since = askedSince(history, FROM, TO + 20_000)
  expect(since).toMatchObject([
    { invokedAt: FROM + 5, endedAt: FROM + 50, told: BUSY },
    { invokedAt: FROM + 5, endedAt: TO + 20_000, told: { as: 'unknown' } },
  ])
  expect(missed(outage({ operations: since }))).toEqual([
    'of these, not refused because the database is away (500)',
    'longest wait for such a refusal',
  ])
})
