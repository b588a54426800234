import { AsyncLocalStorage } from 'node:async_hooks'
import { betterAuth } from 'better-auth'
import { hashPassword, verifyPassword } from 'better-auth/crypto'
import type { Deps } from '../deps.ts'
import { limited } from '../errors.ts'
import { KeyedSemaphore, SemaphoreFullError } from '../lib/keyed-semaphore.ts'
import type { Secret } from '../secrets/secret.ts'
import { SESSION_MS } from './rules.ts'

/** Turns passwords into what is stored of them. */
export interface PasswordHasher {
  hash(password: string): Promise<string>
  verify(compared: { hash: string; password: string }): Promise<boolean>
}

/** What a session is bound to: the time of its beginning, and the password that it began under. */
interface SessionStart {
  now: number
  passwordVersion: number
}

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

/** better-auth behind the few verbs that the service needs of it. Its own routes, bodies and cookies stay unused. */
export interface AuthEngine {
  /** Runs `work` when its turn comes. Throws 429 at once, before anything was done, where too many wait already. */
  inTurn<T>(turn: HashTurn, work: (hashes: PasswordHashes) => Promise<T>): Promise<T>
  /** The handle of a new session. */
  beginSession(ownerId: string, start: SessionStart): Promise<string>
}

// scrypt runs in Node's pool of four threads, which files use too: one of them is always left to those. One network has
// at most a quarter of the queue; of two permits, one is the least that it can have.
const UNKNOWN = { permits: 2, permitsPerKey: 1, waiting: 200, waitingPerKey: 50 }
const KNOWN = { permits: 1, permitsPerKey: 1, waiting: 200, waitingPerKey: 10 }

const SCRYPT: PasswordHasher = { hash: hashPassword, verify: verifyPassword }

type EngineDeps = Pick<Deps, 'db' | 'keyring' | 'logger'>

// One for the process: Node never lets go of one that was used, and each makes every promise from then on dearer.
const starts = new AsyncLocalStorage<SessionStart>()

/** Opens nothing and asks the network for nothing. `hasher` stands in for scrypt where that would only take time. */
export function createAuthEngine(deps: EngineDeps, hasher: PasswordHasher = SCRYPT): AuthEngine {
  const hashes = hashesOf(hasher)
  const unknown = new KeyedSemaphore(UNKNOWN)
  const known = new KeyedSemaphore(KNOWN)
  const auth = createBetterAuth(deps)
  return {
    async inTurn({ key, isKnown }, work) {
      try {
        return await (isKnown ? known : unknown).run(key, () => work(hashes))
      } catch (error) {
        if (error instanceof SemaphoreFullError) throw limited(TOO_MANY[error.scope], 1_000)
        throw error
      }
    },
    async beginSession(ownerId, start) {
      const { internalAdapter } = await auth.$context
      const session = await starts.run(start, () => internalAdapter.createSession(ownerId))
      return session.token
    },
  }
}

const TOO_MANY = {
  all: 'Too many people are signing in just now. Try again in a moment.',
  key: 'Too many sign-ins from your network are waiting. Try again in a moment.',
}

function hashesOf(hasher: PasswordHasher): PasswordHashes {
  return {
    hash: (password) => hasher.hash(password.reveal()),
    verify: (hash, password) => hasher.verify({ hash, password: password.reveal() }),
  }
}

function createBetterAuth({ db, keyring, logger }: EngineDeps) {
  const secret = keyring.derive('better-auth').reveal()
  return betterAuth({
    // On both engines alike: times as ISO text and flags as 0 or 1, which is what our tables hold.
    database: { db, type: 'sqlite' },
    advanced: { database: { validateSchema: false } },
    // All three are given so that none of them is looked for in the environment.
    secret,
    secrets: [{ version: 1, value: secret }],
    baseURL: 'http://localhost',
    telemetry: { enabled: false },
    rateLimit: { enabled: false },
    logger: { log: (level, message) => (level === 'error' ? logger.error(message) : logger.debug(message)) },
    user: { modelName: 'auth_users', fields: { emailVerified: 'email_verified', ...TIMES } },
    account: {
      modelName: 'auth_accounts',
      fields: { userId: 'owner_id', accountId: 'account_id', providerId: 'provider_id', ...TIMES },
    },
    session: {
      modelName: 'auth_sessions',
      fields: {
        userId: 'owner_id',
        expiresAt: 'expires_at',
        ipAddress: 'ip_address',
        userAgent: 'user_agent',
        ...TIMES,
      },
      additionalFields: {
        validUntil: { type: 'number', fieldName: 'valid_until', input: false, required: false },
        passwordVersion: { type: 'number', fieldName: 'password_version', input: false, required: false },
      },
    },
    databaseHooks: {
      // better-auth has no clock to hand in, and knows of no password version.
      session: { create: { before: async () => ({ data: stampOf(starts.getStore()) }) } },
    },
  })
}

const TIMES = { createdAt: 'created_at', updatedAt: 'updated_at' } as const

function stampOf(start: SessionStart | undefined) {
  if (start === undefined) throw new Error('a session begins through this engine only')
  const { now, passwordVersion } = start
  const validUntil = now + SESSION_MS
  const begunAt = new Date(now)
  return { createdAt: begunAt, updatedAt: begunAt, expiresAt: new Date(validUntil), validUntil, passwordVersion }
}
