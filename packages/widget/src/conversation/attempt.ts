import type { ConversationStorage } from './stored-conversation.ts'

/** What a storage holds; null where it cannot be read. */
export function load(storage: ConversationStorage | null): string | null {
  return attempt(() => storage?.load()) ?? null
}

/** What the action gives. Storage may be full, or taken away while the page is open: the conversation goes on without. */
export function attempt<T>(action: () => T): T | null {
  try {
    return action()
  } catch {
    return null
  }
}
