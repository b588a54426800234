import { createHash } from 'node:crypto'

/** SHA-256 in lower-case hex, of text as UTF-8. */
export function digest(contents: string | Uint8Array): string {
  return createHash('sha256').update(contents).digest('hex')
}
