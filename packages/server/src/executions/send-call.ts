import { hash } from 'node:crypto'
import type { AgentCall } from '../agent/agent-event.ts'
import type { Deps } from '../deps.ts'
import type { CallResult } from '../dispatch/call-result.ts'
import { randomText } from '../lib/random.ts'
import { readSecrets } from '../runtimes/signing-secret.ts'
import type { Secret } from '../secrets/secret.ts'
import { type Span, within } from '../telemetry/tracing.ts'
import type { NewCall } from './call-rules.ts'
import type { Admitted } from './enter.ts'
import type { ExecutionScope } from './running.ts'

interface CallContext {
  admitted: Admitted<NewCall | null>
  endUserToken: Secret | undefined
  scope: ExecutionScope
}

/** Sends one call that has been written down. One that must not or cannot leave any more fails without a dispatch. */
export async function sendCall(
  deps: Pick<Deps, 'db' | 'clock' | 'keyring' | 'dispatcher' | 'lease'>,
  context: CallContext,
  call: Pick<AgentCall, 'callId' | 'capability' | 'input' | 'inputText'>,
): Promise<CallResult> {
  const { admitted, endUserToken, scope } = context
  const { runtime, executionId, wish } = admitted
  if (scope.stopReason !== null) return unsent(UNSENT.stopped)
  if (runtime.endpoint === null) return unsent(UNSENT.noEndpoint)
  if (!deps.lease.isHeld()) return interrupted()
  const { endpoint } = runtime
  const attributes = {
    'svc.call_id': call.callId,
    'svc.capability': call.capability,
    'svc.runtime_id': runtime.runtimeId,
  }
  const send = ({ traceparent = executionTraceparent(executionId) }: Span) =>
    deps.dispatcher.dispatch(
      { ...runtime, endpoint, readSecrets: () => readSecrets(deps, runtime.runtimeId) },
      {
        ...call,
        executionId,
        metadata: wish.metadata ?? {},
        metadataText: admitted.metadata ?? '{}',
        endUserToken,
        traceparent,
        held: scope.held,
        signal: scope.dispatchSignal,
      },
    )
  return within(scope.span, 'capability call', send, { attributes, hasFailed: ({ ok }) => !ok })
}

/**
 * What a call comes to whose node holds no lease. Whoever took over its executions has failed this one already: it must
 * have no further effect, and nothing more may be written of it.
 */
export function interrupted(): CallResult {
  return unsent(UNSENT.interrupted)
}

export const UNSENT = {
  stopped: 'The call was not made: the execution was stopped.',
  noEndpoint: 'The runtime has no endpoint.',
  interrupted: 'The service was interrupted.',
} as const

function unsent(message: string): CallResult {
  return { ok: false, message, durationMs: 0 }
}

// Where nobody traces, the calls of one execution share a trace of their own, whose id follows from the execution's.
function executionTraceparent(executionId: string): string {
  const traceId = hash('sha256', executionId).slice(0, 32)
  return `00-${traceId}-${randomText(8, 'hex')}-01`
}
