/** The part of the server's log that the model side writes to. */
export interface ModelLogger {
  warn(fields: object, message: string): void
}
