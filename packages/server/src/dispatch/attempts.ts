import type { Agent } from 'undici'
import type { Clock } from '../lib/clock.ts'
import { randomText } from '../lib/random.ts'
import { pauseUntilStopped } from '../lib/stop-signal.ts'
import type { Limits } from '../limits.ts'
import type { Secret } from '../secrets/secret.ts'
import type { CallLimit } from './call-limit.ts'
import type { Message } from './compose.ts'
import type { DispatchCall, DispatchTarget, TargetSecrets } from './dispatch-call.ts'
import type { Reply } from './exchange.ts'
import { FAILURES } from './failures.ts'
import type { Address } from './lanes.ts'
import { send } from './send.ts'
import { signCall } from './sign.ts'

export interface AttemptDeps {
  agent: Agent
  clock: Clock
  limits: Pick<Limits, 'responseBytes'>
  randomNonce?: () => string
}

export interface Attempt {
  target: DispatchTarget
  address: Address
  message: Message
  limit: CallLimit
  /** The secret that the endpoint last answered to. */
  workedSecret: Secret | null
  held: DispatchCall['held']
}

export interface AttemptResult {
  reply: Reply
  secret: Secret
}

const RETRY_PAUSE_MS = 100

/**
 * Sends a call, signed anew with the other secret after a 401, since the endpoint may not hold the one tried first. Where
 * it refuses every secret that was known when the execution began, it may have been rotated since, even twice.
 */
export async function attempt(deps: AttemptDeps, call: Attempt): Promise<AttemptResult> {
  const { target, workedSecret } = call
  const known = secretsInOrder(target.secrets, workedSecret, deps.clock.now())
  const result = await sendInTurn(deps, call, known)
  if (!isRefused(result.reply)) return result
  const [next, ...others] = await untriedSecrets(deps, target, known)
  return next ? sendInTurn(deps, call, [next, ...others]) : result
}

/** Tries one secret after the other, while the endpoint refuses them. */
async function sendInTurn(deps: AttemptDeps, call: Attempt, [secret, ...others]: InOrder): Promise<AttemptResult> {
  let reply = await sendOnce(deps, call, secret)
  // Once more only where no capability can have run, so that an owner's handler sees a call once at most.
  if (!reply.ok && reply.mayRetry) {
    await pauseUntilStopped(RETRY_PAUSE_MS, call.limit)
    reply = await sendOnce(deps, call, secret)
  }
  const [next, ...rest] = others
  return next && isRefused(reply) ? sendInTurn(deps, call, [next, ...rest]) : { reply, secret }
}

function isRefused(reply: Reply): boolean {
  return !reply.ok && reply.status === 401 && reply.failure !== FAILURES.cold
}

// Where they cannot be read, the endpoint's refusal is what there is to tell.
async function untriedSecrets(deps: AttemptDeps, target: DispatchTarget, tried: readonly Secret[]): Promise<Secret[]> {
  const secrets = await target.readSecrets?.().catch(() => null)
  if (!secrets) return []
  const refused = new Set(tried.map((secret) => secret.reveal()))
  return secretsInOrder(secrets, null, deps.clock.now()).filter((secret) => !refused.has(secret.reveal()))
}

type InOrder = readonly [Secret, ...Secret[]]

// Right after a rotation the endpoint still holds the previous secret; later, whichever one it last answered to.
function secretsInOrder({ current, previous }: TargetSecrets, worked: Secret | null, now: number): InOrder {
  if (!previous || previous.expiresAt <= now) return [current]
  return worked?.reveal() === current.reveal() ? [current, previous.secret] : [previous.secret, current]
}

// Every try has a time and a nonce of its own, or the receiver would take it for a replay.
function sendOnce(
  deps: AttemptDeps,
  { target, address, message, limit, held }: Attempt,
  secret: Secret,
): Promise<Reply> {
  const { body, bodyDigest } = message
  const nonce = (deps.randomNonce ?? createNonce)()
  const timestamp = String(Math.trunc(deps.clock.now()))
  const signature = signCall(secret, { runtimeId: target.runtimeId, timestamp, nonce, bodyDigest })
  const headers = signature.concat(message.headers)
  return send(deps.agent, { address, headers, body }, limit, { maxBytes: deps.limits.responseBytes, held })
}

/** 128 random bits. */
export function createNonce(): string {
  return randomText(16, 'base64url')
}
