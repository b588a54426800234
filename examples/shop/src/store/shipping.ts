import { ShopError } from './shop-error.ts'

export interface ShippingQuote {
  country: string
  priceCents: number
  /** Goods worth this much ship for nothing; null where they never do. */
  freeFromCents: number | null
  deliveryTime: string
}

/** What it costs to send goods of a worth to a country, given by English name or ISO code. Throws a {@link ShopError}. */
export function quoteShipping({ country, itemsCents }: { country: string; itemsCents: number }): ShippingQuote {
  const code = countryCode(country)
  const zone = ZONES.find(({ countries }) => countries.includes(code))
  if (!zone) {
    throw new ShopError(`We do not ship to “${country.slice(0, 80)}”. We ship to ${SERVED}.`)
  }
  const isFree = zone.freeFromCents !== null && itemsCents >= zone.freeFromCents
  return {
    country: COUNTRY_NAMES.of(code) ?? code,
    priceCents: isFree ? 0 : zone.priceCents,
    freeFromCents: zone.freeFromCents,
    deliveryTime: zone.deliveryTime,
  }
}

const SERVED = 'Germany, the rest of Europe, the USA, Canada, Australia, New Zealand and Japan'

const ZONES = [
  { countries: ['DE'], priceCents: 490, freeFromCents: 6000, deliveryTime: '1 to 3 working days' },
  {
    countries: 'AT BE BG CY CZ DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '),
    priceCents: 990,
    freeFromCents: 12_000,
    deliveryTime: '3 to 6 working days',
  },
  {
    countries: ['CH', 'GB', 'IS', 'LI', 'NO'],
    priceCents: 1490,
    freeFromCents: null,
    deliveryTime: '4 to 8 working days',
  },
  {
    countries: ['US', 'CA', 'AU', 'NZ', 'JP'],
    priceCents: 2490,
    freeFromCents: null,
    deliveryTime: '7 to 14 working days',
  },
]

const COUNTRY_NAMES = new Intl.DisplayNames(['en'], { type: 'region' })

const OTHER_NAMES = new Map([
  ['uk', 'GB'],
  ['great britain', 'GB'],
  ['england', 'GB'],
  ['scotland', 'GB'],
  ['wales', 'GB'],
  ['usa', 'US'],
  ['u.s.', 'US'],
  ['america', 'US'],
  ['united states of america', 'US'],
  ['holland', 'NL'],
  ['czech republic', 'CZ'],
  ['deutschland', 'DE'],
  ['österreich', 'AT'],
  ['schweiz', 'CH'],
])

const CODES = new Map(
  ZONES.flatMap(({ countries }) => countries).flatMap((code) => [
    [code.toLowerCase(), code],
    [(COUNTRY_NAMES.of(code) ?? code).toLowerCase(), code],
  ]),
)

function countryCode(country: string): string {
  const name = country
    .trim()
    .toLowerCase()
    .replace(/^the\s+/, '')
  return CODES.get(name) ?? OTHER_NAMES.get(name) ?? name
}
