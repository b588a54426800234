import { parseArgs } from 'node:util'
import { Tier } from '@svc/contract'
import { z } from 'zod'

/** What is done to an account. */
export type AccountCommand =
  | { name: 'create-owner'; email: string; tier: Tier | undefined }
  | { name: 'set-tier'; email: string; tier: Tier }
  | { name: 'set-password'; email: string }
  | { name: 'list-keys'; email: string }
  | { name: 'revoke-key'; email: string; keyId: string }

/** What is done to the whole store. */
type StoreCommand =
  | { name: 'backup'; to: string; withMasterKey: boolean }
  | { name: 'restore'; from: string }
  | { name: 'prune'; before: number | null; keepDeployments: number | null; isDryRun: boolean }
  | { name: 'recount' }

export type AdminCommand = AccountCommand | StoreCommand

export type ParsedCommand = { ok: true; command: AdminCommand } | { ok: false; problem: string }

const USAGE = `Usage:
  npm run -s admin -- create-owner --email <address> [--tier free|pro|enterprise]
  npm run -s admin -- set-tier --email <address> --tier free|pro|enterprise
  npm run -s admin -- set-password --email <address>    (asks for it, or reads it from standard input)
  npm run -s admin -- list-keys --email <address>
  npm run -s admin -- revoke-key --email <address> --key <keyId>
  npm run -s admin -- backup --to <new folder> [--with-master-key]
  npm run -s admin -- restore --from <folder of a backup>    (into SVC_DATA_DIR, which must be new or empty)
  npm run -s admin -- prune [--before <date>] [--keep-deployments <number>] [--dry-run]
  npm run -s admin -- recount    (what every account has stored, from the rows themselves)`

const OPTIONS = {
  email: { type: 'string' },
  tier: { type: 'string' },
  to: { type: 'string' },
  from: { type: 'string' },
  'with-master-key': { type: 'boolean' },
  key: { type: 'string' },
  before: { type: 'string' },
  'keep-deployments': { type: 'string' },
  'dry-run': { type: 'boolean' },
} as const

/** Which options each command takes. */
const COMMANDS = {
  'create-owner': ['email', 'tier'],
  'set-tier': ['email', 'tier'],
  'set-password': ['email'],
  backup: ['to', 'with-master-key'],
  restore: ['from'],
  'list-keys': ['email'],
  'revoke-key': ['email', 'key'],
  prune: ['before', 'keep-deployments', 'dry-run'],
  recount: [],
} as const satisfies Record<AdminCommand['name'], readonly (keyof typeof OPTIONS)[]>

const Email = z.email().max(254)

/** Reads an operator's command line. */
export function parseAdminCommand(args: readonly string[]): ParsedCommand {
  const read = readArguments(args)
  if (!read.ok) return refuse(read.problem)
  const [given, ...rest] = read.positionals
  if (given === undefined) return refuse('Which command?')
  if (!isCommand(given)) return refuse(`There is no command ${given}.`)
  if (rest.length > 0) return refuse(`${given} takes options alone.`)
  const { values } = read
  const known: readonly string[] = COMMANDS[given]
  const foreign = Object.keys(values).find((option) => !known.includes(option))
  if (foreign !== undefined) return refuse(`--${foreign} does not belong to ${given}.`)
  if (given === 'backup') {
    if (!values.to) return refuse('--to must be a folder that is not there yet.')
    return accept({ name: given, to: values.to, withMasterKey: values['with-master-key'] ?? false })
  }
  if (given === 'restore') {
    return values.from ? accept({ name: given, from: values.from }) : refuse('--from must be the folder of a backup.')
  }
  if (given === 'prune') return pruneCommand(values)
  if (given === 'recount') return accept({ name: given })
  return accountCommand(given, values)
}

const Before = z.union([z.iso.date(), z.iso.datetime({ offset: true })]).transform((text) => Date.parse(text))
const Kept = z
  .string()
  .regex(/^[1-9]\d{0,5}$/)
  .transform(Number)

function pruneCommand(values: Values): ParsedCommand {
  const before = Before.optional().safeParse(values.before)
  if (!before.success) return refuse('--before must be a date, such as 2026-03-01 or 2026-03-01T12:00:00Z.')
  const kept = Kept.optional().safeParse(values['keep-deployments'])
  if (!kept.success) return refuse('--keep-deployments must be a whole number above zero.')
  return accept({
    name: 'prune',
    before: before.data ?? null,
    keepDeployments: kept.data ?? null,
    isDryRun: values['dry-run'] ?? false,
  })
}

function accountCommand(name: AccountCommand['name'], values: Values): ParsedCommand {
  const email = Email.safeParse(values.email)
  if (!email.success) return refuse('--email must be an e-mail address.')
  const tier = Tier.optional().safeParse(values.tier)
  if (!tier.success) return refuse('--tier must be free, pro or enterprise.')
  if (name === 'create-owner') return accept({ name, email: email.data, tier: tier.data })
  if (name === 'set-password' || name === 'list-keys') return accept({ name, email: email.data })
  if (name === 'revoke-key') {
    return values.key
      ? accept({ name, email: email.data, keyId: values.key })
      : refuse('--key must be the id of a key.')
  }
  return tier.data ? accept({ name, email: email.data, tier: tier.data }) : refuse('--tier is required.')
}

function isCommand(name: string | undefined): name is AdminCommand['name'] {
  return name !== undefined && Object.hasOwn(COMMANDS, name)
}

type Values = ReturnType<typeof parseOptions>['values']

type Arguments = { ok: true; positionals: string[]; values: Values } | { ok: false; problem: string }

function readArguments(args: readonly string[]): Arguments {
  try {
    return { ok: true, ...parseOptions(args) }
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) }
  }
}

function parseOptions(args: readonly string[]) {
  return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
}

function accept(command: AdminCommand): ParsedCommand {
  return { ok: true, command }
}

function refuse(problem: string): ParsedCommand {
  return { ok: false, problem: `${problem}\n${USAGE}` }
}
