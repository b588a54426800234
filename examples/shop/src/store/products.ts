import { CATEGORIES, type Category } from './catalogue/catalogue-entry.ts'
import type { Store } from './open-store.ts'
import { searchExpressions, searchWords } from './search-words.ts'
import { ShopError } from './shop-error.ts'

export interface Product {
  id: number
  sku: string
  name: string
  category: Category
  description: string
  priceCents: number
  stock: number
}

export interface ProductSearch {
  query: string
  category?: Category | undefined
  maxPriceCents?: number | undefined
  /** True leaves out what is sold out. */
  inStock?: boolean | undefined
}

/**
 * Products that fit, best first; all that pass the filters, by name, when the query names nothing. Loose matches
 * count only where the whole catalogue has no closer one, so a price limit never swaps a lantern for a spoon.
 */
export function searchProducts(store: Store, { query, category, maxPriceCents, inStock }: ProductSearch): Product[] {
  const filter = { category: category ?? null, maxPriceCents: maxPriceCents ?? null, inStock: inStock ? 1 : 0 }
  const expressions = searchExpressions(query)
  if (expressions.length === 0) {
    return store.database.prepare<[Filter], Product>(`${SELECT} WHERE ${FILTERS} ORDER BY name`).all(filter)
  }
  const expression = expressions.find((candidate) => matching(store, candidate).length > 0)
  return expression === undefined ? [] : matching(store, expression, filter)
}

/** The one product that a customer means by a name, a part of it, or an article number. Throws a {@link ShopError}. */
export function findProduct(store: Store, wanted: string): Product {
  const exact = store.database
    .prepare<[string, string], Product>(`${SELECT} WHERE sku = ? OR name = ?`)
    .get(wanted.trim().toUpperCase(), wanted.trim())
  if (exact) return exact
  const [allWords] = searchExpressions(wanted)
  const inName = allWords === undefined ? [] : matching(store, `name : (${allWords})`)
  const anywhere = allWords === undefined || inName.length > 0 ? inName : matching(store, allWords)
  const [first, second] = anywhere
  if (!first) throw new ShopError(`We have no product called “${shortened(wanted)}”.${suggestions(store, wanted)}`)
  if (second) throw new ShopError(`“${shortened(wanted)}” could be ${names(anywhere)}. Which one?`)
  return first
}

/** Every department with the number of products in it. */
export function listCategories(store: Store): { category: Category; products: number }[] {
  const counts = store.database
    .prepare<[], { category: Category; products: number }>(
      'SELECT category, count(*) AS products FROM products GROUP BY category',
    )
    .all()
  return CATEGORIES.flatMap((category) => counts.filter((count) => count.category === category))
}

interface Filter {
  category: string | null
  maxPriceCents: number | null
  inStock: number
}

const SELECT = `SELECT products.id, products.sku, products.name, products.category, products.description,
  products.price_cents AS priceCents, products.stock FROM products`

const FILTERS = `(@category IS NULL OR products.category = @category)
  AND (@maxPriceCents IS NULL OR products.price_cents <= @maxPriceCents) AND (@inStock = 0 OR products.stock > 0)`

const NO_FILTER: Filter = { category: null, maxPriceCents: null, inStock: 0 }

// A word in the name weighs most, then in the tags, then in the department, then in the description.
function matching(store: Store, expression: string, filter = NO_FILTER): Product[] {
  return store.database
    .prepare<[Filter & { expression: string }], Product>(
      `${SELECT} JOIN product_words ON product_words.rowid = products.id
       WHERE product_words MATCH @expression AND ${FILTERS}
       ORDER BY bm25(product_words, 10, 3, 5, 1), products.name`,
    )
    .all({ ...filter, expression })
}

function suggestions(store: Store, wanted: string): string {
  if (searchWords(wanted).length === 0) return ''
  const near = searchProducts(store, { query: wanted }).slice(0, 3)
  return near.length === 0 ? '' : ` Did you mean ${names(near)}?`
}

const CHOICES = new Intl.ListFormat('en', { type: 'disjunction' })

function names(products: readonly Product[]): string {
  return CHOICES.format(products.slice(0, 5).map((product) => `“${product.name}”`))
}

function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
