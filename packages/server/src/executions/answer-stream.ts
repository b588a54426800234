import { EXECUTION_ID_HEADER, type ExecuteResponse } from '@svc/contract'
import type { FastifyReply } from 'fastify'
import { stringifyJson } from '../http/json-answer.ts'
import { stateOf } from '../http/request-state.ts'
import { type EventStream, openEventStream } from '../http/sse.ts'
import { resumeKeyOf } from '../streams/resume-key-rules.ts'
import { frameOf } from '../streams/run-events.ts'
import type { StreamedRun, StreamedRuns } from '../streams/streamed-runs.ts'
import type { Admitted } from './admit.ts'
import type { ExecutionDeps } from './deps.ts'
import type { OnEvent } from './execute.ts'
import type { ExecutionScope } from './running.ts'

/** Sends one event. Returns a promise where the execution must wait for its reader. */
type Send = (type: string, data: string) => Promise<void> | void

/** Streams an execution: `execution`, its events, `done` once it was settled. A detached one outlives its caller. */
export async function answerStream(
  { streams, keyring }: Pick<ExecutionDeps, 'streams' | 'keyring'>,
  { reply, admitted, scope }: { reply: FastifyReply; admitted: Admitted<null>; scope: ExecutionScope },
  isDetached: boolean,
  run: (onEvent: OnEvent) => Promise<ExecuteResponse>,
): Promise<void> {
  const { executionId, runtime } = admitted
  const { ownerId, runtimeId } = runtime
  const streamed = streams.begin({ executionId, ownerId, cancel: () => scope.stop('cancelled'), isDetached })
  // A balancer can route by it what is asked of this execution later.
  reply.header(EXECUTION_ID_HEADER, executionId)
  const stream = openEventStream(reply)
  const send = isDetached ? detach(streams, streamed, stream) : sendTo(stream)
  if (isDetached) stateOf(reply.request).onGone = null
  let result: ExecuteResponse | null = null
  try {
    const begun = { type: 'execution', executionId, resumeKey: resumeKeyOf(keyring, { runtimeId, executionId }) }
    void send('execution', JSON.stringify(begun))
    result = await run((event) => (isDetached || !stream.isGone ? send(event.type, JSON.stringify(event)) : undefined))
  } finally {
    // Only the last event holds outputs, which are JSON text already.
    const isRead = result !== null && (isDetached || !stream.isGone)
    const done = isRead ? stringifyJson({ type: 'done', ...result }) : null
    if (!isDetached && done !== null) void send('done', done)
    streams.end(streamed, result?.status ?? 'running', done)
    if (!isDetached) stream.end()
  }
}

function sendTo(stream: EventStream): Send {
  let id = 0
  return (type, data) => {
    id += 1
    return stream.write(frameOf(id, type, data)) ? undefined : stream.writable()
  }
}

/** The events wait for their readers, this stream first: no reader slows the execution. */
function detach(streams: StreamedRuns, run: StreamedRun, stream: EventStream): Send {
  run.events?.attach(stream, 0)
  return (type, data) => streams.append(run, type, data)
}
