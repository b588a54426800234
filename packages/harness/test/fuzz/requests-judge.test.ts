import { describe, expect, test } from 'vitest'
import { insidesOf, residentBytes } from '../../src/fuzz/requests/attacked.ts'
import { countAnswer, judgeRun, newTally } from '../../src/fuzz/requests/tally.ts'
import { faultOf } from '../../src/fuzz/support/judge-answer.ts'
import type { Check } from '../../src/support/scenario.ts'

/** What a judge of a run complains of. */
function missed(checks: readonly Check[]): string[] {
  return checks.filter(({ passed }) => !passed).map(({ what }) => what)
}

describe('the judge of requests', () => {
  const server = { isAlive: true, grownMb: 10 }
  const after = { targets: ['a', 'b'], requestsWanted: 4, servers: [server, server], errorLines: 0 }

  function tallied(...answers: readonly (readonly [id: string, status: number])[]) {
    const tally = newTally()
    for (const [id, status] of answers) countAnswer(tally, id, status, null)
    return tally
  }

  test('accepts a run that got in everywhere and found nothing', () => {
    expect(missed(judgeRun(tallied(['a', 200], ['b', 201], ['a', 404], ['b', 401]), after))).toEqual([])
  })

  test('refuses a run that never carried an operation out, sent too little, or was refused everything', () => {
    const checks = judgeRun(tallied(['a', 200], ['b', 404], ['b', 403], ['a', 400], ['b', 400]), after)
    expect(missed(checks)).toEqual(['operations that were never carried out'])
    expect(checks.find(({ passed }) => !passed)?.measured).toBe('1: b')
    expect(missed(judgeRun(tallied(['a', 400], ['b', 400]), after))).toEqual([
      'requests',
      'operations that were never carried out',
      'share of requests that were served',
    ])
  })

  test('refuses a run of which too much was told to come back later', () => {
    const limited = tallied(['a', 200], ['b', 200], ['a', 400], ['b', 429])
    expect(missed(judgeRun(limited, after))).toEqual(['share of requests that were too many'])
  })

  test('refuses each kind of fault, a dead server, a fault in the log, and memory that grows', () => {
    for (const kind of ['server-error', 'envelope', 'internals', 'unanswered'] as const) {
      const tally = tallied(['a', 200], ['b', 200], ['b', 400])
      countAnswer(tally, 'a', 400, { kind, problem: 'x' })
      expect(missed(judgeRun(tally, after))).toHaveLength(1)
    }
    const tally = tallied(['a', 200], ['b', 200], ['b', 400], ['b', 400])
    expect(missed(judgeRun(tally, { ...after, errorLines: 2 }))).toEqual(['lines of the log that tell of a fault'])
    for (const [broken, what] of [
      [{ ...server, isAlive: false }, 'servers alive at the end'],
      [{ ...server, grownMb: 251 }, 'memory grown, of the server that grew most'],
    ] as const) {
      expect(missed(judgeRun(tally, { ...after, servers: [broken, server] }))).toEqual([what])
      expect(missed(judgeRun(tally, { ...after, servers: [server, broken] }))).toEqual([what])
    }
    const more = { ...tally, leftovers: 1 }
    expect(missed(judgeRun(more, after))).toEqual(['connections that brought more than their answers'])
    const letIn = { ...tally, letInFromElsewhere: 1 }
    expect(missed(judgeRun(letIn, after))).toEqual(['changes by cookie for pages of others that were let in'])
  })
})

describe('what is attacked', () => {
  const attacked = ['/srv/first', '/srv/second'].map((location) => ({ store: { location } }))

  test.each([
    ['of the first server', 'kept in /srv/first', 'internals'],
    ['of the second server', 'kept in /srv/second', 'internals'],
    ['of neither', 'kept in /srv/third', undefined],
  ])('may not tell where a database lies: %s', (_, body, kind) => {
    const answer = { status: 200, headers: new Map([['x-request-id', ['request-1']]]), body, size: body.length }
    const asked = {
      manner: 'files',
      mayFailAsCapability: false,
      mayCloseUnanswered: false,
      isHead: false,
      insides: insidesOf(attacked),
      ownersInsides: [],
    } as const
    expect(faultOf({ kind: 'answer', answer, isOpen: true }, asked)?.kind).toBe(kind)
  })

  test('has the memory of each server measured, not of one', () => {
    const own = { server: { pid: process.pid } }
    expect(residentBytes([own, own]).map((bytes) => bytes > 0)).toEqual([true, true])
  })
})
