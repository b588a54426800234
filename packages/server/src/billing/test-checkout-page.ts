import { createHash } from 'node:crypto'
import { planOf } from './plans.ts'
import type { CheckoutStatus } from './rules.ts'
import type { TestCheckout } from './test-checkout.ts'

/** The test provider's page: no script, and nothing from other addresses. */
export function testCheckoutPage({ checkout, status, token }: TestCheckout): string {
  const { name, price } = planOf(checkout.tier)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Test checkout: ${escapeHtml(name)} plan</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<p class="label" role="note"><strong>Test checkout: no money moves.</strong> This service has no payment provider, so this page stands in for one.</p>
<h1>${TEXTS[status].heading}</h1>
<dl>
<div><dt>Plan</dt><dd>${escapeHtml(name)}</dd></div>
<div><dt>Price</dt><dd>${escapeHtml(priceOf(price))}</dd></div>
<div class="total"><dt>Charged now</dt><dd>nothing</dd></div>
</dl>
${status === 'pending' ? form(checkout, token) : outcome(checkout, status)}
</main>
</body>
</html>
`
}

/** Allows the page its own style, and its form to be sent here and redirected to the owner's two addresses. */
export function contentSecurityPolicy({ checkout }: TestCheckout): string {
  const targets = new Set([checkout.success_url, checkout.cancel_url].map(sourceOf))
  return [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    // Browsers check the target of a redirect after the form, too.
    `form-action 'self' ${[...targets].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}

const TEXTS: Readonly<Record<CheckoutStatus, { heading: string; text: string }>> = {
  pending: { heading: 'Confirm the upgrade', text: '' },
  paid: { heading: 'The upgrade is confirmed', text: 'There is nothing left to do here.' },
  ended: { heading: 'The upgrade is over', text: 'What this checkout was for has ended since.' },
  expired: {
    heading: 'This checkout is closed',
    text: 'It was cancelled, or replaced by a newer one, or its time has run out. Start another where you came from.',
  },
}

function form({ checkout_id, success_url }: TestCheckout['checkout'], token: string): string {
  // Relative: the service may be published under a path of its own.
  const action = encodeURIComponent(checkout_id)
  return `<form method="post" action="${action}/confirm">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<button class="confirm">Confirm test payment</button>
<button class="cancel" formaction="${action}/cancel">Cancel</button>
</form>
<p class="next">You go on to ${escapeHtml(new URL(success_url).host)}.</p>`
}

function outcome({ cancel_url, success_url }: TestCheckout['checkout'], status: CheckoutStatus): string {
  const address = status === 'expired' ? cancel_url : success_url
  return `<p>${TEXTS[status].text}</p>
<p><a href="${escapeHtml(address)}" rel="noreferrer">Back to ${escapeHtml(new URL(address).host)}</a></p>`
}

function priceOf({ amount, currency, interval }: ReturnType<typeof planOf>['price']): string {
  if (amount === null) return 'agreed upon in person'
  const money = new Intl.NumberFormat('en-US', { style: 'currency', currency }).format(amount / 100)
  return `${money} a ${interval}`
}

// A policy cannot name an IPv6 address: its scheme is the closest match.
function sourceOf(address: string): string {
  const { hostname, origin, protocol } = new URL(address)
  return hostname.startsWith('[') ? protocol : origin
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: light-dark(#f3f4f6, #111318); color: light-dark(#16181d, #eceef2); }
main { box-sizing: border-box; width: min(26rem, 100vw); padding: 2rem; background: light-dark(#fff, #1b1e25); border-radius: 1rem; box-shadow: 0 1px 2px #0002, 0 12px 32px #0001; }
h1 { margin: 1.5rem 0 1rem; font-size: 1.4rem; line-height: 1.2; }
.label { margin: 0; padding: .75rem 1rem; border-radius: .5rem; background: light-dark(#fff3d1, #3b2f0c); color: light-dark(#5b4300, #ffe39a); font-size: .9rem; }
dl { margin: 0 0 1.5rem; }
dl div { display: flex; justify-content: space-between; padding: .6rem 0; border-bottom: 1px solid light-dark(#e5e7eb, #2d313b); }
dd { margin: 0; font-variant-numeric: tabular-nums; }
.total { border: 0; font-weight: 600; }
button { width: 100%; padding: .75rem 1rem; margin: 0 0 .6rem; border-radius: .5rem; border: 1px solid transparent; font: inherit; font-weight: 600; cursor: pointer; }
.confirm { background: #2457d6; color: #fff; }
.cancel { background: transparent; color: inherit; border-color: light-dark(#9ca3af, #5b6270); }
button:hover { filter: brightness(1.1); }
button:focus-visible, a:focus-visible { outline: 3px solid #6b93ff; outline-offset: 2px; }
.next { margin: .4rem 0 0; font-size: .9rem; text-align: center; color: light-dark(#4b5563, #a9b0bd); overflow-wrap: anywhere; }
a { color: light-dark(#2457d6, #8fb0ff); }
`

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')
