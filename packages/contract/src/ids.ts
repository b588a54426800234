import * as z from 'zod'

/** A runtime’s id: `rt_` and 4 to 64 of `A-Za-z0-9_-`. Chosen by the owner or minted at registration. */
export const RuntimeId = z
  .string()
  .regex(/^rt_[A-Za-z0-9_-]{4,64}$/, 'must be “rt_” followed by 4 to 64 letters, digits, underscores or hyphens.')
  .meta({ description: 'Chosen by its owner, or minted at registration.', examples: ['rt_shoe-shop'] })

/** The prefixes of ids that the service mints; the rest is a sortable 128-bit value, newer sorts later. */
export const ID_PREFIXES = {
  owner: 'own_',
  credential: 'key_',
  project: 'proj_',
  deployment: 'dep_',
  execution: 'exec_',
  call: 'call_',
  checkout: 'chk_',
  approval: 'apr_',
  webhook: 'wh_',
  delivery: 'msg_',
  session: 'ses_',
  member: 'mem_',
  invitation: 'inv_',
} as const

export type IdKind = keyof typeof ID_PREFIXES

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** When the service minted an id, in milliseconds since the epoch; null for an id of another form. */
export function timeOfId(id: string): number | null {
  const [, digits] = /^[a-z]+_([0-7][0-9A-HJKMNP-TV-Z]{9})[0-9A-HJKMNP-TV-Z]{16}$/.exec(id) ?? []
  if (digits === undefined) return null
  return [...digits].reduce((time, digit) => time * 32 + CROCKFORD.indexOf(digit), 0)
}
