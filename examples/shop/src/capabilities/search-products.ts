import { defineCapability } from '@svc/sdk'
import { z } from 'zod'
import { CATEGORIES } from '../store/catalogue/catalogue-entry.ts'
import type { Store } from '../store/open-store.ts'
import { searchProducts } from '../store/products.ts'
import { presentProduct } from './present-product.ts'
import type { ShopSite } from './shop-site.ts'
import { showProducts } from './show-in-chat.ts'

const MOST_SHOWN = 8

export function searchProductsCapability(store: Store, site: ShopSite) {
  return defineCapability({
    name: 'search-products',
    version: '1.0.0',
    effect: 'read',
    description:
      'Search the shop for products to buy: find, browse, show, recommend or compare what we sell, by words, category, ' +
      'price or stock. Answers with names, prices and availability, best match first.',
    input: z.object({
      query: z
        .string()
        .max(200)
        .default('')
        .describe('What to look for in a few words, such as “warm socks” or “camping lantern”. Leave out to list all.'),
      category: z.enum(CATEGORIES).optional().describe('Only products of this category.'),
      maxPrice: z.number().positive().max(100_000).optional().describe('Highest price in euros, such as 50.'),
      inStock: z.boolean().optional().describe('True to leave out products that are sold out.'),
    }),
    handler({ query, category, maxPrice, inStock }) {
      const maxPriceCents = maxPrice === undefined ? undefined : Math.round(maxPrice * 100)
      const found = searchProducts(store, { query, category, maxPriceCents, inStock })
      const products = found.slice(0, MOST_SHOWN).map(presentProduct)
      return { found: found.length, products, svc: showProducts(site, found) }
    },
  })
}
