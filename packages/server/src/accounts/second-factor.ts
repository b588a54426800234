import { codeNeeded, wrongCode } from '../errors.ts'
import type { CoreDeps } from '../lib/core-deps.ts'
import type { SealContext } from '../secrets/keyring.ts'
import * as rules from './totp-rules.ts'
import * as store from './two-factor-store.ts'

type FactorDeps = Pick<CoreDeps, 'db' | 'clock' | 'keyring'>

/** Judges the code of a sign-in whose password was right, and uses it up. Passes where two-factor sign-in is off. */
export async function checkSecondFactor(deps: FactorDeps, memberId: string, typed: string | undefined): Promise<void> {
  const factor = await store.findSecondFactor(deps.db, memberId)
  if (!factor || factor.confirmed_at === null) return
  if (typed === undefined) throw codeNeeded()
  const { kind, code } = rules.parseCode(typed)
  const isRight =
    kind === 'app'
      ? await spendAppCode(deps, factor, code)
      : await store.spendRecoveryCode(deps.db, memberId, deps.keyring.hashes(recoveryText(memberId, code)))
  if (!isRight) throw wrongCode()
}

async function spendAppCode(deps: FactorDeps, factor: store.SecondFactorRow, code: string): Promise<boolean> {
  const step = stepOf(deps, factor, code)
  return step !== null && store.spendStep(deps.db, factor.member_id, step)
}

/** The time step of an app’s code, later than the last one used; null where it is none. */
export function stepOf({ keyring, clock }: FactorDeps, factor: store.SecondFactorRow, code: string): number | null {
  const secret = keyring.open(factor.secret_sealed, secretContext(factor.member_id))
  return rules.stepOfCode(secret.reveal(), code, { now: clock.now(), lastStep: factor.last_step })
}

/** The context that binds a sealed secret to its member. */
export function secretContext(memberId: string): SealContext {
  return { table: 'second_factors', column: 'secret_sealed', rowId: memberId }
}

/** A recovery code as it is hashed. */
export function recoveryText(memberId: string, code: string): string {
  return `recovery-code:${memberId}:${code}`
}
