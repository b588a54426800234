import { ChangePasswordRequest, Tier } from '@svc/contract'
import type { Logger } from 'pino'
import { createOwner, setTier } from '../accounts/accounts.ts'
import { createPasswordQueue } from '../accounts/password-queue.ts'
import { resetPassword } from '../accounts/sign-in.ts'
import { readConfig } from '../config.ts'
import { openOnFullDisk } from '../database/disk-reserve.ts'
import { openStore } from '../database/open-store.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { systemClock } from '../lib/clock.ts'
import type { Environment } from '../lib/environment.ts'
import { createIds } from '../lib/ids.ts'
import { reportFaults } from '../lib/report-faults.ts'
import { Secret } from '../secrets/secret.ts'
import { keysOfAccount, revokeKeyOfAccount } from './account-keys.ts'
import type { AdminResult } from './admin-result.ts'
import { backUp } from './backup.ts'
import { type AccountCommand, parseAdminCommand } from './parse-command.ts'
import { prune } from './prune.ts'
import type { TypedPassword } from './read-password.ts'
import { recount } from './recount.ts'
import { restoreBackup } from './restore-backup.ts'

type AdminDeps = Pick<Deps, 'db' | 'clock' | 'newId' | 'keyring' | 'passwords'>

/** What a command needs of the process that it runs in. */
interface AdminContext {
  env: Environment
  logger: Logger
  readPassword(): Promise<TypedPassword>
}

/** Runs one operator's command on the configured store, beside a running server or without one. */
export async function runAdmin(args: readonly string[], context: AdminContext): Promise<AdminResult> {
  const { env, logger, readPassword } = context
  const command = parseAdminCommand(args)
  if (!command.ok) return { ok: false, text: command.problem }
  const read = readConfig(env)
  if (!read.ok) return { ok: false, text: reportFaults(read.faults).trimEnd() }
  const { config } = read
  // These two open the store in their own way: as it is, without migrating it.
  if (command.command.name === 'backup') return backUp({ store: config.store, ...command.command })
  if (command.command.name === 'restore') {
    return restoreBackup({ store: config.store, from: command.command.from, hasMasterKeys: config.masterKeys !== null })
  }
  const onFault = (error: unknown) => logger.error({ err: error }, 'the database reported a fault')
  const open = () => openStore(config, { onFault, onFatal: () => {} })
  const { store } = config
  const { database, keyring } = await (store.engine === 'sqlite' ? openOnFullDisk(store.folder, open) : open())
  try {
    const { db } = database
    const deps: AdminDeps = {
      db,
      keyring,
      passwords: createPasswordQueue(),
      clock: systemClock,
      newId: createIds(systemClock),
    }
    if (command.command.name === 'recount') return await recount(deps)
    if (command.command.name === 'prune') {
      const keepDeployments = command.command.keepDeployments ?? config.limits.deploymentsKept
      return await prune(deps, store, { ...command.command, keepDeployments })
    }
    return await carryOut(deps, command.command, readPassword)
  } finally {
    await database.close()
  }
}

async function carryOut(
  deps: AdminDeps,
  command: AccountCommand,
  readPassword: AdminContext['readPassword'],
): Promise<AdminResult> {
  switch (command.name) {
    case 'create-owner':
      return makeOwner(deps, command)
    case 'list-keys':
      return showAccount(command.email, await keysOfAccount(deps, command.email))
    case 'revoke-key':
      return showAccount(command.email, await revokeKeyOfAccount(deps, command))
    case 'set-tier':
      return showAccount(command.email, await setTier(deps, command))
    case 'set-password': {
      const { first, repeated } = await readPassword()
      const password = ChangePasswordRequest.shape.newPassword.safeParse(first)
      if (!password.success) return { ok: false, text: `The password ${password.error.issues[0]?.message}` }
      if (repeated !== null && repeated !== first)
        return { ok: false, text: 'The two passwords differ: nothing was set.' }
      const owner = await resetPassword(deps, { email: command.email, password: new Secret(password.data) })
      return showAccount(command.email, owner)
    }
  }
}

async function makeOwner(
  deps: AdminDeps,
  { email, tier = Tier.enum.free }: Extract<AccountCommand, { name: 'create-owner' }>,
): Promise<AdminResult> {
  try {
    const { owner, apiKey } = await createOwner(deps, { email, tier })
    return { ok: true, text: JSON.stringify({ ...owner, apiKey: apiKey.reveal() }) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const commands = `npm run -s admin -- list-keys --email ${email}\n  npm run -s admin -- revoke-key --email ${email} --key <keyId>`
    return { ok: false, text: `${error.message}\n  ${commands}` }
  }
}

function showAccount(email: string, account: object | null): AdminResult {
  if (!account) return { ok: false, text: `No account has the address ${email}. Make one with create-owner.` }
  return { ok: true, text: JSON.stringify(account) }
}
