import * as z from 'zod'
import { JsonObject } from './json.ts'
import { Endpoint } from './web-addresses.ts'

/** A scope of OAuth 2.0: printable ASCII without a blank, `"` and `\\`. */
const Scope = z
  .string()
  .max(128)
  .regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be one scope: printable ASCII, without blanks, quotes and backslashes.')

/**
 * Who signs an owner's end users in. Tokens of this issuer are accepted by the runtime's MCP server. `audience`: what `aud` may
 * name beside the address of that server. `jwksUri`: where the keys are; else the issuer's metadata says so.
 */
export const EndUsers = z.strictObject({
  issuer: Endpoint.refine(
    (issuer) => !issuer.includes('?'),
    'must not carry a query: it is compared with `iss`.',
  ).describe('What `iss` says in its tokens, to the letter.'),
  audience: z.string().min(1).max(2048).optional().describe('Accepted in `aud` beside the address of the MCP server.'),
  jwksUri: Endpoint.optional().describe('Where its keys are. Default: what its metadata says.'),
  scopes: z.array(Scope).max(50).optional().describe('Each token must hold all of them.'),
})
export type EndUsers = z.infer<typeof EndUsers>

/** The end user of a call, as the token said that the service has verified. The token itself is not passed on. */
export const EndUser = z.object({
  issuer: z.string(),
  subject: z.string().describe('Unique within the issuer.'),
  scopes: z.array(z.string()),
  claims: JsonObject.describe('All claims of the token.'),
})
export type EndUser = z.infer<typeof EndUser>
