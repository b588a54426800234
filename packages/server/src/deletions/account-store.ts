import { reviseRuntimes } from '../accounts/store.ts'
import { firstRow, matching } from '../store/rows.ts'
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
    const asked = { owner_id: ownerId, member_id: memberId, password_version: passwordVersion, role: 'owner' as const }
    const who = tx.selectFrom('members').select('member_id').where(matching('members', asked))
    if (!(await firstRow(who))) return 'other password'
    const gone = { deleted_at: now, email: goneAddress(newId) }
    await tx.updateTable('owners').set(gone).where('owner_id', '=', ownerId).execute()
    for (const table of OPENING) await tx.deleteFrom(table).where('owner_id', '=', ownerId).execute()
    await reviseRuntimes(tx, ownerId)
    return 'ended'
  })
}
