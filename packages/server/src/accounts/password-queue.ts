import { limited } from '../errors.ts'
import { KeyedSemaphore, SemaphoreFullError } from '../lib/keyed-semaphore.ts'
import type { Secret } from '../secrets/secret.ts'
import { type PasswordHasher, SCRYPT } from './scrypt.ts'

/** Whose turn it is: `key` is a network, or what stands for the account itself where that is known. */
export interface HashTurn {
  key: string
  isKnown: boolean
}

/** Hashes, for work whose turn it is. */
export interface PasswordHashes {
  hash(password: Secret): Promise<string>
  verify(hash: string, password: Secret): Promise<boolean>
}

export interface PasswordQueue {
  /** Runs `work` when its turn comes. Throws 429 at once, before anything was done, where too many wait already. */
  inTurn<T>(turn: HashTurn, work: (hashes: PasswordHashes) => Promise<T>): Promise<T>
}

// scrypt runs in Node's pool of four threads, which files use too: one of them is always left to those. One network has
// at most a quarter of the queue; of two permits, one is the least that it can have.
const UNKNOWN = { permits: 2, permitsPerKey: 1, waiting: 200, waitingPerKey: 50 }
const KNOWN = { permits: 1, permitsPerKey: 1, waiting: 200, waitingPerKey: 10 }

const TOO_MANY = {
  all: 'Too many people are signing in just now. Try again in a moment.',
  key: 'Too many sign-ins from your network are waiting. Try again in a moment.',
}

/** `hasher` stands in for scrypt where that would only take time. */
export function createPasswordQueue(hasher: PasswordHasher = SCRYPT): PasswordQueue {
  const hashes: PasswordHashes = {
    hash: (password) => hasher.hash(password.reveal()),
    verify: (hash, password) => hasher.verify({ hash, password: password.reveal() }),
  }
  const unknown = new KeyedSemaphore(UNKNOWN)
  const known = new KeyedSemaphore(KNOWN)
  return {
    async inTurn({ key, isKnown }, work) {
      try {
        return await (isKnown ? known : unknown).run(key, () => work(hashes))
      } catch (error) {
        if (error instanceof SemaphoreFullError) throw limited(TOO_MANY[error.scope], 1_000)
        throw error
      }
    },
  }
}
