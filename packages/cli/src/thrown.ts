/** The code of an error of Node’s, such as `ENOENT`; null where it has none. */
export function errorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}

/** As little as tells one fault of the system from another: its code, else its message. */
export function reasonOf(error: unknown): string {
  return errorCode(error) ?? messageOf(error)
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The message, and where it was thrown. */
export function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
