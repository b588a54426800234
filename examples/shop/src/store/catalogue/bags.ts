import type { CatalogueEntry } from './catalogue-entry.ts'

export const BAGS: readonly CatalogueEntry[] = [
  {
    sku: 'BAG-501',
    name: 'Cairn 32 Backpack',
    category: 'bags',
    description: 'Hiking backpack of 32 litres with a ventilated back and its own rain cover.',
    tags: 'rucksack pack day trekking',
    priceCents: 13900,
    stock: 8,
  },
  {
    sku: 'BAG-502',
    name: 'Harbour Roll-Top Bag',
    category: 'bags',
    description: 'Waterproof roll-top backpack of 22 litres for bike, boat and commute.',
    tags: 'rucksack cycling dry city',
    priceCents: 8900,
    stock: 13,
  },
  {
    sku: 'BAG-503',
    name: 'Canvas Tote',
    category: 'bags',
    description: 'Heavy organic canvas tote with an inner pocket and handles for the shoulder.',
    tags: 'shopping carrier cotton',
    priceCents: 2400,
    stock: 38,
  },
  {
    sku: 'BAG-504',
    name: 'Dry Sack Trio',
    category: 'bags',
    description: 'Three featherweight dry sacks of 3, 6 and 12 litres that keep clothes dry.',
    tags: 'waterproof packing storage boat',
    priceCents: 2750,
    stock: 21,
  },
  {
    sku: 'BAG-505',
    name: 'Weekender Duffel',
    category: 'bags',
    description: 'Waxed cotton duffel of 40 litres with leather handles, cabin-sized.',
    tags: 'travel luggage holdall',
    priceCents: 11500,
    stock: 5,
  },
]
