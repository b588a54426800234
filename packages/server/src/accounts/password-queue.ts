import { limited } from '../errors.ts'
import { KeyedSemaphore, SemaphoreFullError } from '../lib/keyed-semaphore.ts'
import { type PasswordHasher, SCRYPT } from './scrypt.ts'

/** `key` is the network of a request or, where the request is known to be the account's own, the account. */
export interface QueuePlace {
  key: string
  isKnown: boolean
}

export interface PasswordQueue {
  /** Runs `work` once a permit for hashing is free. Throws 429 before anything is done where the queue is full. */
  run<T>(place: QueuePlace, work: (hasher: PasswordHasher) => Promise<T>): Promise<T>
}

// scrypt runs in Node's pool of four threads, which files use too: one of them stays free for files. One network has at
// most a quarter of the queue and one of the two permits.
const UNKNOWN = { permits: 2, permitsPerKey: 1, waiting: 200, waitingPerKey: 50 }
const KNOWN = { permits: 1, permitsPerKey: 1, waiting: 200, waitingPerKey: 10 }

const TOO_MANY = {
  all: 'Too many people are signing in just now. Try again in a moment.',
  key: 'Too many sign-ins from your network are waiting. Try again in a moment.',
}

/** `hasher`: a faster one in tests. */
export function createPasswordQueue(hasher: PasswordHasher = SCRYPT): PasswordQueue {
  const unknown = new KeyedSemaphore(UNKNOWN)
  const known = new KeyedSemaphore(KNOWN)
  return {
    async run({ key, isKnown }, work) {
      try {
        return await (isKnown ? known : unknown).run(key, () => work(hasher))
      } catch (error) {
        if (error instanceof SemaphoreFullError) throw limited(TOO_MANY[error.scope], 1_000)
        throw error
      }
    },
  }
}
