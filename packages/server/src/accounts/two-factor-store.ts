import type { Selectable } from 'kysely'
import { firstRow, hasEffect, matching } from '../store/rows.ts'
import type { Db, Schema } from '../store/schema.ts'
import { inTransaction } from '../store/transaction.ts'
import type { Member } from './member-store.ts'

export type SecondFactorRow = Selectable<Schema['second_factors']>

/** The second factor of a member, on or not yet; or null. */
export function findSecondFactor(db: Db, memberId: string): Promise<SecondFactorRow | null> {
  return firstRow(db.selectFrom('second_factors').selectAll().where('member_id', '=', memberId))
}

/** Stores a secret that waits for its first code, in place of an earlier one; false where a factor is on. */
export function putSecret(db: Db, { memberId, ownerId }: Member, secret_sealed: string): Promise<boolean> {
  const putting = db
    .insertInto('second_factors')
    .values({ member_id: memberId, owner_id: ownerId, secret_sealed })
    .onConflict((conflict) =>
      conflict.column('member_id').doUpdateSet({ secret_sealed }).where('second_factors.confirmed_at', 'is', null),
    )
  return hasEffect(putting)
}

/** Turns a factor on whose secret is still this one, with its recovery codes; false where it changed meanwhile. */
export function turnOn(
  db: Db,
  { member_id, owner_id, secret_sealed }: SecondFactorRow,
  { step, now, codeHashes }: { step: number; now: number; codeHashes: readonly string[] },
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const turning = tx.updateTable('second_factors').set({ confirmed_at: now, last_step: step })
    const pending = { member_id, secret_sealed, confirmed_at: null }
    if (!(await hasEffect(turning.where(matching('second_factors', pending))))) return false
    const codes = codeHashes.map((code_hash) => ({ member_id, owner_id, code_hash }))
    await tx.insertInto('recovery_codes').values(codes).execute()
    return true
  })
}

/** Uses a time step up; false where a code of it or of a later one was accepted before. */
export function spendStep(db: Db, memberId: string, step: number): Promise<boolean> {
  const spending = db.updateTable('second_factors').set({ last_step: step }).where('last_step', '<', step)
  return hasEffect(spending.where('member_id', '=', memberId))
}

/** Uses a recovery code up, by its hashes; false where the member has no such code left. */
export function spendRecoveryCode(db: Db, memberId: string, hashes: readonly string[]): Promise<boolean> {
  return hasEffect(db.deleteFrom('recovery_codes').where('member_id', '=', memberId).where('code_hash', 'in', hashes))
}

export async function hasRecoveryCode(db: Db, memberId: string, hashes: readonly string[]): Promise<boolean> {
  const code = db.selectFrom('recovery_codes').select('member_id').where('member_id', '=', memberId)
  return (await firstRow(code.where('code_hash', 'in', hashes))) !== null
}

export async function countRecoveryCodes(db: Db, memberId: string): Promise<number> {
  const codes = db.selectFrom('recovery_codes').select('code_hash').where('member_id', '=', memberId)
  return (await codes.execute()).length
}

/** Turns the factor of a member off; false where there is none. */
export function turnOff(db: Db, memberId: string): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    await tx.deleteFrom('recovery_codes').where('member_id', '=', memberId).execute()
    const factor = tx.deleteFrom('second_factors').where('member_id', '=', memberId).returning('confirmed_at')
    return ((await firstRow(factor))?.confirmed_at ?? null) !== null
  })
}
