import type { Deps } from '../deps.ts'
import { limited } from '../errors.ts'
import type { PasswordLine } from './auth-engine.ts'
import { type Attempt, networkOf, SIGN_IN_RATES, SIGN_UP_RATE } from './rules.ts'
import { drawAttempts } from './throttle-store.ts'

type AttemptDeps = Pick<Deps, 'db' | 'clock' | 'keyring'>

/**
 * Counts an attempt at an account's password, whatever comes of it. Throws 429 once there were too many. Takes its place in
 * the line with it: whoever finds none there is refused and has lost no attempt, and whoever has none left takes no place.
 */
export function attemptSignIn(
  deps: AttemptDeps,
  line: PasswordLine,
  { email, ip }: { email: string; ip: string },
): Promise<void> {
  return draw(deps, line, [
    { subject: subject(deps, 'sign-in/address', email), rate: SIGN_IN_RATES.address },
    { subject: subject(deps, 'sign-in/network', networkOf(ip)), rate: SIGN_IN_RATES.network },
  ])
}

/** Counts an attempt to open an account, in the same way. */
export function attemptSignUp(deps: AttemptDeps, line: PasswordLine, { ip }: { ip: string }): Promise<void> {
  return draw(deps, line, [{ subject: subject(deps, 'sign-up/network', networkOf(ip)), rate: SIGN_UP_RATE }])
}

async function draw(deps: AttemptDeps, line: PasswordLine, attempts: readonly Attempt[]): Promise<void> {
  const drawn = await drawAttempts(deps.db, attempts, {
    now: deps.clock.now(),
    beforeDrawing: () => line.takePlace(),
  })
  if (!drawn.ok) throw limited('Too many attempts. Wait before the next one.', drawn.retryAfterMs)
}

// Under the master key: a plain hash of an address could be found by trying addresses.
function subject(deps: AttemptDeps, kind: string, value: string): string {
  return deps.keyring.hash(`throttle:${kind}:${value}`)
}
