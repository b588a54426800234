import type { CatalogueEntry } from './catalogue-entry.ts'

export const HOME: readonly CatalogueEntry[] = [
  {
    sku: 'HOM-801',
    name: 'Highland Wool Blanket',
    category: 'home',
    description: 'Woven lambswool blanket of 140 by 200 cm with a fringe, for sofa and picnic.',
    tags: 'throw plaid warm cosy gift',
    priceCents: 8900,
    stock: 9,
  },
  {
    sku: 'HOM-802',
    name: 'Linen Tea Towels',
    category: 'home',
    description: 'Pair of stonewashed linen towels that dry glasses without lint.',
    tags: 'kitchen cloth dish',
    priceCents: 1950,
    stock: 33,
  },
  {
    sku: 'HOM-803',
    name: 'Oak Serving Board',
    category: 'home',
    description: 'Board of a single piece of oak, oiled, 45 cm, for bread and cheese.',
    tags: 'cutting chopping kitchen gift',
    priceCents: 4900,
    stock: 12,
  },
  {
    sku: 'HOM-804',
    name: 'Pine Forest Soap',
    category: 'home',
    description: 'Cold-pressed soap with pine needle oil, free of palm oil and of plastic.',
    tags: 'bath hands wash gift natural',
    priceCents: 750,
    stock: 70,
  },
  {
    sku: 'HOM-805',
    name: 'Stoneware Bowl Set',
    category: 'home',
    description: 'Four hand-thrown bowls in river-stone glaze, safe in oven and dishwasher.',
    tags: 'dishes tableware kitchen',
    priceCents: 5200,
    stock: 0,
  },
]
