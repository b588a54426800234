import { codeNeeded, wrongCode } from '../errors.ts'
import type { CoreDeps } from '../lib/core-deps.ts'
import { sealedIn } from '../secrets/keyring.ts'
import { countGuess } from './attempts.ts'
import * as rules from './totp-rules.ts'
import * as store from './two-factor-store.ts'

type FactorDeps = Pick<CoreDeps, 'db' | 'clock' | 'keyring'>

interface Given {
  code: string | undefined
  /** Whether it came with a session, or from a network that the member signed in from lately. */
  isKnown: boolean
  /** False where the factor itself ends with what is asked for: a refusal then leaves the code as it was. */
  isUsedUp: boolean
}

/** Judges the code of a request whose password was right. Passes where two-factor sign-in is off. */
export async function checkSecondFactor(
  deps: FactorDeps,
  memberId: string,
  { code: typed, isKnown, isUsedUp }: Given,
): Promise<void> {
  const factor = await store.findSecondFactor(deps.db, memberId)
  if (!factor || factor.confirmed_at === null) return
  if (typed === undefined) throw codeNeeded()
  const judge = () => isRight(deps, factor, typed, isUsedUp)
  if (!(await countGuess(deps, { memberId, isKnown }, judge))) throw wrongCode()
}

async function isRight(deps: FactorDeps, factor: store.SecondFactorRow, typed: string, isUsedUp: boolean) {
  const { member_id: memberId } = factor
  const { kind, code } = rules.parseCode(typed)
  if (kind === 'recovery') {
    const hashes = deps.keyring.hashes(recoveryText(memberId, code))
    return (isUsedUp ? store.spendRecoveryCode : store.hasRecoveryCode)(deps.db, memberId, hashes)
  }
  const step = stepOf(deps, factor, code)
  return step !== null && (!isUsedUp || store.spendStep(deps.db, memberId, step))
}

/** The time step of an app’s code, later than the last one used; null where it is none. */
export function stepOf({ keyring, clock }: FactorDeps, factor: store.SecondFactorRow, code: string): number | null {
  const secret = keyring.open(factor.secret_sealed, secretContext(factor.member_id))
  return rules.stepOfCode(secret.reveal(), code, { now: clock.now(), lastStep: factor.last_step })
}

/** By member. */
export const secretContext = sealedIn('second_factors', 'secret_sealed')

/** A recovery code as it is hashed. */
export function recoveryText(memberId: string, code: string): string {
  return `recovery-code:${memberId}:${code}`
}
