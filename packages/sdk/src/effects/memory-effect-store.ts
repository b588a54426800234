import type { Clock } from '../clock.ts'
import { EffectStoreFullError } from '../errors.ts'
import { type EffectBounds, type EffectStore, effectBounds } from './effect-store.ts'

export interface MemoryEffectStoreOptions extends EffectBounds {
  readonly clock?: Clock | undefined
  /** Calls that are remembered at most; past it calls are refused with {@link EffectStoreFullError}. Default 100,000. */
  readonly maxEntries?: number | undefined
  /** Characters of all records together, past which calls are refused. Default 64 Mi. */
  readonly maxCharacters?: number | undefined
}

/**
 * An effect store for one long-lived process. After a restart it cannot tell what became of earlier calls, and says so. It
 * is wrong for several processes: one would call never begun what another has done.
 */
export function createMemoryEffectStore(options: MemoryEffectStoreOptions = {}): EffectStore {
  const { clock = Date, maxEntries = 100_000, maxCharacters = 64 * 1024 * 1024 } = options
  const bounds = effectBounds(options)
  // In the order of their expiry, since every record is kept for the same time.
  const records = new Map<string, { readonly text: string; readonly expiresAt: number }>()
  let characters = 0

  function write(key: string, text: string, expiresAt: number): void {
    characters += text.length - (records.get(key)?.text.length ?? 0)
    records.set(key, { text, expiresAt })
  }

  function sweep(now: number): void {
    for (const [key, { text, expiresAt }] of records) {
      if (!(expiresAt <= now)) return
      records.delete(key)
      characters -= text.length
    }
  }

  return {
    ...bounds,
    openedAt: clock.now(),
    async begin(key, record) {
      const now = clock.now()
      sweep(now)
      const earlier = records.get(key)
      if (earlier) return earlier.text
      if (records.size >= maxEntries || characters >= maxCharacters) {
        throw new EffectStoreFullError(`${records.size} calls with ${characters} characters are remembered already.`)
      }
      write(key, record, now + bounds.lifetimeMs)
      return null
    },
    async end(key, record) {
      write(key, record, records.get(key)?.expiresAt ?? clock.now() + bounds.lifetimeMs)
    },
    read: async (key) => records.get(key)?.text ?? null,
  }
}
