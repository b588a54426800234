import type { CallResult } from '../dispatch/call-result.ts'
import type { AgentCall, Emit } from './agent-event.ts'

/**
 * Why a call is not made, and the result in its place. `waits`: a person decides about it later. `refused`: it counts as no
 * capability call, like one with an unknown name. `failed`: the endpoint gave no preview to show to that person.
 */
export interface Judgement {
  kind: 'waits' | 'refused' | 'failed'
  result: CallResult
}

/** Decides whether a call is made: null lets it run. Rejects only when the service itself failed. */
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
  const worker = async () => {
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
  await Promise.all(Array.from({ length: Math.min(maxParallel, calls.length) }, worker))
  if (faults.length > 0) throw faults[0]
  return { results, areWaiting }
}
