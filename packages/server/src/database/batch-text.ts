/** A batch of executions as the parameter of a query: the thread of SQLite writes it in a transaction of its own. */
export class BatchText {
  readonly text: string
  /** Called once it is this batch's turn. It is not sent where this throws. */
  readonly beforeSending: () => void

  constructor(text: string, beforeSending: () => void) {
    this.text = text
    this.beforeSending = beforeSending
  }
}
