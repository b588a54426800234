import { hash } from 'node:crypto'
import type { AgentCall } from '../agent/agent-event.ts'
import type { CallResult } from '../dispatch/call-result.ts'
import type { DispatchCall } from '../dispatch/call-types.ts'
import type { SignedInUser } from '../end-users/signed-in-user.ts'
import { EMPTY_OBJECT } from '../lib/json-document.ts'
import { randomText } from '../lib/random.ts'
import type { ServingRuntime } from '../runtimes/serving-runtime.ts'
import { readSecrets } from '../runtimes/serving-runtime.ts'
import { type Span, within } from '../telemetry/tracing.ts'
import type { ExecutionDeps } from './deps.ts'
import type { ExecutionScope } from './running.ts'

type SendDeps = Pick<ExecutionDeps, 'db' | 'clock' | 'keyring' | 'dispatcher' | 'lease'>

export interface SendingExecution {
  runtime: ServingRuntime
  executionId: string
  request: Pick<DispatchCall, 'endUserToken'> & {
    metadata: DispatchCall['metadata'] | undefined
    endUser?: SignedInUser | undefined
  }
}

type SentCall = Pick<AgentCall, 'callId' | 'capability' | 'input'> & Pick<DispatchCall, 'mode' | 'approval'>

/** Sends one call that was recorded, or asks for a preview. One that must not or cannot be sent fails without a dispatch. */
export async function sendCall(
  deps: SendDeps,
  { admitted, scope }: { admitted: SendingExecution; scope: ExecutionScope },
  call: SentCall,
): Promise<CallResult> {
  const { callId, capability, input, mode, approval } = call
  const { runtime, executionId, request } = admitted
  if (scope.stopReason !== null) return unsent(UNSENT.stopped)
  if (runtime.endpoint === null) return unsent(UNSENT.noEndpoint)
  if (!deps.lease.isHeld()) return interruptedResult()
  const { endpoint } = runtime
  const send = ({ traceparent = executionTraceparent(executionId) }: Span) =>
    deps.dispatcher.dispatch(
      { readSecrets: () => readSecrets(deps, runtime.runtimeId), ...runtime, endpoint },
      {
        callId,
        capability,
        input,
        executionId,
        mode,
        approval,
        metadata: request.metadata ?? EMPTY_OBJECT,
        endUserToken: request.endUserToken,
        endUser: request.endUser?.told,
        traceparent,
        held: scope.held,
        signal: scope.dispatchSignal,
      },
    )
  const attributes = { 'svc.call_id': callId, 'svc.capability': capability, 'svc.runtime_id': runtime.runtimeId }
  return within(scope.span, 'capability call', send, { attributes, hasFailed: ({ ok }) => !ok })
}

/** The result of a call that was not sent: another node may have failed its execution already. */
export function interruptedResult(): CallResult {
  return unsent(UNSENT.interrupted)
}

export const UNSENT = {
  stopped: 'The call was not made: the execution was stopped.',
  noEndpoint: 'The call was not made: the runtime has no endpoint.',
  interrupted: 'The call was not made: the service was interrupted.',
} as const

function unsent(message: string): CallResult {
  return { ok: false, message, durationMs: 0 }
}

// Without a tracer the calls of one execution share a trace id made from the execution's.
export function executionTraceparent(executionId: string): string {
  const traceId = hash('sha256', executionId).slice(0, 32)
  return `00-${traceId}-${randomText(8, 'hex')}-01`
}
