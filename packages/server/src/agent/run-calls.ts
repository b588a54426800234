import type { CallResult } from '../dispatch/call-result.ts'
import type { AgentCall, Emit } from './agent-event.ts'

/** Makes one capability call. A failed call is a result; rejects only when the service itself failed. */
export type CallCapability = (call: AgentCall) => Promise<CallResult>

/**
 * Makes the calls of one step, at most `maxParallel` at once, and returns their results by call id. After a fault of the
 * service no further call starts, and the fault is thrown once the others have ended.
 */
export async function runCalls(
  calls: readonly AgentCall[],
  call: CallCapability,
  { maxParallel, now, mayStart, emit }: { maxParallel: number; now(): number; mayStart(): boolean; emit: Emit },
): Promise<Map<string, CallResult>> {
  const waiting = [...calls]
  const results = new Map<string, CallResult>()
  const faults: unknown[] = []
  const work = async () => {
    while (faults.length === 0 && mayStart()) {
      const next = waiting.shift()
      if (!next) return
      try {
        await emit({ type: 'capability-start', call: next, startedAt: now() })
        const result = await call(next)
        results.set(next.callId, result)
        await emit({ type: 'capability-end', call: next, result })
      } catch (fault) {
        faults.push(fault)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(maxParallel, calls.length) }, work))
  if (faults.length > 0) throw faults[0]
  return results
}
