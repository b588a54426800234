/** A refusal in a sentence that the guest may read, such as “The Loft is taken then.” */
export class DeskError extends Error {
  override readonly name = 'DeskError'
}
