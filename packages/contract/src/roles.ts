import * as z from 'zod'

/**
 * What a member, or an API key, may do in the account. `viewer` reads and sees no secret; `developer` may change everything
 * but members, keys of the account, plan and account; `owner` may do everything.
 */
export const Role = z.enum(['owner', 'developer', 'viewer']).meta({
  description:
    '`viewer` reads and sees no secret. `developer` may change everything but members, keys of the account, plan and account. `owner` may do everything.',
})
export type Role = z.infer<typeof Role>
