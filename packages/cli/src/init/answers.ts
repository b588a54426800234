import { basename } from 'node:path'
import { KEY_PREFIXES, keyKindOf, namespaceProblem, WebUrl } from '@svc/contract'
import { usageFailure } from '../failures.ts'
import { DEFAULT_PORT } from '../project/default-port.ts'
import { fieldLines } from '../terminal/field-lines.ts'

const MAX_NAME = 100

/** The command’s options as they were typed. */
export type InitFlags = {
  readonly name?: string
  readonly website?: string
  readonly namespace?: string
  readonly port?: string
  readonly yes?: true
}

/** What a new project is to be called and where it stands. */
export type Answers = {
  readonly name: string
  readonly website: string | null
  readonly namespace: string | null
  readonly port: number
}

/** The fault of an answer, or null. The same for flags and prompts. */
export const ANSWER_PROBLEMS = {
  name(name: string): string | null {
    if (name.trim() === '') return 'must not be empty.'
    return name.trim().length > MAX_NAME ? `must have at most ${MAX_NAME} characters.` : null
  },
  website(website: string): string | null {
    const parsed = WebUrl.safeParse(website)
    return parsed.success
      ? null
      : (parsed.error.issues[0]?.message ?? 'must be an address such as https://example.com.')
  },
  namespace: namespaceProblem,
  port(port: string): string | null {
    return /^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535
      ? null
      : 'must be a number from 1 to 65535.'
  },
} as const

/** Throws a usage failure that names every option with a fault. */
export function checkFlags(flags: InitFlags): void {
  const faults: Record<string, string[]> = {}
  for (const field of ['name', 'website', 'namespace', 'port'] as const) {
    const given = flags[field]
    const problem = given === undefined ? null : ANSWER_PROBLEMS[field](given)
    if (problem) faults[`--${field}`] = [problem]
  }
  if (Object.keys(faults).length > 0) throw usageFailure('The options are not valid.', fieldLines(faults))
}

/** Whatever the options leave out, filled in. */
export function defaultAnswers(flags: InitFlags, folder: string): Answers {
  const website = flags.website ?? null
  return {
    name: flags.name?.trim() ?? nameAfter(folder),
    website,
    namespace: flags.namespace ?? namespaceAfter(website),
    port: Number(flags.port ?? DEFAULT_PORT),
  }
}

/** The website’s host reversed, `shop.example.com` → `com.example.shop`; null where that is no namespace. */
export function namespaceAfter(website: string | null): string | null {
  if (website === null || ANSWER_PROBLEMS.website(website) !== null) return null
  const reversed = new URL(website).hostname.split('.').reverse().join('.')
  return namespaceProblem(reversed) === null ? reversed : null
}

/** The fault of an account key, or null. */
export function accountKeyProblem(key: string): string | null {
  if (keyKindOf(key) === 'account') return null
  return key.startsWith(KEY_PREFIXES.account)
    ? 'is not a complete account key: it was cut or mistyped. Copy it again.'
    : `must be an account key, which starts with ${KEY_PREFIXES.account}.`
}

// `my-first_app` → `My first app`
function nameAfter(folder: string): string {
  const words = basename(folder)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .slice(0, MAX_NAME)
  return words === '' ? 'My app' : words.charAt(0).toUpperCase() + words.slice(1)
}
