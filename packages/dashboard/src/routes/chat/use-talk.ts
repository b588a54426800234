import { type Conversation, type ConversationSnapshot, createConversation, createExecutionClient } from '@svc/widget'
import { useConversation } from '@svc/widget/react'
import { useQueryClient } from '@tanstack/react-query'
import { type RefObject, useEffect, useMemo, useRef } from 'react'
import { ownerApi } from './owner-api.ts'

/**
 * A conversation with a runtime over the owner’s API, which lives as long as the screen. Each request carries the token of
 * the end user that is acted for at that moment; an empty one is none.
 */
export function useTalk(
  runtimeId: string,
  endUserToken: string,
): ConversationSnapshot & { conversation: Conversation } {
  const token = useRef(endUserToken)
  useEffect(() => {
    token.current = endUserToken
  }, [endUserToken])
  const conversation = useMemo(() => newConversation(runtimeId, token), [runtimeId])
  const { turns, isBusy } = useConversation(conversation)
  const queryClient = useQueryClient()
  const wasBusy = useRef(false)
  useEffect(() => {
    const hasEnded = wasBusy.current && !isBusy
    wasBusy.current = isBusy
    if (!hasEnded) return
    const last = conversation.getSnapshot().turns.at(-1)
    const isRefused = last?.role === 'assistant' && last.problem?.kind === 'misconfigured'
    // A session that is over is noticed by whatever is asked next, which leads to the sign-in page.
    void queryClient.invalidateQueries(isRefused ? {} : { queryKey: ['executions'] })
  }, [conversation, isBusy, queryClient])
  return { conversation, turns, isBusy }
}

function newConversation(runtimeId: string, token: RefObject<string>): Conversation {
  const client = createExecutionClient({
    baseUrl: location.origin,
    api: ownerApi(runtimeId),
    endUserToken: () => token.current,
  })
  return createConversation({ client })
}
