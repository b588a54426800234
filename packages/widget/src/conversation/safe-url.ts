import { isSafeUrl } from '@svc/contract/reserved-output'

const LOCAL_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** An address that may be linked to, or null. */
export type UrlCheck = (text: string) => string | null

/**
 * Accepts absolute `https:` addresses without a user name. A page that is itself served from this machine is being worked
 * on, so that addresses of its own origin pass there, too.
 */
export function createUrlCheck(pageOrigin: string | null): UrlCheck {
  return (text) => {
    if (isSafeUrl(text)) return parsed(text)?.href ?? null
    // An address of this machine has to be as safe but for its scheme.
    if (!/^http:/i.test(text) || !isSafeUrl(text.replace(/^http:/i, 'https:'))) return null
    const url = parsed(text)
    return url?.origin === pageOrigin && LOCAL_HOSTS.has(url.hostname) ? url.href : null
  }
}

/** Whether a label is this host or an address of it. Not whether it is in there somewhere: an address can hold another’s. */
export function namesHost(label: string, host: string): boolean {
  const text = label.trim()
  return text === host || parsed(text)?.host === host
}

function parsed(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}
