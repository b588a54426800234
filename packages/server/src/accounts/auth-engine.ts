import { AsyncLocalStorage } from 'node:async_hooks'
import { betterAuth } from 'better-auth'
import { hashPassword, verifyPassword } from 'better-auth/crypto'
import type { Deps } from '../deps.ts'
import type { Secret } from '../secrets/secret.ts'
import { createHashLane, type HashPlace } from './hash-lane.ts'
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

/** What a visitor of the line for passwords may do there. */
export interface PasswordLine {
  /** Takes a place, unless that was done before: whoever has one is not refused. Throws 429 at once where all are taken. */
  takePlace(): void
  /** Takes a place, too, and waits for its turn, as `verify` does. */
  hash(password: Secret): Promise<string>
  verify(hash: string, password: Secret): Promise<boolean>
}

/** better-auth behind the few verbs that the service needs of it. Its own routes, bodies and cookies stay unused. */
export interface AuthEngine {
  /** The way to a password's hash. The place that `work` took is free again once it has ended. */
  inLine<T>(work: (line: PasswordLine) => Promise<T>): Promise<T>
  /** The handle of a new session. */
  beginSession(ownerId: string, start: SessionStart): Promise<string>
}

/** scrypt runs in the thread pool that name look-ups and files use too: half of its four threads are left to those. */
const HASHES_AT_ONCE = 2
const HASHES_WAITING = 200

const SCRYPT: PasswordHasher = { hash: hashPassword, verify: verifyPassword }

type EngineDeps = Pick<Deps, 'db' | 'keyring' | 'logger'>

/** Opens nothing and asks the network for nothing. `hasher` stands in for scrypt where that would only take time. */
export function createAuthEngine(deps: EngineDeps, hasher: PasswordHasher = SCRYPT): AuthEngine {
  const starts = new AsyncLocalStorage<SessionStart>()
  const lane = createHashLane({ parallel: HASHES_AT_ONCE, waiting: HASHES_WAITING })
  const auth = createBetterAuth(deps, starts)
  return {
    inLine: (work) => lane.visit((place) => work(lineOf(hasher, place))),
    async beginSession(ownerId, start) {
      const { internalAdapter } = await auth.$context
      const session = await starts.run(start, () => internalAdapter.createSession(ownerId))
      return session.token
    },
  }
}

function lineOf(hasher: PasswordHasher, place: HashPlace): PasswordLine {
  return {
    takePlace: () => place.take(),
    hash: (password) => place.run(() => hasher.hash(password.reveal())),
    verify: (hash, password) => place.run(() => hasher.verify({ hash, password: password.reveal() })),
  }
}

function createBetterAuth({ db, keyring, logger }: EngineDeps, starts: AsyncLocalStorage<SessionStart>) {
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
