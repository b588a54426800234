import { type EndUsers, isJsonObject, type JsonObject } from '@svc/contract'
import { mcpAddress } from '@svc/contract/mcp-hosts'
import type { JWK } from 'jose'
import { z } from 'zod'

/** Where an MCP server says who signs its users in (RFC 9728). */
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource/v1/mcp'

/** An MCP server as a resource that tokens open. */
export interface Resource {
  baseUrl: string
  runtimeId: string
  endUsers: EndUsers
}

/** What `aud` may name. */
export function audiencesOf({ baseUrl, runtimeId, endUsers: { audience } }: Resource): string[] {
  return [mcpAddress(baseUrl, runtimeId), ...(audience === undefined ? [] : [audience])]
}

/** Why a request is not let in, by the words of RFC 6750. */
export interface TokenFault {
  error: 'invalid_token' | 'insufficient_scope'
  description: string
}

/** The value of `WWW-Authenticate`: where to find who signs users in, and what was wrong with the token, if there was one. */
export function challengeOf({ baseUrl, runtimeId, endUsers }: Resource, fault?: TokenFault): string {
  const { scopes = [] } = endUsers
  const parameters = {
    ...(fault && { error: fault.error, error_description: fault.description }),
    resource_metadata: `${baseUrl.replace(/\/+$/, '')}${RESOURCE_METADATA_PATH}/${runtimeId}`,
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
  }
  const written = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`)
  return `Bearer ${written.join(', ')}`
}

/** The scopes of a token: `scope` is a text with blanks, `scp` that or a list. */
export function scopesOf({ scope, scp }: JsonObject): string[] {
  const given = scope ?? scp
  if (typeof given === 'string') return given.split(' ').filter((name) => name !== '')
  return Array.isArray(given) ? given.filter((name) => typeof name === 'string') : []
}

/** Where the metadata of an issuer may be, in the order of trying: RFC 8414, then OpenID Connect. */
export function metadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const [oauth, openid] = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']
  return [`${origin}${oauth}${path}`, `${origin}${openid}${path}`, ...(path ? [`${origin}${path}${openid}`] : [])]
}

/** Where the keys are, by a metadata document; null where it is another issuer's, or none. */
export function keysUriIn(metadata: unknown, issuer: string): string | null {
  if (!isJsonObject(metadata) || metadata['issuer'] !== issuer) return null
  const { jwks_uri: uri } = metadata
  return typeof uri === 'string' ? uri : null
}

// 8,192 and 32 bits, in base64url: with larger numbers one signature takes a second to verify.
const Key = z.looseObject({ kty: z.string(), n: z.string().max(1366).optional(), e: z.string().max(6).optional() })
const KeySet = z.object({ keys: z.array(z.unknown()).max(100) })

/** The keys of a set (RFC 7517) that signatures can be verified with in a short time; null where it is no set. */
export function keysIn(document: unknown): JWK[] | null {
  const set = KeySet.safeParse(document)
  return set.success ? set.data.keys.filter((key): key is JWK => Key.safeParse(key).success) : null
}
