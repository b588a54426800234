import { isLocalHost, portProblem } from '@svc/contract'
import type { Environment } from '../deps.ts'
import { projectFailure, usageFailure } from '../failures.ts'

/** Where `npm start` serves a control plane. */
const DEFAULT_BASE_URL = 'http://127.0.0.1:8787'

/** The control plane’s address as the environment names it, and what is wrong with it, if anything is. */
export function readBaseUrl(env: Environment): { readonly baseUrl: string; readonly problem: string | null } {
  const given = env['SVC_BASE_URL'] || DEFAULT_BASE_URL
  const problem = baseUrlProblem(given)
  return { baseUrl: problem === null ? normalized(given) : given, problem }
}

/** As {@link readBaseUrl}, where nothing else is checked together with it. */
export function baseUrlOf(env: Environment): string {
  const { baseUrl, problem } = readBaseUrl(env)
  if (problem === null) return baseUrl
  throw projectFailure(`SVC_BASE_URL ${problem}`)
}

/** The address that `--url` names, else the environment's. */
export function urlOrBase(url: string | undefined, env: Environment): string {
  if (url === undefined) return baseUrlOf(env)
  const { baseUrl, problem } = readBaseUrl({ SVC_BASE_URL: url })
  if (problem === null) return baseUrl
  throw usageFailure(`--url ${problem}`)
}

function baseUrlProblem(baseUrl: string): string | null {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return portProblem(baseUrl) ?? 'must be the address of a control plane, such as https://svc.example.com.'
  }
  // A password in it would be printed with every message that names the address.
  if (url.username || url.password) return 'must not carry a user name or password.'
  if (/\/v1\/*$/.test(url.pathname)) return 'must be the address alone, without /v1 at its end.'
  if (url.search || url.hash) return 'must not carry a query or a fragment.'
  return null
}

function normalized(baseUrl: string): string {
  return new URL(baseUrl).href.replace(/\/+$/, '')
}

/** True where the deploy key would travel unencrypted to another machine. */
export function isPlainText(baseUrl: string): boolean {
  const url = new URL(baseUrl)
  return url.protocol === 'http:' && !isLocalHost(url.hostname)
}
