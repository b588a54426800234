import { parseArgs } from 'node:util'
import { Tier } from '@svc/contract'
import { z } from 'zod'

export type AdminCommand =
  | { name: 'create-owner'; email: string; tier: Tier | undefined }
  | { name: 'set-tier'; email: string; tier: Tier }
  | { name: 'set-password'; email: string }

export type ParsedCommand = { ok: true; command: AdminCommand } | { ok: false; problem: string }

const USAGE = `Usage:
  npm run -s admin -- create-owner --email <address> [--tier free|pro|enterprise]
  npm run -s admin -- set-tier --email <address> --tier free|pro|enterprise
  npm run -s admin -- set-password --email <address>    (reads the password from standard input)`

const NAMES = ['create-owner', 'set-tier', 'set-password'] as const

const Email = z.email().max(254)

/** Reads an operator's command line. */
export function parseAdminCommand(args: readonly string[]): ParsedCommand {
  const read = readArguments(args)
  if (!read.ok) return refuse(read.problem)
  const [given, ...rest] = read.positionals
  const name = NAMES.find((known) => known === given)
  if (name === undefined || rest.length > 0) return refuse('Which command?')
  const email = Email.safeParse(read.email)
  if (!email.success) return refuse('--email must be an e-mail address.')
  if (name === 'set-password') return setPassword(email.data, read.tier)
  const tier = Tier.optional().safeParse(read.tier)
  if (!tier.success) return refuse('--tier must be free, pro or enterprise.')
  if (name === 'create-owner') return { ok: true, command: { name, email: email.data, tier: tier.data } }
  if (!tier.data) return refuse('--tier is required.')
  return { ok: true, command: { name, email: email.data, tier: tier.data } }
}

function setPassword(email: string, tier: string | undefined): ParsedCommand {
  if (tier !== undefined) return refuse('--tier does not belong to set-password.')
  return { ok: true, command: { name: 'set-password', email } }
}

type Arguments =
  | { ok: true; positionals: string[]; email: string | undefined; tier: string | undefined }
  | { ok: false; problem: string }

function readArguments(args: readonly string[]): Arguments {
  try {
    const options = { email: { type: 'string' }, tier: { type: 'string' } } as const
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    return { ok: true, positionals, email: values.email, tier: values.tier }
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) }
  }
}

function refuse(problem: string): ParsedCommand {
  return { ok: false, problem: `${problem}\n${USAGE}` }
}
