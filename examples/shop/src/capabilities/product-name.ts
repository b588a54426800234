import { z } from 'zod'

/** How a capability is told which product is meant. */
export const ProductName = z
  .string()
  .min(1)
  .max(200)
  .describe('Name of the product, such as “Trail Lantern”, or its SKU, such as LGT-201.')
