import type { Selectable } from 'kysely'
import type { Db, Schema } from '../store/schema.ts'
import { inTransaction, type Tx } from '../store/transaction.ts'
import type { Member } from './member-store.ts'

export type SecondFactorRow = Selectable<Schema['second_factors']>

/** The second factor of a member, on or not yet. */
export function findSecondFactor(db: Db, memberId: string): Promise<SecondFactorRow | undefined> {
  return db.selectFrom('second_factors').selectAll().where('member_id', '=', memberId).executeTakeFirst()
}

/** Stores a secret that waits for its first code, in place of an earlier one; false where a factor is on. */
export async function putSecret(db: Db, { memberId, ownerId }: Member, secretSealed: string): Promise<boolean> {
  const put = await db
    .insertInto('second_factors')
    .values({ member_id: memberId, owner_id: ownerId, secret_sealed: secretSealed })
    .onConflict((conflict) =>
      conflict
        .column('member_id')
        .doUpdateSet({ secret_sealed: secretSealed })
        .where('second_factors.confirmed_at', 'is', null),
    )
    .returning('member_id')
    .executeTakeFirst()
  return put !== undefined
}

/** Turns a factor on whose secret is still this one, with its recovery codes; false where it changed meanwhile. */
export function turnOn(
  db: Db,
  { member_id, owner_id, secret_sealed }: SecondFactorRow,
  { step, now, codeHashes }: { step: number; now: number; codeHashes: readonly string[] },
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const turned = await tx
      .updateTable('second_factors')
      .set({ confirmed_at: now, last_step: step })
      .where((eb) => eb.and({ member_id, secret_sealed }))
      .where('confirmed_at', 'is', null)
      .returning('member_id')
      .executeTakeFirst()
    if (!turned) return false
    const codes = codeHashes.map((code_hash) => ({ member_id, owner_id, code_hash }))
    await tx.insertInto('recovery_codes').values(codes).execute()
    return true
  })
}

/** Uses a time step up; false where a code of it or of a later one was accepted before. */
export async function spendStep(db: Db, memberId: string, step: number): Promise<boolean> {
  const spent = await db
    .updateTable('second_factors')
    .set({ last_step: step })
    .where('member_id', '=', memberId)
    .where('last_step', '<', step)
    .returning('member_id')
    .executeTakeFirst()
  return spent !== undefined
}

/** Uses a recovery code up, by its hashes; false where the member has no such code left. */
export async function spendRecoveryCode(db: Db, memberId: string, hashes: readonly string[]): Promise<boolean> {
  const spent = db.deleteFrom('recovery_codes').where('member_id', '=', memberId).where('code_hash', 'in', hashes)
  return (await spent.returning('member_id').executeTakeFirst()) !== undefined
}

export async function hasRecoveryCode(db: Db, memberId: string, hashes: readonly string[]): Promise<boolean> {
  const code = db.selectFrom('recovery_codes').select('member_id').where('member_id', '=', memberId)
  return (await code.where('code_hash', 'in', hashes).executeTakeFirst()) !== undefined
}

export async function countRecoveryCodes(db: Db, memberId: string): Promise<number> {
  const codes = db.selectFrom('recovery_codes').select((eb) => eb.fn.countAll<number>().as('left'))
  const { left } = await codes.where('member_id', '=', memberId).executeTakeFirstOrThrow()
  return Number(left)
}

/** Turns the factor of a member off; false where there is none. */
export function turnOff(db: Db, memberId: string): Promise<boolean> {
  return inTransaction(db, (tx) => deleteFactor(tx, memberId))
}

async function deleteFactor(tx: Tx, memberId: string): Promise<boolean> {
  await tx.deleteFrom('recovery_codes').where('member_id', '=', memberId).execute()
  const factor = tx.deleteFrom('second_factors').where('member_id', '=', memberId).returning('confirmed_at')
  return ((await factor.executeTakeFirst())?.confirmed_at ?? null) !== null
}
