import type { Selectable } from 'kysely'
import type { Db, Schema } from '../store/schema.ts'
import { inTransaction, type Tx } from '../store/transaction.ts'

export type SecondFactorRow = Selectable<Schema['second_factors']>

/** The second factor of an account, on or not yet. */
export function findSecondFactor(db: Db, ownerId: string): Promise<SecondFactorRow | undefined> {
  return db.selectFrom('second_factors').selectAll().where('owner_id', '=', ownerId).executeTakeFirst()
}

/** Stores a secret that waits for its first code, in place of an earlier one; false where a factor is on. */
export async function putSecret(db: Db, ownerId: string, secretSealed: string): Promise<boolean> {
  const put = await db
    .insertInto('second_factors')
    .values({ owner_id: ownerId, secret_sealed: secretSealed })
    .onConflict((conflict) =>
      conflict
        .column('owner_id')
        .doUpdateSet({ secret_sealed: secretSealed })
        .where('second_factors.confirmed_at', 'is', null),
    )
    .returning('owner_id')
    .executeTakeFirst()
  return put !== undefined
}

/** Turns a factor on whose secret is still this one, with its recovery codes; false where it changed meanwhile. */
export function turnOn(
  db: Db,
  { owner_id, secret_sealed }: SecondFactorRow,
  { step, now, codeHashes }: { step: number; now: number; codeHashes: readonly string[] },
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const turned = await tx
      .updateTable('second_factors')
      .set({ confirmed_at: now, last_step: step })
      .where((eb) => eb.and({ owner_id, secret_sealed }))
      .where('confirmed_at', 'is', null)
      .returning('owner_id')
      .executeTakeFirst()
    if (!turned) return false
    const codes = codeHashes.map((code_hash) => ({ owner_id, code_hash }))
    await tx.insertInto('recovery_codes').values(codes).execute()
    return true
  })
}

/** Uses a time step up; false where a code of it or of a later one was accepted before. */
export async function spendStep(db: Db, ownerId: string, step: number): Promise<boolean> {
  const spent = await db
    .updateTable('second_factors')
    .set({ last_step: step })
    .where('owner_id', '=', ownerId)
    .where('last_step', '<', step)
    .returning('owner_id')
    .executeTakeFirst()
  return spent !== undefined
}

/** Uses a recovery code up, by its hashes; false where the account has no such code left. */
export async function spendRecoveryCode(db: Db, ownerId: string, hashes: readonly string[]): Promise<boolean> {
  const spent = db.deleteFrom('recovery_codes').where('owner_id', '=', ownerId).where('code_hash', 'in', hashes)
  return (await spent.returning('owner_id').executeTakeFirst()) !== undefined
}

export async function countRecoveryCodes(db: Db, ownerId: string): Promise<number> {
  const codes = db.selectFrom('recovery_codes').select((eb) => eb.fn.countAll<number>().as('left'))
  const { left } = await codes.where('owner_id', '=', ownerId).executeTakeFirstOrThrow()
  return Number(left)
}

/** Turns the factor of an account off; false where it has none. */
export function turnOff(db: Db, ownerId: string): Promise<boolean> {
  return inTransaction(db, (tx) => deleteFactor(tx, ownerId))
}

async function deleteFactor(tx: Tx, ownerId: string): Promise<boolean> {
  await tx.deleteFrom('recovery_codes').where('owner_id', '=', ownerId).execute()
  const factor = tx.deleteFrom('second_factors').where('owner_id', '=', ownerId).returning('confirmed_at')
  return ((await factor.executeTakeFirst())?.confirmed_at ?? null) !== null
}
