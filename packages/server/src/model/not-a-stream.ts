/** An answer under 200 without a single event, such as a page in HTML or a whole JSON document. */
export class NotAStream extends Error {
  constructor() {
    super('no event in the answer')
    this.name = 'NotAStream'
  }
}
