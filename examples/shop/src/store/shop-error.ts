/** A refusal in a sentence that the customer may read, such as “There are only 3 of “Trail Lantern” left.” */
export class ShopError extends Error {
  override readonly name = 'ShopError'
}
