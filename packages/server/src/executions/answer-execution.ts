import type { ExecuteResponse } from '@svc/contract'
import type { FastifyReply } from 'fastify'
import { transcriptWeight } from '../admission/heap-weight.ts'
import { invalid } from '../errors.ts'
import { answerJsonText } from '../http/json-answer.ts'
import { accountOfRequest, setExecution, stateOf } from '../http/request-state.ts'
import { wantsStream } from '../http/sse.ts'
import type { CachedRuntime } from '../runtimes/serving-cache.ts'
import { within } from '../telemetry/tracing.ts'
import { answerStream } from './answer-stream.ts'
import type { StoredIdempotencyKey } from './batch-rules.ts'
import { admitCall, type CallOutcome, type CallRequest, runCall } from './call-capability.ts'
import type { ExecutionDeps } from './deps.ts'
import { admitExecution, type ExecuteInput, runExecution } from './execute.ts'
import { runOnce } from './idempotency.ts'
import { sizeFaults } from './payload-rules.ts'
import type { ExecutionScope } from './running.ts'

/** Admits an execute, runs it and returns its answer; undefined where the answer was streamed. */
export async function answerExecution(
  deps: ExecutionDeps,
  { reply, cached }: { reply: FastifyReply; cached: CachedRuntime },
  input: ExecuteInput,
): Promise<ExecuteResponse | undefined> {
  const scope = beginScope(deps, reply, input)
  const { request } = reply
  try {
    const admitted = await within(scope.span, 'admit', () => admitExecution(deps, { cached, scope }, input))
    setExecution(request, admitted.executionId)
    const hold = (bytes: number) => scope.held.take(transcriptWeight(bytes))
    if (!wantsStream(request.headers.accept)) {
      const answer = await runExecution(deps, admitted, input, { scope, hold, onEvent: () => {} })
      answerJsonText(reply)
      return answer
    }
    await answerStream(deps, { reply, admitted, scope }, input.isDetached, (onEvent) =>
      runExecution(deps, admitted, input, { scope, hold, onEvent }),
    )
    return undefined
  } finally {
    scope.end()
  }
}

export async function answerCall(
  deps: ExecutionDeps,
  { reply, cached }: { reply: FastifyReply; cached: CachedRuntime },
  call: CallRequest,
): Promise<CallOutcome> {
  const scope = beginScope(deps, reply, call)
  try {
    const run = async (storedKey?: StoredIdempotencyKey) => {
      const admitted = await within(scope.span, 'admit', () => admitCall(deps, { cached, scope }, call, storedKey))
      setExecution(reply.request, admitted.executionId)
      return runCall(deps, admitted, call, scope)
    }
    const outcome = await runOnce(deps, { cached, scope }, call, run)
    answerJsonText(reply)
    return outcome
  } finally {
    scope.end()
  }
}

/** Begins before admission: a caller who leaves meanwhile is noticed, and a service that stops waits for the execution. */
function beginScope(
  { running, limits }: ExecutionDeps,
  reply: FastifyReply,
  input: Parameters<typeof sizeFaults>[0] & Partial<Pick<CallRequest, 'endsWithCaller'>>,
): ExecutionScope {
  const faults = sizeFaults(input, limits)
  if (faults) throw invalid(faults)
  const { request } = reply
  const scope = running.begin(accountOfRequest(request), limits.executionMs, stateOf(request))
  const leave = () => {
    scope.stop('cancelled')
    if (input.endsWithCaller) scope.dispatchSignal.abort()
  }
  if (reply.raw.destroyed) leave()
  else stateOf(request).onGone = leave
  return scope
}
