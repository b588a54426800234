import { isLocalHost } from '@svc/contract'

/** Where `npm start` serves a control plane. */
export const DEFAULT_BASE_URL = 'http://127.0.0.1:8787'

/** What is wrong with the control plane’s address, or null. */
export function baseUrlProblem(baseUrl: string): string | null {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return 'must be the address of a control plane, such as https://svc.example.com.'
  }
  // A password in it would be printed with every message that names the address.
  if (url.username || url.password) return 'must not carry a user name or password.'
  if (url.search || url.hash) return 'must not carry a query or a fragment.'
  return null
}

export function normalizeBaseUrl(baseUrl: string): string {
  return new URL(baseUrl).href.replace(/\/+$/, '')
}

/** True where the deploy key would travel unencrypted to another machine. */
export function isPlainText(baseUrl: string): boolean {
  const url = new URL(baseUrl)
  return url.protocol === 'http:' && !isLocalHost(url.hostname)
}
