const HOUR_MS = 60 * 60 * 1000

/** How long a call is remembered, unless a store is given another time. */
export const EFFECT_LIFETIME_MS = 24 * HOUR_MS

/** A store remembers no shorter: the control plane asks what became of a call for up to 1 h 11 min. */
export const LEAST_EFFECT_LIFETIME_MS = 2 * HOUR_MS

/** How many bytes of an output are recorded, unless a store is given another number. */
export const EFFECT_ANSWER_BYTES = 1024 * 1024

/**
 * Remembers which calls were begun and how they ended, so that none takes effect twice. Several processes share one.
 * Keys and records are texts that the handler makes. A rejection of `begin` refuses the call before its handler runs.
 */
export interface EffectStore {
  /**
   * Stores a record under a key that has none, in one atomic step, and resolves to null. Where the key has a record it
   * changes nothing and resolves to that.
   */
  begin(key: string, record: string): Promise<string | null>
  /** Stores a record under a key, whether or not it has one. */
  end(key: string, record: string): Promise<void>
  /** The record under a key, or null. */
  read(key: string): Promise<string | null>
  /** How long a record is kept after `begin`, in milliseconds. At least {@link LEAST_EFFECT_LIFETIME_MS}. */
  readonly lifetimeMs: number
  /** Larger outputs, in bytes of JSON, are recorded as `{truncated, bytes}`. */
  readonly maxAnswerBytes: number
  /** When the store began, in milliseconds, where it remembers nothing from before. */
  readonly openedAt?: number
}

/** The bounds that every store has. */
export interface EffectBounds {
  /** How long a call is remembered, in milliseconds. Default 24 hours, at least 2. */
  readonly lifetimeMs?: number | undefined
  /** How many bytes of an output are recorded. Default 1 MiB; of a larger one it is recorded that there was one. */
  readonly maxAnswerBytes?: number | undefined
}

/** The bounds of a store with their defaults. Throws a `RangeError` for a lifetime that is too short. */
export function effectBounds({ lifetimeMs = EFFECT_LIFETIME_MS, maxAnswerBytes = EFFECT_ANSWER_BYTES }: EffectBounds) {
  // Written so that NaN is refused.
  if (lifetimeMs >= LEAST_EFFECT_LIFETIME_MS && maxAnswerBytes >= 0) return { lifetimeMs, maxAnswerBytes }
  throw new RangeError(
    `An effect store has lifetimeMs of at least ${LEAST_EFFECT_LIFETIME_MS} and maxAnswerBytes of 0.`,
  )
}
