import type { CallResult } from '../dispatch/call-result.ts'
import type { AgentCall, Emit } from './agent-event.ts'

/**
 * The result in place of a call. `waits`: a person decides about the call later. `refused`: it is no capability call, like
 * one with an unknown name. `failed`: its endpoint was asked what it would do, and gave no answer to show.
 */
export interface Judgement {
  kind: 'waits' | 'refused' | 'failed'
  result: CallResult
}

/** Judges a call before it is made: null lets it run. Rejects only when the service itself failed. */
export type JudgeCall = (call: AgentCall) => Promise<Judgement | null>

/** Makes one capability call. A failed call is a result; rejects only when the service itself failed. */
export type CallCapability = (call: AgentCall) => Promise<CallResult>

interface RunOptions {
  maxParallel: number
  now(): number
  mayStart(): boolean
  emit: Emit
  judge: JudgeCall
}

/**
 * Makes the calls of one step, at most `maxParallel` at once, and returns their results by call id, and whether any
 * waits for a person. After a fault of the service no further call starts, and the fault is thrown once the others have ended.
 */
export async function runCalls(
  calls: readonly AgentCall[],
  call: CallCapability,
  { maxParallel, now, mayStart, emit, judge }: RunOptions,
): Promise<{ results: Map<string, CallResult>; areWaiting: boolean }> {
  const waiting = [...calls]
  const results = new Map<string, CallResult>()
  const faults: unknown[] = []
  let areWaiting = false
  const work = async () => {
    while (faults.length === 0 && mayStart()) {
      const next = waiting.shift()
      if (!next) return
      try {
        const startedAt = now()
        const judged = await judge(next)
        if (judged && judged.kind !== 'failed') {
          results.set(next.callId, judged.result)
          areWaiting ||= judged.kind === 'waits'
          continue
        }
        await emit({ type: 'capability-start', call: next, startedAt })
        const result = judged?.result ?? (await call(next))
        results.set(next.callId, result)
        await emit({ type: 'capability-end', call: next, result })
      } catch (fault) {
        faults.push(fault)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(maxParallel, calls.length) }, work))
  if (faults.length > 0) throw faults[0]
  return { results, areWaiting }
}
