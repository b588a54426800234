import type { CatalogueEntry } from './catalogue-entry.ts'

export const GARDEN: readonly CatalogueEntry[] = [
  {
    sku: 'GAR-701',
    name: 'Copper Watering Can',
    category: 'garden',
    description: 'Long-spouted can of 1.5 litres that gets better looking with the years.',
    tags: 'plants water houseplants gift',
    priceCents: 6900,
    stock: 7,
  },
  {
    sku: 'GAR-702',
    name: 'Ash Hand Trowel',
    category: 'garden',
    description: 'Forged trowel with an ash handle and depth marks for bulbs.',
    tags: 'spade shovel digging planting',
    priceCents: 2150,
    stock: 24,
  },
  {
    sku: 'GAR-703',
    name: 'Wildflower Seed Mix',
    category: 'garden',
    description: 'Twenty native meadow flowers for five square metres, loved by bees.',
    tags: 'seeds plants bee flowers',
    priceCents: 690,
    stock: 80,
  },
  {
    sku: 'GAR-704',
    name: 'Cedar Bird House',
    category: 'garden',
    description: 'Nest box of untreated cedar for tits and sparrows, easy to open and clean.',
    tags: 'birds nesting wildlife gift',
    priceCents: 3200,
    stock: 10,
  },
  {
    sku: 'GAR-705',
    name: 'Herb Planter Trio',
    category: 'garden',
    description: 'Three terracotta pots on an oak tray for basil, thyme and mint.',
    tags: 'pot plants kitchen balcony',
    priceCents: 4400,
    stock: 11,
  },
]
