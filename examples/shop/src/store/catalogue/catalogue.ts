import { BAGS } from './bags.ts'
import { CAMPING } from './camping.ts'
import type { CatalogueEntry } from './catalogue-entry.ts'
import { CLOTHING } from './clothing.ts'
import { COOKING } from './cooking.ts'
import { GARDEN } from './garden.ts'
import { HOME } from './home.ts'
import { LIGHTING } from './lighting.ts'
import { TOOLS } from './tools.ts'

/** What the shop sells on the day it opens. Prices and stock live in the database from then on. */
export const CATALOGUE: readonly CatalogueEntry[] = [
  ...CAMPING,
  ...LIGHTING,
  ...COOKING,
  ...CLOTHING,
  ...BAGS,
  ...TOOLS,
  ...GARDEN,
  ...HOME,
]
