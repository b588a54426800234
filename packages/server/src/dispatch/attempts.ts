import type { Agent } from 'undici'
import type { Clock } from '../lib/clock.ts'
import type { Deadline } from '../lib/deadline.ts'
import { randomText } from '../lib/random.ts'
import { pauseUntilStopped } from '../lib/stop-signal.ts'
import type { Limits } from '../limits.ts'
import type { Secret } from '../secrets/secret.ts'
import type { DispatchCall, DispatchTarget, TargetSecrets } from './call-types.ts'
import type { Message } from './compose.ts'
import type { Permit } from './endpoint-states.ts'
import { Exchange, type Reply } from './exchange.ts'
import { FAILURES } from './failures.ts'
import { signCall } from './sign.ts'

export interface AttemptDeps {
  agent: Agent
  clock: Clock
  limits: Pick<Limits, 'responseBytes'>
  randomNonce?: () => string
}

/** A call that has a permit. */
export interface Delivery {
  target: DispatchTarget
  call: DispatchCall
  permit: Permit
  message: Message
  deadline: Deadline
}

const RETRY_PAUSE_MS = 100

/** Sends a call. After a 401 it is signed with the next secret, since a rotation may not have reached the endpoint, or us. */
export async function attempt(deps: AttemptDeps, delivery: Delivery): Promise<Reply> {
  const { target, permit } = delivery
  const [first, ...others] = secretsInOrder(target.secrets, permit.state.workedSecret, deps.clock.now())
  let reply = await trySecret(deps, delivery, first)
  if (!isRefused(reply)) return reply
  for await (const secret of secretsAfter(deps, target, [first, ...others])) {
    reply = await trySecret(deps, delivery, secret)
    if (!isRefused(reply)) break
  }
  return reply
}

// An owner's handler must see a call at most once: retries only what no capability can have run.
async function trySecret(deps: AttemptDeps, delivery: Delivery, secret: Secret): Promise<Reply> {
  let reply = await send(deps, delivery, secret)
  if (!reply.ok && reply.mayRetry) {
    await pauseUntilStopped(RETRY_PAUSE_MS, delivery.deadline)
    reply = await send(deps, delivery, secret)
  }
  if (reply.ok) delivery.permit.state.workedSecret = secret
  return reply
}

function isRefused(reply: Reply): boolean {
  return !reply.ok && reply.status === 401 && reply.failure !== FAILURES.cold
}

// After the known secrets come those that were stored meanwhile. If they cannot be read, the refusal stands.
async function* secretsAfter(deps: AttemptDeps, target: DispatchTarget, known: readonly Secret[]) {
  yield* known.slice(1)
  const secrets = await target.readSecrets?.().catch(() => null)
  if (!secrets) return
  const refused = new Set(known.map((secret) => secret.reveal()))
  yield* secretsInOrder(secrets, null, deps.clock.now()).filter((secret) => !refused.has(secret.reveal()))
}

// Right after a rotation the endpoint still has the previous secret; later the one that it last accepted.
function secretsInOrder(
  { current, previous }: TargetSecrets,
  worked: Secret | null,
  now: number,
): readonly [Secret, ...Secret[]] {
  if (!previous || previous.expiresAt <= now) return [current]
  return worked?.reveal() === current.reveal() ? [current, previous.secret] : [previous.secret, current]
}

// Each try has its own time and nonce, or the receiver would take it for a replay.
function send({ agent, clock, limits, randomNonce = createNonce }: AttemptDeps, delivery: Delivery, secret: Secret) {
  const { target, call, permit, message, deadline } = delivery
  const { body, bodyDigest } = message
  const timestamp = String(Math.trunc(clock.now()))
  const signed = signCall(secret, { runtimeId: target.runtimeId, timestamp, nonce: randomNonce(), bodyDigest })
  const headers = signed.concat(message.headers)
  return new Promise<Reply>((resolve) => {
    const exchange = new Exchange(deadline, { maxBytes: limits.responseBytes, held: call.held }, resolve)
    if (!exchange.isOver) agent.dispatch({ method: 'POST', headers, body, ...permit.address }, exchange)
  })
}

/** 128 random bits. */
export function createNonce(): string {
  return randomText(16, 'base64url')
}
