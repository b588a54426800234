import type { Logger } from 'pino'
import { createPasswordQueue } from '../accounts/password-queue.ts'
import { readConfig, reportFaults } from '../config.ts'
import { systemClock } from '../lib/clock.ts'
import type { Environment } from '../lib/environment.ts'
import { createIds } from '../lib/ids.ts'
import { openWithDiskReserve } from '../store/disk-reserve.ts'
import { openStore } from '../store/open-store.ts'
import { type AccountCommandDeps, runAccountCommand } from './account-commands.ts'
import { backUp } from './backup.ts'
import { CommandError } from './command-error.ts'
import { parseAdminCommand } from './parse-command.ts'
import { prune } from './prune.ts'
import { recount } from './recount.ts'
import { restoreBackup } from './restore-backup.ts'

interface AdminContext extends Pick<AccountCommandDeps, 'readPassword'> {
  env: Environment
  logger: Logger
}

/**
 * Runs one operator's command on the configured store, beside a running server or without one, and returns what is printed
 * as JSON. Throws a {@link CommandError} with what is wrong.
 */
export async function runAdmin(args: readonly string[], { env, logger, readPassword }: AdminContext): Promise<object> {
  const parsed = parseAdminCommand(args)
  if (!parsed.ok) throw new CommandError(parsed.problem)
  const read = readConfig(env)
  if (!read.ok) throw new CommandError(reportFaults(read.faults).trimEnd())
  const { command } = parsed
  const { config } = read
  const { store } = config
  // These two do not migrate the store that they find.
  if (command.name === 'backup' || command.name === 'restore') {
    if (store.engine === 'postgres') throw new CommandError(NOT_WITH_POSTGRES)
    if (command.name === 'backup') return backUp(store.folder, command)
    return restoreBackup(store.folder, { from: command.from, hasMasterKeys: config.masterKeys !== null })
  }
  const onFault = (error: unknown) => logger.error({ err: error }, 'the database reported a fault')
  const open = () => openStore(config, { onFault, onFatal: () => {} })
  const { database, keyring } = await (store.engine === 'sqlite' ? openWithDiskReserve(store.folder, open) : open())
  try {
    const deps = { db: database.db, clock: systemClock }
    if (command.name === 'recount') return await recount(deps)
    if (command.name === 'prune') return await prune(deps, store, { ...command, limits: config.limits })
    const passwords = createPasswordQueue()
    const newId = createIds(systemClock)
    const baseUrl = () => config.baseUrl ?? `http://localhost:${config.port}`
    return await runAccountCommand({ ...deps, logger, keyring, passwords, newId, baseUrl, readPassword }, command)
  } finally {
    await database.close()
  }
}

const NOT_WITH_POSTGRES =
  'These commands are for the embedded store. DATABASE_URL is set: take pg_dump and pg_restore for PostgreSQL.'
