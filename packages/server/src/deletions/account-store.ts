import type { Db } from '../store/schema.ts'
import { inTransaction, lockOwner } from '../store/transaction.ts'
import { goneAddress } from './rules.ts'

interface EndedAccount {
  ownerId: string
  /** Who asked for it, an owner. */
  memberId: string
  passwordVersion: number
  now: number
  newId: string
}

/** Tables of credentials and members, emptied when the account ends. */
const OPENING = [
  ...(['auth_sessions', 'device_logins', 'password_resets', 'credentials', 'invitations'] as const),
  ...(['second_factors', 'recovery_codes', 'members'] as const),
]

/**
 * Ends an account in one transaction: all its keys, its sessions and its runtimes stop with the commit, on every replica, and
 * the addresses of its members may sign up again. `passwordVersion` is that of the password that was given.
 */
export function endAccount(
  db: Db,
  { ownerId, memberId, passwordVersion, now, newId }: EndedAccount,
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
    const who = tx.selectFrom('members').select('member_id')
    const asked = { owner_id: ownerId, member_id: memberId, password_version: passwordVersion, role: 'owner' as const }
    if (!(await who.where((eb) => eb.and(asked)).executeTakeFirst())) return 'other password'
    await tx
      .updateTable('owners')
      .set({ deleted_at: now, email: goneAddress(newId) })
      .where('owner_id', '=', ownerId)
      .execute()
    for (const table of OPENING) {
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
