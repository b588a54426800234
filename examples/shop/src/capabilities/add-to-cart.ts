import { defineCapability } from '@svc/sdk'
import { z } from 'zod'
import { addToCart } from '../store/carts.ts'
import type { Store } from '../store/open-store.ts'
import { findProduct } from '../store/products.ts'
import { requireCustomer } from '../store/sessions.ts'
import { presentCart } from './present-cart.ts'
import { ProductName } from './product-name.ts'
import { showCart } from './show-in-chat.ts'

export function addToCartCapability(store: Store) {
  return defineCapability({
    name: 'add-to-cart',
    version: '1.0.0',
    description: 'Add (put) a product into my shopping cart or basket, one or several pieces. Nothing is ordered yet.',
    requiresEndUser: true,
    input: z.object({
      product: ProductName,
      quantity: z.int().min(1).max(99).default(1).describe('How many pieces to add.'),
    }),
    handler({ product: wanted, quantity }, { endUserToken }) {
      const customer = requireCustomer(store, endUserToken)
      const product = findProduct(store, wanted)
      const cart = addToCart(store, customer, { product, quantity })
      return { added: `${quantity} × ${product.name}`, cart: presentCart(cart), svc: showCart(false) }
    },
  })
}
