import { defineCapability } from '@svc/sdk'
import { z } from 'zod'
import { formatPrice } from '../money.ts'
import { quoteShipping } from '../store/shipping.ts'

export const shippingQuoteCapability = defineCapability({
  name: 'shipping-quote',
  version: '1.0.0',
  effect: 'read',
  description:
    'Quote the shipping: what delivery (postage) to a country costs, how long it takes, and from which total it is free.',
  input: z.object({
    country: z
      .string()
      .min(2)
      .max(100)
      .describe('Country to ship to, by English name or two-letter code: “Germany”, “FR”.'),
    total: z.number().nonnegative().max(1_000_000).default(0).describe('Worth of the goods in euros, if it is known.'),
  }),
  handler({ country, total }) {
    const quote = quoteShipping({ country, itemsCents: Math.round(total * 100) })
    return {
      country: quote.country,
      price: quote.priceCents === 0 ? 'free' : formatPrice(quote.priceCents),
      priceCents: quote.priceCents,
      deliveryTime: quote.deliveryTime,
      freeFrom: quote.freeFromCents === null ? null : formatPrice(quote.freeFromCents),
    }
  },
})
