import { describe, expect, test } from 'vitest'
import { judgeStreams, type MeasuredStreams } from '../../src/bench/streams/judge.ts'
import { createMarkCounter } from '../../src/bench/streams/mark-counter.ts'
import type { SeenStream } from '../../src/bench/streams/stream-order.ts'

const plan = { streams: 2, eventsEach: 5 }

interface Given {
  stream?: Partial<SeenStream>
  peakOpen?: number
  cpuMs?: number
  leastResidentBytes?: number
  peakResidentBytes?: number
}

function source(
  name: string,
  { stream = {}, peakOpen = 2, cpuMs = 10, leastResidentBytes = 1_000, peakResidentBytes = 3_000 }: Given,
): MeasuredStreams {
  const whole: SeenStream = { status: 200, events: 5, firstEventMs: 4, longestGapMs: 110, isComplete: true }
  const streams = [whole, { ...whole, ...stream }]
  return {
    name,
    idleResidentBytes: 1_000,
    turns: [{ streams, peakOpen, cpuMs, leastResidentBytes, peakResidentBytes }],
  }
}

const direct = source('model', { stream: { firstEventMs: 1 } })
const relay = source('relay', {})

function missed(ours: Given): string[] {
  return judgeStreams(direct, relay, [source('svc', ours)], plan)
    .filter(({ passed }) => !passed)
    .map(({ what }) => what)
}

describe('streams', () => {
  test('whole, early and cheap', () => {
    expect(missed({ cpuMs: 15 })).toEqual([])
  })

  test.each<[string, Given, string]>([
    ['one broken off', { stream: { isComplete: false } }, 'svc, complete streams'],
    ['an event too few', { stream: { events: 4 } }, 'svc, complete streams'],
    ['not all open at once', { peakOpen: 1 }, 'svc, streams open at once'],
    ['a late first event', { stream: { firstEventMs: 40 } }, 'svc, ms added to the first event at the median'],
    ['a long silence', { stream: { longestGapMs: 1_500 } }, 'svc, longest gap between two events'],
    ['too much processor time', { cpuMs: 17 }, 'svc, CPU per event over that of the relay by event'],
    ['too much memory', { peakResidentBytes: 4_000 }, 'svc, memory per stream over that of the relay by event'],
    ['memory given back first', { leastResidentBytes: 100 }, 'svc, memory per stream over that of the relay by event'],
    [
      'memory that says nothing',
      { peakResidentBytes: 1_000 },
      'svc, memory per stream over that of the relay by event',
    ],
  ])('%s is noticed', (_, ours, expected) => {
    expect(missed(ours)).toContain(expected)
  })
})

test('marks are counted wherever the pieces of a stream are cut', () => {
  const text = 'data: a\n\ndata: a\n\nxdata: b'
  for (let size = 1; size <= text.length; size += 1) {
    const count = createMarkCounter('data: a')
    let found = 0
    for (let at = 0; at < text.length; at += size) found += count(text.slice(at, at + size))
    expect(found, `in pieces of ${size}`).toBe(2)
  }
})

test('a mark is not found twice in itself', () => {
  const count = createMarkCounter('aa')
  expect([count('aa'), count('a'), count('a')]).toEqual([1, 0, 1])
})
