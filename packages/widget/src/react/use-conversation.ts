import { useEffect, useSyncExternalStore } from 'react'
import type { Conversation } from '../conversation/conversation.ts'
import type { ConversationSnapshot } from '../conversation/snapshot.ts'

/**
 * A conversation’s present snapshot; the component renders anew with each change. Its polls run while a component that
 * uses it is mounted. Create the conversation outside of rendering, or once in `useState`.
 */
export function useConversation(conversation: Conversation): ConversationSnapshot {
  useEffect(() => {
    conversation.resume()
    return () => conversation.suspend()
  }, [conversation])
  return useSyncExternalStore(conversation.subscribe, conversation.getSnapshot, conversation.getSnapshot)
}
