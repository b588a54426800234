import type { Agent } from 'undici'
import type { Clock } from '../clock.ts'
import type { Limits } from '../limits.ts'
import { randomText } from '../random.ts'
import type { Secret } from '../secrets/secret.ts'
import { pauseUntilStopped } from '../stop-signal.ts'
import type { CallLimit } from './call-limit.ts'
import type { Message } from './compose.ts'
import type { DispatchTarget, TargetSecrets } from './dispatch-call.ts'
import type { Reply } from './exchange.ts'
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
}

export interface AttemptResult {
  reply: Reply
  secret: Secret
}

const RETRY_PAUSE_MS = 100

/** Sends a call, with the other secret once more after a 401, since the endpoint may not hold the one tried first. */
export async function attempt(deps: AttemptDeps, call: Attempt): Promise<AttemptResult> {
  const { target, workedSecret } = call
  const [first, other] = secretsInOrder(target.secrets, workedSecret, deps.clock.now())
  const reply = await sendWithRetry(deps, call, first)
  if (reply.ok || reply.status !== 401) return { reply, secret: first }
  const second = other ?? (await rotatedSecret(deps, target, first))
  if (!second) return { reply, secret: first }
  return { reply: await sendWithRetry(deps, call, second), secret: second }
}

// Where they cannot be read, the endpoint's refusal is what there is to tell.
async function rotatedSecret(deps: AttemptDeps, target: DispatchTarget, tried: Secret): Promise<Secret | undefined> {
  const secrets = await target.readSecrets?.().catch(() => null)
  if (!secrets) return undefined
  return secretsInOrder(secrets, null, deps.clock.now()).find((secret) => secret?.reveal() !== tried.reveal())
}

type InOrder = readonly [Secret, Secret?]

// Right after a rotation the endpoint still holds the previous secret; later, whichever one it last answered to.
function secretsInOrder({ current, previous }: TargetSecrets, worked: Secret | null, now: number): InOrder {
  if (!previous || previous.expiresAt <= now) return [current]
  return worked?.reveal() === current.reveal() ? [current, previous.secret] : [previous.secret, current]
}

// Once more only where nothing was sent, so that an owner's handler sees a call once at most.
async function sendWithRetry(deps: AttemptDeps, call: Attempt, secret: Secret): Promise<Reply> {
  const reply = await sendOnce(deps, call, secret)
  if (reply.ok || !reply.mayRetry) return reply
  await pauseUntilStopped(RETRY_PAUSE_MS, call.limit.signal)
  return sendOnce(deps, call, secret)
}

// Every try has a time and a nonce of its own, or the receiver would take it for a replay.
function sendOnce(deps: AttemptDeps, { target, address, message, limit }: Attempt, secret: Secret): Promise<Reply> {
  const { body, bodyDigest } = message
  const nonce = (deps.randomNonce ?? createNonce)()
  const timestamp = String(Math.trunc(deps.clock.now()))
  const signature = signCall(secret, { runtimeId: target.runtimeId, timestamp, nonce, bodyDigest })
  const headers = [...signature, ...message.headers]
  return send(deps.agent, { address, headers, body }, limit, deps.limits.responseBytes)
}

/** 128 random bits. */
export function createNonce(): string {
  return randomText(16, 'base64url')
}
