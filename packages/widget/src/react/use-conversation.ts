import { useEffect, useSyncExternalStore } from 'react'
import type { Conversation } from '../conversation/conversation.ts'
import type { SignInRequest } from '../conversation/sign-in.ts'
import { type ConversationSnapshot, NOTHING_SAID } from '../conversation/snapshot.ts'

export interface UseConversationOptions {
  /** The end user wants to sign in: sign them in, give their token, and call `signedIn` of the conversation. */
  onSignIn?: ((request: SignInRequest) => void) | undefined
}

/**
 * A conversation’s present snapshot; the component renders anew with each change. Its polls run while a component that
 * uses it is mounted. Create the conversation outside of rendering, or once in `useState`.
 */
export function useConversation(
  conversation: Conversation,
  { onSignIn }: UseConversationOptions = {},
): ConversationSnapshot {
  useEffect(() => (onSignIn ? conversation.onSignIn(onSignIn) : undefined), [conversation, onSignIn])
  useEffect(() => conversation.hold(), [conversation])
  return useSyncExternalStore(conversation.subscribe, conversation.getSnapshot, nothingSaid)
}

// A server has no storage: what is stored is shown once the page is there.
function nothingSaid(): ConversationSnapshot {
  return NOTHING_SAID
}
