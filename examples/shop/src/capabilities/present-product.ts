import { formatPrice } from '../money.ts'
import type { Product } from '../store/products.ts'

/** A product in one line of a list: what a reader needs, and the exact numbers beside it. */
export function presentProduct(product: Product) {
  return {
    name: product.name,
    sku: product.sku,
    category: product.category,
    price: formatPrice(product.priceCents),
    priceCents: product.priceCents,
    availability: availabilityOf(product),
    inStock: product.stock > 0,
  }
}

const FEW = 5

function availabilityOf({ stock }: Product): string {
  if (stock === 0) return 'sold out'
  return stock <= FEW ? `only ${stock} left` : 'in stock'
}
