import type { ConversationStorage } from './stored-conversation.ts'

/** What a storage holds; null where it cannot be read. */
export function load(storage: ConversationStorage | null): string | null {
  return attempt(() => storage?.load()) ?? null
}

/** Runs the action and returns its result. Storage may be full, or taken away while the page is open: the conversation goes on without. */
export function attempt<T>(action: () => T): T | null {
  try {
    return action()
  } catch {
    return null
  }
}
