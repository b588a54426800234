import * as z from 'zod'

/** True for an empty or blank token, which is none: browsers and templates send '' for “nobody is signed in”. */
export function isBlankToken(token: string): boolean {
  return token.trim() === ''
}

/** The field `endUserToken` of a request. A blank one is none. */
export const EndUserToken = z
  .string()
  .optional()
  .transform((token) => (token === undefined || isBlankToken(token) ? undefined : token))
