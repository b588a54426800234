import { codeNeeded, wrongCode } from '../errors.ts'
import type { CoreDeps } from '../lib/core-deps.ts'
import type { SealContext } from '../secrets/keyring.ts'
import * as rules from './totp-rules.ts'
import * as store from './two-factor-store.ts'

type FactorDeps = Pick<CoreDeps, 'db' | 'clock' | 'keyring'>

/** Judges the code of a sign-in whose password was right, and uses it up. Passes where two-factor sign-in is off. */
export async function checkSecondFactor(deps: FactorDeps, ownerId: string, typed: string | undefined): Promise<void> {
  const factor = await store.findSecondFactor(deps.db, ownerId)
  if (!factor || factor.confirmed_at === null) return
  if (typed === undefined) throw codeNeeded()
  const { kind, code } = rules.parseCode(typed)
  const isRight =
    kind === 'app'
      ? await spendAppCode(deps, factor, code)
      : await store.spendRecoveryCode(deps.db, ownerId, deps.keyring.hashes(recoveryText(ownerId, code)))
  if (!isRight) throw wrongCode()
}

async function spendAppCode(deps: FactorDeps, factor: store.SecondFactorRow, code: string): Promise<boolean> {
  const step = stepOf(deps, factor, code)
  return step !== null && store.spendStep(deps.db, factor.owner_id, step)
}

/** The time step of an app’s code, later than the last one used; null where it is none. */
export function stepOf({ keyring, clock }: FactorDeps, factor: store.SecondFactorRow, code: string): number | null {
  const secret = keyring.open(factor.secret_sealed, secretContext(factor.owner_id))
  return rules.stepOfCode(secret.reveal(), code, { now: clock.now(), lastStep: factor.last_step })
}

/** The context that binds a sealed secret to its account. */
export function secretContext(ownerId: string): SealContext {
  return { table: 'second_factors', column: 'secret_sealed', rowId: ownerId }
}

/** A recovery code as it is hashed. */
export function recoveryText(ownerId: string, code: string): string {
  return `recovery-code:${ownerId}:${code}`
}
