import type { Keyring } from '../secrets/keyring.ts'
import { Secret } from '../secrets/secret.ts'
import type { Db } from './schema.ts'
import { inTransaction, type Tx } from './transaction.ts'

const CHECK_ID = 1
const CONTEXT = { table: 'master_key_check', column: 'sealed', rowId: String(CHECK_ID) }
const WRONG_KEY =
  'The master key is not the one that this database was written with: compare SVC_MASTER_KEY, or master.key in the data folder, with that of the other replicas and of the last start.'

/**
 * Throws where the keyring has no key that this database was written with. Otherwise records its first key: a later start
 * with that key alone is accepted.
 */
export async function checkMasterKey(db: Db, keyring: Keyring): Promise<void> {
  const own = keyring.seal(new Secret('check'), CONTEXT)
  const known = await readSealed(db)
  if (known.some((sealed) => keyring.isUnderFirst(sealed)) && opensAny(keyring, known)) return
  await inTransaction(db, async (tx) => {
    const first = known.length === 0 && (await isWrittenUnder(tx, keyring)) ? [own] : []
    await tx
      .insertInto('master_key_check')
      .values({ check_id: CHECK_ID, sealed: JSON.stringify(first) })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const recorded = await readSealed(tx, 'locked')
    if (!opensAny(keyring, recorded)) throw new Error(WRONG_KEY)
    if (recorded.some((sealed) => keyring.isUnderFirst(sealed))) return
    const sealed = JSON.stringify([...recorded, own])
    await tx.updateTable('master_key_check').set({ sealed }).execute()
  })
}

async function readSealed(db: Db, lock?: 'locked'): Promise<string[]> {
  const query = db.selectFrom('master_key_check').select('sealed').where('check_id', '=', CHECK_ID)
  const row = await (lock ? query.forUpdate() : query).executeTakeFirst()
  return row === undefined ? [] : JSON.parse(row.sealed)
}

// A database from before this check has secrets, and no row in `master_key_check`.
async function isWrittenUnder(tx: Tx, keyring: Keyring): Promise<boolean> {
  const row = await tx.selectFrom('runtimes').select('secret_sealed').orderBy('runtime_id', 'desc').executeTakeFirst()
  return row === undefined || keyring.hasKeyOf(row.secret_sealed)
}

function opensAny(keyring: Keyring, sealed: readonly string[]): boolean {
  return sealed.some((value) => keyring.hasKeyOf(value) && keyring.open(value, CONTEXT).reveal() === 'check')
}
