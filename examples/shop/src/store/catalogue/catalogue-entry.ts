/** The departments of the shop, in the order they are shown. */
export const CATEGORIES = ['camping', 'lighting', 'cooking', 'clothing', 'bags', 'tools', 'garden', 'home'] as const
export type Category = (typeof CATEGORIES)[number]

/** A product on the day the shop opens. */
export interface CatalogueEntry {
  sku: string
  name: string
  category: Category
  description: string
  /** Words that customers use and the description does not. */
  tags: string
  priceCents: number
  stock: number
}
