import { limited } from '../errors.ts'
import { KeyedSemaphore, type RefusalReason } from '../lib/keyed-semaphore.ts'
import { type PasswordHasher, SCRYPT } from './scrypt.ts'

/** `key` is the network of a request or, where the request is known to be the account's own, the account. */
export interface QueuePlace {
  key: string
  isKnown: boolean
}

export type PasswordQueue = ReturnType<typeof createPasswordQueue>

// scrypt runs in Node's pool of four threads, which files use too: one of them stays free for files. One network has at
// most a quarter of the queue and one of the two permits.
const UNKNOWN = { permits: 2, permitsPerKey: 1, waiting: 200, waitingPerKey: 50 }
const KNOWN = { permits: 1, permitsPerKey: 1, waiting: 200, waitingPerKey: 10 }

const TOO_MANY = {
  all: 'Too many people are signing in just now. Try again in a moment.',
  key: 'Too many sign-ins from your network are waiting. Try again in a moment.',
}

/** `hasher`: a faster one in tests. */
export function createPasswordQueue(hasher: PasswordHasher = SCRYPT) {
  const refusal = (reason: RefusalReason) => limited(reason === 'key' ? TOO_MANY.key : TOO_MANY.all, 1_000)
  const unknown = new KeyedSemaphore(UNKNOWN, { refusal })
  const known = new KeyedSemaphore(KNOWN, { refusal })
  return {
    /** Runs `work` once a permit for hashing is free. Rejects with 429 before anything is done where the queue is full. */
    run<T>({ key, isKnown }: QueuePlace, work: (hasher: PasswordHasher) => Promise<T>): Promise<T> {
      return (isKnown ? known : unknown).run(key, () => work(hasher))
    },
  }
}
