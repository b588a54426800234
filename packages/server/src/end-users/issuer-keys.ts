import type { EndUsers } from '@svc/contract'
import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose'
import type { Dispatcher } from '../dispatch/dispatch.ts'
import type { Clock } from '../lib/clock.ts'
import { KeyedSemaphore } from '../lib/keyed-semaphore.ts'
import { Lru } from '../lib/lru.ts'
import type { Limits } from '../limits.ts'
import { keysIn, keysUriIn, metadataUrls } from './rules.ts'

export interface IssuerKeysOptions {
  dispatcher: Pick<Dispatcher, 'read'>
  clock: Clock
  limits: Pick<Limits, 'issuerMs'>
}

export interface IssuerSource {
  ownerId: string
  runtimeId: string
  endUsers: EndUsers
}

export interface TokenKeys {
  /** Finds the key of a token's header. One that is not known is looked for once more, at most every 5 s. */
  keyOf: JWTVerifyGetKey
  /** For a token that names no key and fails by its signature: whether there are other keys by now. Asks once a minute. */
  readAgain(): Promise<boolean>
}

interface Entry {
  keys: JWTVerifyGetKey | null
  readAt: number
  askedAt: number
  reading: Promise<void> | null
}

const MAX_ENTRIES = 1_000
const KEPT_MS = 10 * 60_000
/** Keys are used this long while the issuer gives no others. */
const OLDEST_MS = 60 * 60_000
const ASK_AGAIN_MS = 5_000
/** Any forged token without the name of a key fails as one by a new key does. */
const UNNAMED_MS = 60_000
const READS = { permits: 50, permitsPerKey: 5, waiting: 500, waitingPerKey: 50 } as const

/** The keys of issuers, each read for one runtime of one owner. What the issuer is asked does not grow with its callers. */
export class IssuerKeys {
  readonly #options: IssuerKeysOptions
  readonly #entries = new Lru<string, Entry>(MAX_ENTRIES)
  readonly #reads = new KeyedSemaphore(READS)

  constructor(options: IssuerKeysOptions) {
    this.#options = options
  }

  keysFor(source: IssuerSource): TokenKeys {
    const entry = this.#entryOf(source)
    let used: JWTVerifyGetKey | null = null
    const find: JWTVerifyGetKey = (header, token) => {
      used = this.#keysOf(entry)
      return used(header, token)
    }
    return {
      keyOf: async (header, token) => {
        const reading = this.#readIfDue(source, entry, KEPT_MS)
        if (!this.#isUsable(entry)) await reading
        try {
          return await find(header, token)
        } catch (error) {
          if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
          await this.#readIfDue(source, entry, ASK_AGAIN_MS)
          return find(header, token)
        }
      },
      readAgain: async () => {
        const isDue = this.#options.clock.now() - entry.askedAt >= UNNAMED_MS
        if (entry.keys === used) await (isDue ? this.#readIfDue(source, entry, 0) : entry.reading)
        return entry.keys !== used
      },
    }
  }

  #entryOf({ ownerId, runtimeId, endUsers: { issuer, jwksUri } }: IssuerSource): Entry {
    const name = JSON.stringify([ownerId, runtimeId, issuer, jwksUri ?? null])
    const entry = this.#entries.get(name) ?? { keys: null, readAt: -OLDEST_MS, askedAt: -OLDEST_MS, reading: null }
    this.#entries.set(name, entry)
    return entry
  }

  #isUsable({ keys, readAt }: Entry): boolean {
    return keys !== null && this.#options.clock.now() - readAt < OLDEST_MS
  }

  #keysOf(entry: Entry): JWTVerifyGetKey {
    if (entry.keys === null || !this.#isUsable(entry)) throw new KeysUnreadableError()
    return entry.keys
  }

  /** Resolves once a read that is due has ended; at once where none is. Never rejects. */
  async #readIfDue(source: IssuerSource, entry: Entry, maxAgeMs: number): Promise<void> {
    const now = this.#options.clock.now()
    const isDue = entry.keys === null || now - entry.readAt >= maxAgeMs
    if (isDue && !entry.reading && now - entry.askedAt >= ASK_AGAIN_MS) {
      entry.askedAt = now
      entry.reading = this.#read(source, entry)
    }
    if (isDue) await entry.reading
  }

  async #read(source: IssuerSource, entry: Entry): Promise<void> {
    try {
      const keys = await this.#reads.run(source.ownerId, () => this.#ask(source.endUsers))
      if (keys === null) return
      entry.keys = createLocalJWKSet({ keys })
      entry.readAt = this.#options.clock.now()
    } catch {
      // The keys that are known stay in use.
    } finally {
      entry.reading = null
    }
  }

  async #ask({ issuer, jwksUri }: EndUsers) {
    const { dispatcher, limits } = this.#options
    const signal = AbortSignal.timeout(limits.issuerMs)
    if (jwksUri !== undefined) return keysIn(await dispatcher.read(jwksUri, signal))
    for (const url of metadataUrls(issuer)) {
      const uri = keysUriIn(await dispatcher.read(url, signal), issuer)
      if (uri !== null) return keysIn(await dispatcher.read(uri, signal))
    }
    return null
  }
}

export class KeysUnreadableError extends Error {}
