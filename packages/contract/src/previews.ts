import * as z from 'zod'
import { canonicalDigest, isWellFormed } from './canonical-json.ts'

/** Limits of a preview: numbers of entries, characters of texts. */
export const PREVIEW_LIMITS = { titleCharacters: 200, lines: 20, lineCharacters: 500 } as const

// No PostgreSQL text holds NUL, and no hash is made of half a character.
const PreviewText = z
  .string()
  .refine((text) => !text.includes('\0') && isWellFormed(text), 'must be whole Unicode text without NUL.')

/**
 * What a call would do, as a person reads it before saying yes. `confirm: false` means that this input needs nobody’s
 * approval. Unknown fields are refused: the hash covers the whole preview, so that both sides must know all of it.
 */
export const Preview = z.strictObject({
  title: PreviewText.max(PREVIEW_LIMITS.titleCharacters).regex(/\S/, 'must not be blank.'),
  lines: z.array(PreviewText.max(PREVIEW_LIMITS.lineCharacters)).max(PREVIEW_LIMITS.lines).optional(),
  amount: z
    .strictObject({
      value: z.number().describe('In whole units of the currency, 12.5 for twelve and a half.'),
      currency: z.string().regex(/^[A-Z]{3}$/, 'must be a code of ISO 4217, such as “EUR”.'),
    })
    .optional(),
  confirm: z.boolean().optional().describe('False: this input needs no approval.'),
})
export type Preview = z.infer<typeof Preview>

/** SHA-256 of a preview in RFC 8785 form, as 64 lower-case hex digits: service and endpoint compare it. It must satisfy {@link Preview}. */
export function previewHash(preview: Preview): Promise<string> {
  return canonicalDigest(preview)
}
