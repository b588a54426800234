import type { ConversationStorage } from './stored-conversation.ts'

/**
 * Keeps a conversation in this tab (`session`) or on this device (`local`). Null where the browser has no storage for the
 * page, or does not let it.
 */
export function webStorage(kind: 'session' | 'local', key: string): ConversationStorage | null {
  try {
    const storage = kind === 'session' ? globalThis.sessionStorage : globalThis.localStorage
    return {
      load: () => storage.getItem(key),
      save: (text) => storage.setItem(key, text),
      clear: () => storage.removeItem(key),
      onChange(listener) {
        const heard = (event: StorageEvent) => event.key === key && listener()
        addEventListener('storage', heard)
        return () => removeEventListener('storage', heard)
      },
    }
  } catch {
    return null
  }
}
