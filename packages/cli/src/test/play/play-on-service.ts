import type { Message } from '@svc/contract'
import { executor } from '../../control-plane/execute.ts'
import type { CliDeps } from '../../deps.ts'
import { endUserTokenOf } from '../../project/end-user-token.ts'
import type { Project } from '../../project/load-project.ts'
import type { ConversationFile } from '../read-test-file.ts'
import { type Conversation, userMessage } from './played.ts'

type Played = { readonly test: Pick<ConversationFile, 'turns'>; readonly project: Pick<Project, 'baseUrl'> }

/** Plays a test through the running control plane. */
export function playOnService(deps: Pick<CliDeps, 'env' | 'fetch'>, { test, project }: Played): Conversation {
  const { env } = deps
  const execute = executor(deps, { env, baseUrl: project.baseUrl, endUserToken: endUserTokenOf(deps) })
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
