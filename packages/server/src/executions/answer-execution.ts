import type { ExecuteResponse } from '@svc/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { transcriptWeight } from '../admission/heap-weight.ts'
import type { Deps } from '../deps.ts'
import { invalid } from '../errors.ts'
import { JSON_TYPE, jsonInOne } from '../http/json-pieces.ts'
import { accountOfRequest, noteAdmission, notesOf, onClientGone } from '../http/request-notes.ts'
import { type EventStream, openEventStream, wantsStream } from '../http/sse.ts'
import type { Located } from '../runtimes/serving.ts'
import { within } from '../telemetry/tracing.ts'
import { admitExecution, type ExecuteInput, type OnEvent, runExecution } from './execute.ts'
import { sizeFaults } from './rules.ts'

/** Admits an execute, runs it, and gives its answer; none where the caller asked for a stream, which has ended in `done` by then. */
export async function answerExecution(
  deps: Deps,
  http: { request: FastifyRequest; reply: FastifyReply },
  located: Located,
  input: ExecuteInput,
): Promise<ExecuteResponse | undefined> {
  const { request, reply } = http
  const faults = sizeFaults(input, deps.limits)
  if (faults) throw invalid(faults)
  // Begun before it is let in: whoever leaves meanwhile is noticed, and a service that stops waits for it.
  const scope = deps.running.begin(accountOfRequest(request), deps.limits.executionMs, notesOf(request))
  onClientGone(reply, () => scope.stop('cancelled'))
  try {
    const admitted = await within(scope.span, 'admit', () => admitExecution(deps, { located, scope }, input))
    noteAdmission(request, admitted.executionId)
    const hold = (bytes: number) => scope.held.take(transcriptWeight(bytes))
    if (!wantsStream(request.headers.accept)) {
      const answer = await runExecution(deps, admitted, input, { scope, hold, onEvent: () => {} })
      // Not earlier: a refusal is sent as text.
      reply.type(JSON_TYPE).serializer(jsonInOne)
      return answer
    }
    const stream = openEventStream(reply)
    const onEvent: OnEvent = (event) => stream.send(event)
    await streamExecution(stream, () => runExecution(deps, admitted, input, { scope, hold, onEvent }))
    return undefined
  } finally {
    scope.end()
  }
}

// Whatever happens, the stream ends: nobody else can answer any more.
async function streamExecution(stream: EventStream, run: () => Promise<ExecuteResponse>): Promise<void> {
  try {
    const result = await run()
    await stream.send({ type: 'done', ...result })
  } finally {
    stream.end()
  }
}
