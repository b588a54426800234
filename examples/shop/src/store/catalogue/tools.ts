import type { CatalogueEntry } from './catalogue-entry.ts'

export const TOOLS: readonly CatalogueEntry[] = [
  {
    sku: 'TOL-601',
    name: 'Alder Pocket Knife',
    category: 'tools',
    description: 'Folding knife with a carbon steel blade of 7 cm and an alder handle.',
    tags: 'knives blade whittling',
    priceCents: 4200,
    stock: 12,
  },
  {
    sku: 'TOL-602',
    name: 'Forester Hatchet',
    category: 'tools',
    description: 'Hand-forged hatchet of 600 g for kindling, with a leather sheath.',
    tags: 'axe wood chopping fire',
    priceCents: 7900,
    stock: 6,
  },
  {
    sku: 'TOL-603',
    name: 'Folding Saw',
    category: 'tools',
    description: 'Pruning and camp saw with a 20 cm blade that cuts on the pull.',
    tags: 'wood garden branches',
    priceCents: 3450,
    stock: 14,
  },
  {
    sku: 'TOL-604',
    name: 'Brass Compass',
    category: 'tools',
    description: 'Liquid-filled compass in a brass case with a sighting lid.',
    tags: 'navigation map hiking gift',
    priceCents: 3900,
    stock: 19,
  },
  {
    sku: 'TOL-605',
    name: 'Everyday Multi-Tool',
    category: 'tools',
    description: 'Pliers, blade, screwdrivers, scissors and bottle opener: 12 functions in 160 g.',
    tags: 'multitool pocket repair',
    priceCents: 5600,
    stock: 2,
  },
]
