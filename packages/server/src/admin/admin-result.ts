/** What a command came to: a line of JSON, or what is wrong. */
export interface AdminResult {
  ok: boolean
  text: string
}
