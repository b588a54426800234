import { useEffect, useSyncExternalStore } from 'react'
import type { Conversation } from '../conversation/conversation.ts'
import { type ConversationSnapshot, NOTHING_SAID } from '../conversation/snapshot.ts'

/**
 * A conversation’s present snapshot; the component renders anew with each change. Its polls run while a component that
 * uses it is mounted. Create the conversation outside of rendering, or once in `useState`.
 */
export function useConversation(conversation: Conversation): ConversationSnapshot {
  useEffect(() => conversation.hold(), [conversation])
  return useSyncExternalStore(conversation.subscribe, conversation.getSnapshot, nothingSaid)
}

// A server has no storage: what is stored is shown once the page is there.
function nothingSaid(): ConversationSnapshot {
  return NOTHING_SAID
}
