import { z } from 'zod'
import type { PageStart } from '../store/page.ts'

const MAX_PAGE = 200
const DEFAULT_PAGE = 50

/** The fault of a cursor that is malformed, or comes from another listing. */
export const FOREIGN_CURSOR = 'is not a cursor of this listing: pass a nextCursor as it was returned.'

const CursorContent = z.tuple([z.int(), z.string().regex(/^[A-Za-z0-9_-]{1,128}$/)])

/** Query `limit`: 1 to 200, 50 where it is absent. */
export const PageLimit = z
  .string()
  .regex(/^\d{1,6}$/, 'must be a whole number.')
  .transform(Number)
  .refine((limit) => limit >= 1 && limit <= MAX_PAGE, `must be between 1 and ${MAX_PAGE}.`)
  .optional()
  .transform((limit) => limit ?? DEFAULT_PAGE)
  .meta({
    description: 'How many entries a page has at most.',
    type: 'integer',
    pattern: undefined,
    minimum: 1,
    maximum: MAX_PAGE,
    default: DEFAULT_PAGE,
  })

/** Query `cursor`: the `nextCursor` of an earlier page, decoded. */
export const PageCursor = z
  .string()
  .max(512)
  .transform((cursor, context): PageStart => {
    const { data } = CursorContent.safeParse(decode(cursor))
    if (data) return { at: data[0], id: data[1] }
    context.addIssue({ code: 'custom', message: FOREIGN_CURSOR })
    return z.NEVER
  })
  .optional()
  .transform((start) => start ?? null)
  .describe('The `nextCursor` of the page before. Leave it out for the first page.')

// Zod's precision of −1 accepts times without seconds, such as 12:00Z.
const IsoTime = z.union([
  z.iso.date(),
  z.iso.datetime({ offset: true }),
  z.iso.datetime({ offset: true, precision: -1 }),
])

/** Query `from` and `to`: an ISO 8601 date or date-time, or milliseconds since the epoch. Decoded to milliseconds. */
export const PageTime = z
  .string()
  .max(64)
  .refine(
    (text) => /^\d{1,15}$/.test(text) || IsoTime.safeParse(text).success,
    'must be an ISO 8601 date or date-time (2026-01-31 or 2026-01-31T12:00:00Z), or milliseconds since the epoch.',
  )
  .transform((text) => (/^\d+$/.test(text) ? Number(text) : Date.parse(text)))
  .optional()
  .describe(
    'An ISO 8601 date or date-time, or milliseconds since the epoch. The time starts with `from` and ends before `to`.',
  )

function decode(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    return null
  }
}
