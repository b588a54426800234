import type { CallResult } from '../dispatch/call-result.ts'
import type { AgentCall, Tell } from './agent-event.ts'

/** Makes one capability call. Resolves with its outcome, failures included; rejects only when the service itself failed. */
export type CallCapability = (call: AgentCall) => Promise<CallResult>

interface Ended {
  call: AgentCall
  outcome: { ok: true; result: CallResult } | { ok: false; fault: unknown }
}

/**
 * Makes the calls of one step, at most `maxParallel` at once, and tells of each as it starts and ends. Returns the results
 * by call id. Once the service itself has failed no further call is started, and the fault is thrown after the rest ended.
 */
export async function runCalls(
  calls: readonly AgentCall[],
  call: CallCapability,
  context: { maxParallel: number; now: () => number; mayStart: () => boolean; tell: Tell },
): Promise<Map<string, CallResult>> {
  const waiting = [...calls]
  const underWay = new Map<string, Promise<Ended>>()
  const results = new Map<string, CallResult>()
  const faults: unknown[] = []
  const mayStart = () => faults.length === 0 && underWay.size < context.maxParallel && context.mayStart()
  for (;;) {
    for (let next = mayStart() ? waiting.shift() : undefined; next; next = mayStart() ? waiting.shift() : undefined) {
      await context.tell({ type: 'capability-start', call: next, startedAt: context.now() })
      underWay.set(next.callId, makeCall(call, next))
    }
    if (underWay.size === 0) break
    const ended = await Promise.race(underWay.values())
    underWay.delete(ended.call.callId)
    if (!ended.outcome.ok) {
      faults.push(ended.outcome.fault)
      continue
    }
    results.set(ended.call.callId, ended.outcome.result)
    await context.tell({ type: 'capability-end', call: ended.call, result: ended.outcome.result })
  }
  if (faults.length > 0) throw faults[0]
  return results
}

async function makeCall(call: CallCapability, made: AgentCall): Promise<Ended> {
  try {
    return { call: made, outcome: { ok: true, result: await call(made) } }
  } catch (fault) {
    return { call: made, outcome: { ok: false, fault } }
  }
}
