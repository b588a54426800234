import { ExecuteResponse, keyKindOf, type Message } from '@svc/contract'
import { refused } from '../../control-plane/faults.ts'
import { request } from '../../control-plane/request.ts'
import type { CliDeps } from '../../deps.ts'
import { projectFailure, serverFailure } from '../../failures.ts'
import { endUserTokenOf } from '../../project/end-user-token.ts'
import type { Project } from '../../project/load-project.ts'
import type { ConversationFile } from '../read-test-file.ts'
import { type Conversation, userMessage } from './played.ts'

// Above the five minutes that an execution takes at most.
const TIMEOUT_MS = 330_000

/** Plays a test through the running control plane, as a page does: with the runtime’s public key. */
export function playOnService(
  deps: Pick<CliDeps, 'env' | 'fetch'>,
  { test, project }: { test: Pick<ConversationFile, 'turns'>; project: Pick<Project, 'baseUrl'> },
): Conversation {
  const execute = createExecute(deps, project)
  const transcript: Message[] = []
  return {
    async play(at) {
      const user = test.turns[at]?.user ?? ''
      transcript.push(userMessage(user))
      const { messages, finishReason, error } = await execute(transcript)
      transcript.push(...messages)
      return { user, messages, finishReason, error: error?.message ?? null, problems: [] }
    },
  }
}

function createExecute({ env, fetch }: Pick<CliDeps, 'env' | 'fetch'>, { baseUrl }: Pick<Project, 'baseUrl'>) {
  const bearer = env['SVC_PUBLIC_KEY']?.trim() ?? ''
  if (keyKindOf(bearer) !== 'public') {
    throw projectFailure('SVC_PUBLIC_KEY is not set to a public key, svc_pk_….', [
      'The service runs a conversation with the runtime’s public key. Put it into .env, beside svc.config.ts.',
    ])
  }
  const notAccepted = () => serverFailure(`The key in SVC_PUBLIC_KEY is not valid at ${baseUrl}.`, ['Copy it again.'])
  const endUserToken = endUserTokenOf({ env }) ?? undefined
  return async (messages: readonly Message[]): Promise<ExecuteResponse> => {
    const input = {
      method: 'POST',
      path: '/v1/runtime/execute',
      body: { messages, endUserToken },
      timeoutMs: TIMEOUT_MS,
      answer: ExecuteResponse,
    } as const
    const answer = await request({ fetch }, { baseUrl, bearer, notAccepted }, input)
    if (!answer.ok) throw refused(answer.refusal)
    return answer.value
  }
}
