/**
 * Opens the page’s own sign-in in a small window, or in place of the page where the browser opens none, and calls `check`
 * each time the end user comes back, until it gives true. Addresses are `https:`, or of the page’s own origin.
 */
export function openSignIn(address: string, check: () => Promise<boolean>): void {
  const url = signInUrl(address)
  if (url === null) return
  const popup = open(url, 'svc-sign-in', 'popup,width=480,height=680')
  if (!popup) {
    location.assign(url)
    return
  }
  // A page of another origin could send this one elsewhere.
  if (new URL(url).origin !== location.origin) popup.opener = null
  const onFocus = () => {
    void check().then((isGoingOn) => {
      if (isGoingOn) removeEventListener('focus', onFocus)
    })
  }
  addEventListener('focus', onFocus)
}

function signInUrl(address: string): string | null {
  // `URL.parse` is newer than some browsers that run the rest.
  if (!URL.canParse(address, document.baseURI)) return null
  const url = new URL(address, document.baseURI)
  return url.protocol === 'https:' || url.origin === location.origin ? url.href : null
}
