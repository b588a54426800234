import { describe, expect, test } from 'vitest'
import type { AgentCall, AgentEvent } from '../../src/agent/agent-event.ts'
import { type JudgeCall, runCalls } from '../../src/agent/run-calls.ts'
import type { CallResult } from '../../src/dispatch/call-result.ts'
import { JsonDocument } from '../../src/lib/json-document.ts'
import { createGate, deferred } from '../support/deferred.ts'
import { failed, succeeded } from './agent-support.ts'

function callsOf(count: number): AgentCall[] {
  return Array.from({ length: count }, (_, ordinal) => ({
    callId: `call_${ordinal}`,
    capability: 'echo',
    step: 1,
    ordinal,
    input: JsonDocument.of({ ordinal }),
  }))
}

interface Context {
  maxParallel?: number
  signal?: AbortSignal
  judge?: JudgeCall
  onEvent?: (event: AgentEvent) => void
}

/** Runs calls to their end; tells of each event by its type and its call. */
async function run(calls: readonly AgentCall[], call: (made: AgentCall) => Promise<CallResult>, context: Context = {}) {
  const told: string[] = []
  const { results, areWaiting } = await runCalls(calls, call, {
    maxParallel: context.maxParallel ?? 5,
    now: () => 1000,
    judge: context.judge ?? (async () => null),
    mayStart: () => context.signal?.aborted !== true,
    emit(event) {
      if (event.type === 'capability-start' || event.type === 'capability-end') {
        told.push(`${event.type === 'capability-start' ? 'start' : 'end'} ${event.call.ordinal}`)
      }
      context.onEvent?.(event)
    },
  })
  return { told, results, areWaiting }
}

describe('calls of one step', () => {
  // holds LOOP-04
  test('are at most five under way at once, and as soon as one ends the next one starts', async () => {
    const gate = createGate()
    const running = run(callsOf(12), async ({ input }) => {
      await gate.enter()
      return succeeded(input)
    })
    for (let ended = 0; ended < 7; ended += 1) {
      await gate.arrived(5 + ended)
      expect(gate.waiting).toBe(5)
      gate.letOne()
    }
    await gate.arrived(12)
    gate.open()
    const { results, told } = await running
    expect(gate.mostAtOnce).toBe(5)
    expect(results.size).toBe(12)
    expect(told.slice(0, 5)).toEqual(['start 0', 'start 1', 'start 2', 'start 3', 'start 4'])
    expect(told).toHaveLength(24)
  })

  test('start in their order, whichever ends first', async () => {
    const ends = Array.from({ length: 3 }, () => deferred<CallResult>())
    const running = run(callsOf(3), async ({ ordinal }) => {
      if (ordinal === 2) for (const each of [2, 0, 1]) ends[each]?.resolve(succeeded(each))
      return ends[ordinal]?.promise ?? failed('none')
    })
    const { results, told } = await running
    expect(told.slice(0, 3)).toEqual(['start 0', 'start 1', 'start 2'])
    expect([...told.slice(3)].sort()).toEqual(['end 0', 'end 1', 'end 2'])
    expect([0, 1, 2].map((ordinal) => results.get(`call_${ordinal}`))).toEqual([
      succeeded(0),
      succeeded(1),
      succeeded(2),
    ])
  })

  test('one after the other where one at once is all that is allowed', async () => {
    const { told } = await run(callsOf(3), async () => succeeded(null), { maxParallel: 1 })
    expect(told).toEqual(['start 0', 'end 0', 'start 1', 'end 1', 'start 2', 'end 2'])
  })

  test('that fail are results like any other', async () => {
    const { results } = await run(callsOf(2), async ({ ordinal }) =>
      ordinal === 0 ? failed('sold out') : succeeded('ok'),
    )
    expect([...results.values()]).toEqual([failed('sold out'), succeeded('ok')])
  })

  test('that wait for a person or are refused are no calls, and those that are judged to fail are not made', async () => {
    const made: number[] = []
    const kinds = ['waits', 'failed', null, 'refused'] as const
    const judge: JudgeCall = async ({ ordinal }) => {
      const kind = kinds[ordinal]
      return kind ? { kind, result: failed(kind) } : null
    }
    const call = async ({ ordinal }: AgentCall) => {
      made.push(ordinal)
      return succeeded('ok')
    }
    const { told, results, areWaiting } = await run(callsOf(4), call, { judge, maxParallel: 1 })
    expect([made, areWaiting]).toEqual([[2], true])
    expect([...results.values()]).toEqual([failed('waits'), failed('failed'), succeeded('ok'), failed('refused')])
    expect(told).toEqual(['start 1', 'end 1', 'start 2', 'end 2'])
  })

  test('none are no events and no results', async () => {
    const { told, results } = await run([], async () => failed('never'))
    expect([told, results.size]).toEqual([[], 0])
  })
})

describe('when the service itself fails', () => {
  test('no further call starts, those under way are told of, and then the fault is thrown', async () => {
    const started: number[] = []
    const slow = deferred<CallResult>()
    const told: AgentEvent[] = []
    const running = run(
      callsOf(10),
      async ({ ordinal }) => {
        started.push(ordinal)
        if (ordinal === 0) throw new Error('the store is gone')
        if (ordinal === 1) return slow.promise
        if (started.length === 5) slow.resolve(succeeded('late'))
        return succeeded('ok')
      },
      { onEvent: (event) => told.push(event) },
    )
    await expect(running).rejects.toThrow('the store is gone')
    expect(started).toEqual([0, 1, 2, 3, 4])
    const ended = told.flatMap((event) => (event.type === 'capability-end' ? [event.call.ordinal] : []))
    expect([...ended].sort()).toEqual([1, 2, 3, 4])
  })
})

describe('when it is stopped', () => {
  test('no further call starts, and those under way are waited for and told of', async () => {
    const stop = new AbortController()
    const { told, results } = await run(
      callsOf(10),
      async ({ ordinal }) => {
        if (ordinal === 4) stop.abort()
        return succeeded(ordinal)
      },
      { signal: stop.signal },
    )
    expect(told.filter((event) => event.startsWith('start'))).toHaveLength(5)
    expect(told.filter((event) => event.startsWith('end'))).toHaveLength(5)
    expect(results.size).toBe(5)
  })

  test('before the first call none is made', async () => {
    const { told } = await run(callsOf(3), async () => succeeded(null), { signal: AbortSignal.abort() })
    expect(told).toEqual([])
  })
})
