import { Tier } from '@svc/contract'
import type { Logger } from 'pino'
import { createOwner, setTier } from '../accounts/accounts.ts'
import { systemClock } from '../clock.ts'
import { readConfig } from '../config.ts'
import type { Deps } from '../deps.ts'
import type { Environment } from '../environment.ts'
import { createIds } from '../ids.ts'
import { openStore } from '../open-store.ts'
import { reportFaults } from '../report-faults.ts'
import { type AdminCommand, parseAdminCommand } from './parse-command.ts'

export type AdminResult = { ok: boolean; text: string }

type AdminDeps = Pick<Deps, 'db' | 'clock' | 'newId' | 'keyring'>

/** Runs one operator's command on the configured store, beside a running server or without one. */
export async function runAdmin(args: readonly string[], env: Environment, logger: Logger): Promise<AdminResult> {
  const command = parseAdminCommand(args)
  if (!command.ok) return { ok: false, text: command.problem }
  const read = readConfig(env)
  if (!read.ok) return { ok: false, text: reportFaults(read.faults).trimEnd() }
  const { database, keyring } = await openStore(read.config, { logger, onFatal: () => {} })
  try {
    const deps: AdminDeps = { db: database.db, keyring, clock: systemClock, newId: createIds(systemClock) }
    return await carryOut(deps, command.command)
  } finally {
    await database.close()
  }
}

async function carryOut(deps: AdminDeps, command: AdminCommand): Promise<AdminResult> {
  if (command.name === 'create-owner') {
    const { owner, apiKey } = await createOwner(deps, { email: command.email, tier: command.tier ?? Tier.enum.free })
    return { ok: true, text: JSON.stringify({ ...owner, apiKey: apiKey.reveal() }) }
  }
  const owner = await setTier(deps, { email: command.email, tier: command.tier })
  if (!owner) return { ok: false, text: `No account has the address ${command.email}. Make one with create-owner.` }
  return { ok: true, text: JSON.stringify(owner) }
}
