import { defineCapability } from '@svc/sdk'
import { z } from 'zod'
import type { Store } from '../store/open-store.ts'
import { findProduct } from '../store/products.ts'
import { presentProduct } from './present-product.ts'
import { ProductName } from './product-name.ts'
import type { ShopSite } from './shop-site.ts'
import { showProducts } from './show-in-chat.ts'

export function getProductCapability(store: Store, site: ShopSite) {
  return defineCapability({
    name: 'get-product',
    version: '1.0.0',
    effect: 'read',
    description:
      'Tell everything about one product: details, full description, price (how much it costs) and how many are left.',
    input: z.object({
      product: ProductName,
    }),
    handler({ product: wanted }) {
      const product = findProduct(store, wanted)
      const { stock, description } = product
      return { ...presentProduct(product), stock, description, svc: showProducts(site, [product]) }
    },
  })
}
