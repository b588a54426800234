const EUROS = new Intl.NumberFormat('en-IE', { style: 'currency', currency: 'EUR' })

/** A price in cents as people read it: `2490` → `€24.90`. */
export function formatPrice(cents: number): string {
  return EUROS.format(cents / 100)
}
