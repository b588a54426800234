/**
 * Limits of the reserved key `svc` of an output, as chats show it: numbers of entries, characters of texts,
 * milliseconds. A chat shows the first entries of a list and cuts a text; it leaves out a reply or an address that is too long.
 */
export const RESERVED_OUTPUT_LIMITS = {
  actions: 5,
  cards: 6,
  cardActions: 2,
  labelCharacters: 80,
  replyCharacters: 1_000,
  titleCharacters: 120,
  priceCharacters: 40,
  descriptionCharacters: 300,
  altCharacters: 200,
  urlCharacters: 2_048,
  pendingInputCharacters: 65_536,
  intervalMs: { least: 1_000, most: 60_000, otherwise: 3_000 },
  timeoutMs: { least: 1_000, most: 900_000, otherwise: 300_000 },
} as const

/** An output’s reserved key `svc`: what a chat shows beside the answer. */
export interface ReservedOutput {
  /** True ends a wait. */
  readonly settled?: boolean
  readonly actions?: readonly ReservedAction[]
  readonly cards?: readonly ReservedCard[]
  /** The capability is asked with `input` until its output has `svc.settled: true`. */
  readonly pending?: {
    readonly capability: string
    /** The thing that the chat names while it waits, such as “payment”: the capability’s name by default. */
    readonly label?: string
    readonly input?: object
    readonly intervalMs?: number
    readonly timeoutMs?: number
  }
}

/** A button. A reply says `value`, or else its label, in the end user’s name. */
export type ReservedAction =
  | {
      readonly type: 'link'
      readonly label: string
      readonly url: string
      readonly description?: string
      readonly style?: string
    }
  | { readonly type: 'reply'; readonly label: string; readonly value?: string; readonly description?: string }

export interface ReservedCard {
  readonly type: 'product'
  readonly title: string
  readonly price?: string
  readonly description?: string
  readonly image?: { readonly url: string; readonly alt?: string }
  readonly url?: string
  readonly actions?: readonly ReservedAction[]
}

/** Whether a chat links to an address: absolute, `https:`, without a user name, of at most 2,048 characters. */
export function isSafeUrl(text: string): boolean {
  if (text.length > RESERVED_OUTPUT_LIMITS.urlCharacters || !/^https:\/\/[^\s\\]+$/i.test(text)) return false
  try {
    const { username, password } = new URL(text)
    return username === '' && password === ''
  } catch {
    return false
  }
}
