import { defineCapability } from '@svc/sdk'
import { z } from 'zod'
import type { Store } from '../store/open-store.ts'
import { listCategories } from '../store/products.ts'

export function listCategoriesCapability(store: Store) {
  return defineCapability({
    name: 'list-categories',
    version: '1.0.0',
    effect: 'read',
    description: 'List the categories (departments, kinds of goods) of the shop and how many products each one has.',
    input: z.object({}),
    handler() {
      return { categories: listCategories(store).map(({ category, products }) => ({ name: category, products })) }
    },
  })
}
