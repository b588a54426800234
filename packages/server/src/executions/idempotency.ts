import { hash } from 'node:crypto'
import type { CapabilityFailure } from '@svc/contract'
import { z } from 'zod'
import { askedAgain } from '../approvals/ask-approval.ts'
import { requireSameSignIn } from '../end-users/verify-token.ts'
import { busy, internal, invalidField, limited } from '../errors.ts'
import { pauseUntilStopped } from '../lib/stop-signal.ts'
import { ANONYMOUS_SHARE } from '../limits.ts'
import { type Caller, KeyTakenError } from './admit.ts'
import type { StoredIdempotencyKey } from './batch-rules.ts'
import type { CallOutcome, CallRequest } from './call-capability.ts'
import { ENDED_UNANSWERED, readCalls } from './call-rules.ts'
import type { ExecutionDeps } from './deps.ts'
import { findEnded, findKey, hasReachedKeyLimit } from './idempotency-store.ts'

const KEY = 'idempotency-key'

export const IdempotencyHeaders = z.object({
  [KEY]: z
    .string()
    .regex(/^[\x20-\x7e]{8,128}$/, 'must have 8 to 128 printable ASCII characters.')
    .optional()
    .describe('A repeat within 24 hours, with the same key and body, gets the recorded answer and charges nothing.'),
})

/** The most keys of one account, each kept for 24 hours. */
const MAX_KEYS = 20_000

/** Runs a call, or gives a repeat of it the recorded answer, once there is one. 400 where its key had another body. */
export async function runOnce(
  deps: ExecutionDeps,
  { cached, scope }: Caller,
  request: CallRequest,
  run: (storedKey?: StoredIdempotencyKey) => Promise<CallOutcome>,
): Promise<CallOutcome> {
  const { idempotencyKey: key } = request
  if (key === undefined) return run()
  const { runtimeId, ownerId } = cached.runtime
  const body = bodyOf(request)
  const storedKey = {
    key_hash: hash('sha256', JSON.stringify([runtimeId, request.surface ?? request.kind, key])),
    body_hash: deps.keyring.hash(body),
  }
  while (!scope.signal.aborted) {
    const first = await findKey(deps.db, storedKey.key_hash, deps.clock.now())
    if (first) {
      await confirmCredential(cached)
      requireSameSignIn(deps, cached.runtime, request.endUser)
      if (!deps.keyring.isHashOf(body, first.bodyHash)) throw invalidField(KEY, OTHER_BODY)
      return awaitAnswer(deps, scope.signal, { ...first, isAnonymous: request.kind === 'broker' })
    }
    await requireRoom(deps, ownerId, request.kind)
    try {
      return await run(storedKey)
    } catch (error) {
      // Taken by a request that was admitted meanwhile, or refused in the same moment: then this one may run.
      if (!(error instanceof KeyTakenError)) throw error
    }
  }
  throw busy()
}

// An admission confirms that the credential still works, and a repeat has none.
async function confirmCredential(cached: Caller['cached']): Promise<void> {
  if (!cached.isFresh) await cached.refresh()
}

const OTHER_BODY = 'was sent with another body within 24 hours: send a new key with each new call.'
const ASKED =
  'belongs to a call that a person was asked to approve: its answer is given once. Send a new key to ask anew.'
const TOO_MANY_KEYS =
  'This account has sent 20,000 different idempotency keys within 24 hours: send the call without one, or later.'

const TOO_MANY_ANONYMOUS =
  'This runtime accepts no more idempotency keys from anonymous callers for now: send the call without one, or later.'

const OF_KEY_HOLDERS = { most: MAX_KEYS, tooMany: TOO_MANY_KEYS }
const OF_ANONYMOUS = { most: MAX_KEYS * ANONYMOUS_SHARE, tooMany: TOO_MANY_ANONYMOUS }

async function requireRoom({ db }: Pick<ExecutionDeps, 'db'>, ownerId: string, kind: CallRequest['kind']) {
  const { most, tooMany } = kind === 'broker' ? OF_ANONYMOUS : OF_KEY_HOLDERS
  if (await hasReachedKeyLimit(db, ownerId, most)) throw limited(tooMany, 60_000)
}

// Everything that the call is made of. Who the end user is is only part of a hash under the master key.
function bodyOf({ capability, input, metadata, endUserToken, endUser }: CallRequest): string {
  const user = endUser ? [endUser.principal.digest()] : []
  return JSON.stringify([capability, input.text, metadata?.text ?? null, endUserToken?.digest() ?? null, ...user])
}

const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 500

/** The answer of the call that ran first, as its execution keeps it: without the end user's token, and cut where it is large. */
async function awaitAnswer(
  deps: Pick<ExecutionDeps, 'db' | 'keyring'>,
  signal: Caller['scope']['signal'],
  { ownerId, executionId, isAnonymous }: { ownerId: string; executionId: string; isAnonymous: boolean },
): Promise<CallOutcome> {
  for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const ended = await findEnded(deps.db, ownerId, executionId)
    if (ended === undefined) throw internal(new Error(`the execution ${executionId} of an idempotency key is gone`))
    if (ended?.awaitsApproval === 1) {
      // The repeat may come from another anonymous caller, who must not decide the first one's approval.
      if (isAnonymous) throw invalidField(KEY, ASKED)
      const approval = await askedAgain(deps, ownerId, executionId)
      if (!approval) throw internal(new Error(`the approval of ${executionId} is gone or altered`))
      return { ok: true, body: { executionId, approval } }
    }
    if (ended) return toOutcome(executionId, ended)
    await pauseUntilStopped(pauseMs, signal)
  }
  throw busy()
}

type Ended = NonNullable<Awaited<ReturnType<typeof findEnded>>>

/** The outcome of the call: its execution is `failed`, too, where the first caller left. Reconciled: the endpoint's answer. */
function toOutcome(executionId: string, { error, calls, durationMs }: Ended): CallOutcome {
  const [call] = readCalls(calls)
  const took = { durationMs: durationMs ?? 0 }
  const completed = (output: unknown): CallOutcome => ({ ok: true, body: { executionId, output, ...took } })
  const failed = (message: string, outcome?: CapabilityFailure['outcome']): CallOutcome => ({
    ok: false,
    body: { executionId, error: { message }, ...took, ...(outcome && { outcome }) },
  })
  if (call?.status === 'completed') return completed(call.output ?? null)
  if (call?.reconciled) {
    const { status, message = 'The call failed.', output } = call.reconciled
    if (status === 'never') return failed('The call never ran, and will not.')
    if (status === 'failed') return failed(message)
    return output === undefined ? failed(TOOK_EFFECT, 'completed') : completed(output)
  }
  const isKnown = call ? call.status === 'failed' : error !== null
  return failed(call?.error ?? error ?? ENDED_UNANSWERED, isKnown ? undefined : 'unknown')
}

const TOOK_EFFECT = 'The call took effect. Its output is not kept: look it up.'
