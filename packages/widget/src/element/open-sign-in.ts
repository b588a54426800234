/**
 * Opens the page’s own sign-in in a small window, or in place of the page where the browser opens none, and calls `check`
 * each time the end user comes back, until it gives true. Addresses are `https:`, or of the page’s own origin.
 */
export function openSignIn(address: string, check: () => Promise<boolean>): void {
  const url = signInUrl(address)
  if (url === null) return
  if (!open(url, 'svc-sign-in', 'popup,width=480,height=680')) {
    location.assign(url)
    return
  }
  const onFocus = () => {
    void check().then((isGoingOn) => {
      if (isGoingOn) removeEventListener('focus', onFocus)
    })
  }
  addEventListener('focus', onFocus)
}

function signInUrl(address: string): string | null {
  const url = URL.parse?.(address, document.baseURI)
  return url && (url.protocol === 'https:' || url.origin === location.origin) ? url.href : null
}
