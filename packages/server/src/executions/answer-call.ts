import type { FastifyReply } from 'fastify'
import type { Deps } from '../deps.ts'
import { invalid } from '../errors.ts'
import { JSON_TYPE, jsonInOne } from '../http/json-pieces.ts'
import { accountOfRequest, noteAdmission, notesOf, onClientGone } from '../http/request-notes.ts'
import type { Located } from '../runtimes/serving.ts'
import { within } from '../telemetry/tracing.ts'
import { type AdmittedCall, type CallInput, type CallOutcome, runCall } from './call-capability.ts'
import type { Entrant } from './enter.ts'
import { sizeFaults } from './rules.ts'

export async function answerCall(
  deps: Deps,
  { reply, located }: { reply: FastifyReply; located: Located },
  input: CallInput,
  admit: (deps: Deps, entrant: Entrant, input: CallInput) => Promise<AdmittedCall>,
): Promise<CallOutcome> {
  const { metadata, metadataText, endUserToken } = input
  const faults = sizeFaults({ metadata, metadataText, endUserToken }, deps.limits)
  if (faults) throw invalid(faults)
  // Begun before it is let in: whoever leaves meanwhile is noticed, and a service that stops waits for it.
  const { request } = reply
  const scope = deps.running.begin(accountOfRequest(request), deps.limits.executionMs, notesOf(request))
  onClientGone(reply, () => scope.stop('cancelled'))
  try {
    const admitted = await within(scope.span, 'admit', () => admit(deps, { located, scope }, input))
    noteAdmission(request, admitted.executionId)
    const outcome = await runCall(deps, admitted, input, scope)
    // Not earlier: a refusal is sent as text.
    reply.type(JSON_TYPE).serializer(jsonInOne)
    return outcome
  } finally {
    scope.end()
  }
}
