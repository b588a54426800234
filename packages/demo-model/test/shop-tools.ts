import type { Tool } from '@svc/demo-model'

const text = (description: string, rest: object = {}) => ({ type: 'string', description, ...rest })
const object = (properties: object, required: readonly string[] = []) => ({ type: 'object', properties, required })

/** The capabilities that a small shop would deploy. */
export const shopTools: Tool[] = [
  {
    name: 'search-products',
    description: 'Search the catalogue for products by words, category, price and stock.',
    inputSchema: object({
      query: text('Words to look for.'),
      category: { type: 'string', enum: ['camping', 'clothing', 'kitchen', 'lighting'] },
      maxPrice: { type: 'number', description: 'Highest price in euros.' },
      inStock: { type: 'boolean', description: 'Only products that are in stock.' },
    }),
  },
  {
    name: 'get-product',
    description: 'Everything about one product: its description, its price, how many are left.',
    inputSchema: object({ product: text('The product’s name or SKU, such as LGT-201.') }, ['product']),
  },
  { name: 'list-categories', description: 'List the categories of the shop.', inputSchema: object({}) },
  {
    name: 'shipping-quote',
    description: 'Quote what shipping to a country costs and how long delivery takes.',
    inputSchema: object(
      { country: text('Country to ship to.'), total: { type: 'number', description: 'Worth of the order in euros.' } },
      ['country'],
    ),
  },
  {
    name: 'store-info',
    description: 'Facts about the store: opening hours, address, contact, return policy, payment methods.',
    inputSchema: null,
  },
  { name: 'view-cart', description: 'Show what is in the customer’s cart and its total.', inputSchema: object({}) },
  {
    name: 'add-to-cart',
    description: 'Add a product to the customer’s cart.',
    inputSchema: object(
      { product: text('The product’s name or SKU.'), quantity: { type: 'integer', minimum: 1, maximum: 99 } },
      ['product'],
    ),
  },
  { name: 'place-order', description: 'Place the order: buy what is in the cart.', inputSchema: object({}) },
  { name: 'list-orders', description: 'List the customer’s past orders, newest first.', inputSchema: object({}) },
  {
    name: 'order-status',
    description: 'Tell where an order is and when it arrives.',
    inputSchema: object({ orderNumber: text('The order’s number, such as ORD-1001.') }, ['orderNumber']),
  },
]
