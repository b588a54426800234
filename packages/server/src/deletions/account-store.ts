import type { Db } from '../store/schema.ts'
import { inTransaction, lockOwner } from '../store/transaction.ts'
import { goneAddress } from './rules.ts'

/**
 * Ends an account in one transaction: all its keys, its sessions and its runtimes stop with the commit, on every replica, and
 * its address may sign up again. `passwordVersion` is that of the password that was given.
 */
export function endAccount(
  db: Db,
  { ownerId, passwordVersion, now, newId }: { ownerId: string; passwordVersion: number; now: number; newId: string },
): Promise<'ended' | 'paid' | 'pending' | 'other password'> {
  return inTransaction(db, async (tx) => {
    // First: a payment that is settled meanwhile waits, or is seen.
    await lockOwner(tx, ownerId)
    // Paid later, a page that is still open would charge an account that nobody can open.
    const open = await tx
      .selectFrom('checkouts')
      .select('status')
      .where('owner_id', '=', ownerId)
      .where('status', 'in', ['paid', 'pending'])
      .orderBy('status')
      .$narrowType<{ status: 'paid' | 'pending' }>()
      .executeTakeFirst()
    if (open) return open.status
    const password = await tx
      .deleteFrom('auth_accounts')
      .where((eb) => eb.and({ owner_id: ownerId, password_version: passwordVersion }))
      .executeTakeFirst()
    if (password.numDeletedRows === 0n) return 'other password'
    await tx
      .updateTable('owners')
      .set({ deleted_at: now, email: goneAddress(newId) })
      .where('owner_id', '=', ownerId)
      .execute()
    for (const table of ['auth_sessions', 'device_logins', 'password_resets', 'credentials'] as const) {
      await tx.deleteFrom(table).where('owner_id', '=', ownerId).execute()
    }
    // Admission compares revisions: a cached runtime is read again, and not found.
    await tx
      .updateTable('runtimes')
      .set((eb) => ({ revision: eb('revision', '+', 1) }))
      .where('owner_id', '=', ownerId)
      .execute()
    return 'ended'
  })
}
