import { parseArgs } from 'node:util'
import { Role, Tier } from '@svc/contract'
import { z } from 'zod'

const TEXT = { type: 'string' } as const
const FLAG = { type: 'boolean' } as const

const OPTIONS = {
  email: TEXT,
  tier: TEXT,
  role: TEXT,
  key: TEXT,
  to: TEXT,
  'with-master-key': FLAG,
  from: TEXT,
  before: TEXT,
  'keep-deployments': TEXT,
  'dry-run': FLAG,
}

export const USAGE = `Usage:
  npm run -s admin -- create-owner --email <address> [--tier free|pro|enterprise]
  npm run -s admin -- set-tier --email <address> --tier free|pro|enterprise
  npm run -s admin -- set-password --email <address>    (asks for it, or reads it from standard input)
  npm run -s admin -- reset-password --email <address>  (prints a link that sets a new one, once)
  npm run -s admin -- disable-totp --email <address>    (for a member who lost the app and the recovery codes)
  npm run -s admin -- list-members --email <address>    (of any member of the account)
  npm run -s admin -- set-role --email <address> --role owner|developer|viewer
  npm run -s admin -- list-keys --email <address>
  npm run -s admin -- revoke-key --email <address> --key <keyId>
  npm run -s admin -- backup --to <new folder> [--with-master-key]
  npm run -s admin -- restore --from <folder of a backup>    (into SVC_DATA_DIR, which must be new or empty)
  npm run -s admin -- prune [--before <date>] [--keep-deployments <number>] [--dry-run]
  npm run -s admin -- recount    (what every account has stored, from the rows themselves)`

const email = z.email('--email must be an e-mail address.').max(254, '--email must be an e-mail address.')
const tier = z.enum(Tier.options, '--tier must be free, pro or enterprise.')
const role = z.enum(Role.options, '--role must be owner, developer or viewer.')
const text = (problem: string) => z.string(problem).min(1, problem)
const BEFORE = '--before must be a date, such as 2026-03-01 or 2026-03-01T12:00:00Z.'
const KEPT = '--keep-deployments must be a whole number above zero.'

const AccountCommand = z.discriminatedUnion('name', [
  z.strictObject({ name: z.literal('create-owner'), email, tier: tier.optional() }),
  z.strictObject({ name: z.literal('set-tier'), email, tier }),
  z.strictObject({ name: z.literal('set-password'), email }),
  z.strictObject({ name: z.literal('reset-password'), email }),
  z.strictObject({ name: z.literal('disable-totp'), email }),
  z.strictObject({ name: z.literal('list-members'), email }),
  z.strictObject({ name: z.literal('set-role'), email, role }),
  z.strictObject({ name: z.literal('list-keys'), email }),
  z.strictObject({ name: z.literal('revoke-key'), email, key: text('--key must be the id of a key.') }),
])

const AdminCommand = z.discriminatedUnion('name', [
  AccountCommand,
  z.strictObject({
    name: z.literal('backup'),
    to: text('--to must be a folder that is not there yet.'),
    'with-master-key': z.boolean().default(false),
  }),
  z.strictObject({ name: z.literal('restore'), from: text('--from must be the folder of a backup.') }),
  z.strictObject({
    name: z.literal('prune'),
    before: z
      .union([z.iso.date(), z.iso.datetime({ offset: true })], BEFORE)
      .transform(Date.parse)
      .optional(),
    'keep-deployments': z
      .string()
      .regex(/^[1-9]\d{0,5}$/, KEPT)
      .transform(Number)
      .optional(),
    'dry-run': z.boolean().default(false),
  }),
  z.strictObject({ name: z.literal('recount') }),
])

export type AccountCommand = z.infer<typeof AccountCommand>
export type AdminCommand = z.infer<typeof AdminCommand>

export function parseAdminCommand(
  args: readonly string[],
): { ok: true; command: AdminCommand } | { ok: false; problem: string } {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
    const [name, ...rest] = positionals
    if (name === undefined) return refuse('Which command?')
    if (rest.length > 0) return refuse(`${name} takes options alone.`)
    const parsed = AdminCommand.safeParse({ ...values, name })
    return parsed.success ? { ok: true, command: parsed.data } : refuse(problemOf(name, parsed.error))
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

function problemOf(name: string, { issues }: z.ZodError): string {
  for (const issue of issues) {
    if (issue.code === 'unrecognized_keys') return `--${issue.keys[0]} does not belong to ${name}.`
    if (issue.code === 'invalid_union' && issue.path[0] === 'name') return `There is no command ${name}.`
  }
  return issues[0]?.message ?? ''
}

function refuse(problem: string): { ok: false; problem: string } {
  return { ok: false, problem: `${problem}\n${USAGE}` }
}
