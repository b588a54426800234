import { defineCapability } from '@svc/sdk'
import { z } from 'zod'
import { viewCart } from '../store/carts.ts'
import type { Store } from '../store/open-store.ts'
import { requireCustomer } from '../store/sessions.ts'
import { presentCart } from './present-cart.ts'
import { showCart } from './show-in-chat.ts'

export function viewCartCapability(store: Store) {
  return defineCapability({
    name: 'view-cart',
    version: '1.0.0',
    effect: 'read',
    description: 'Show what is in my shopping cart (basket) now, with shipping and the total to pay.',
    requiresEndUser: true,
    input: z.object({}),
    handler(_input, { endUserToken }) {
      const cart = viewCart(store, requireCustomer(store, endUserToken))
      return { ...presentCart(cart), svc: showCart(cart.lines.length === 0) }
    },
  })
}
