import { expect, test } from 'vitest'
import type { Told } from '../../src/fault/history.ts'
import { judgeOutages, type Look, type OutageNotes } from '../../src/fault/postgres-outage/judge.ts'

const [FROM, TO] = [100_000, 145_000]
const BUSY: Told = { as: 'refused', status: 429, reason: 'Busy.' }
const COMPLETED: Told = { as: 'completed', executionId: 'exec_1', tokens: 1 }
const UNKNOWN: Told = { as: 'unknown', reason: 'Fault.' }

function look(what: Look['what'], fields: Partial<Look> = {}): Look {
  const status = { health: 200, readiness: 503, read: 429 }[what]
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
    looks: [look('health'), look('readiness'), ...ten(() => look('read')), ...(more.looks ?? [])],
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
  ['of these, not refused as too much for now (429)', { operations: [asked(UNKNOWN)] }],
  ['of these, not refused as too much for now (429)', { operations: [asked(COMPLETED)] }],
  ['of these, not refused as too much for now (429)', { operations: [asked({ ...BUSY, status: 403 })] }],
  ['longest wait for such a refusal', { operations: [asked(BUSY, FROM + 10, FROM + 10_011)] }],
  ['of these, not refused with 429 and Retry-After', { looks: [look('read', { hasRetryAfter: false })] }],
  ['of these, not refused with 429 and Retry-After', { looks: [look('read', { status: 500 })] }],
  ['longest wait for such a refusal of a read', { looks: [look('read', { tookMs: 10_001 })] }],
  ['answers of /health other than 200', { looks: [look('health', { status: 503 })] }],
  ['answers of /health other than 200', { looks: [look('health', { status: null })] }],
  ['answers of /ready other than 503, four seconds into it', { looks: [look('readiness', { status: 200 })] }],
  ['of these, not completed', { lasting: [COMPLETED, { as: 'failed', executionId: 'exec_2', reason: 'x' }] }],
  ['until every server had a first success, longest', { successMs: 5_001 }],
])('missed: %s', (what, more) => {
  expect(missed(outage(), outage(more))).toEqual([what])
})

test('an outage in which nobody asked, or that nothing ran through, shows nothing', () => {
  expect(missed({ ...outage(), looks: [], operations: [], lasting: [] })).toEqual([
    'operations asked for while it was away',
    'reads while it was away',
    'executions that ran on through it',
  ])
})
