/** A batch of executions as the only parameter of a query. The writer thread of SQLite runs it in one transaction. */
export class BatchText {
  readonly text: string
  /** Called right before the batch is sent, which it is not where this throws. */
  readonly beforeSending: () => void

  constructor(text: string, beforeSending: () => void) {
    this.text = text
    this.beforeSending = beforeSending
  }
}
