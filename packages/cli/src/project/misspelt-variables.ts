import type { Environment } from '../deps.ts'

const KNOWN = [
  'SVC_API_KEY',
  'SVC_BASE_URL',
  'SVC_RUNTIME_ID',
  'SVC_RUNTIME_SECRET',
  'SVC_ACCOUNT_KEY',
  'SVC_PUBLIC_KEY',
  'SVC_END_USER_TOKEN',
] as const

/** A sentence for each variable that is set and looks like a misspelling of one that is read and is not set. */
export function misspeltVariables(env: Environment): string[] {
  return Object.keys(env).flatMap((name) => {
    if (!/^svc_?/i.test(name) || KNOWN.some((known) => known === name)) return []
    const meant = KNOWN.find((known) => env[known] === undefined && isClose(bare(name), bare(known)))
    return meant === undefined ? [] : [`${name} is not read. Did you mean ${meant}?`]
  })
}

function bare(name: string): string {
  return name.toUpperCase().replaceAll('_', '')
}

/** One letter wrong, missing or too many, or two neighbours in each other’s place. */
function isClose(written: string, known: string): boolean {
  if (written === known) return true
  let start = 0
  while (start < written.length && written.charAt(start) === known.charAt(start)) start += 1
  const rest = written.slice(start)
  const meant = known.slice(start)
  const swapped = rest.charAt(1) + rest.charAt(0) + rest.slice(2)
  return rest.slice(1) === meant.slice(1) || rest.slice(1) === meant || rest === meant.slice(1) || swapped === meant
}
