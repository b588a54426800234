import type { EndUser } from '@svc/contract'
import {
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose'
import { AppError } from '../errors.ts'
import type { Clock } from '../lib/clock.ts'
import type { Limits } from '../limits.ts'
import type { ServingRuntime } from '../runtimes/serving-runtime.ts'
import { Secret } from '../secrets/secret.ts'
import { type IssuerKeys, KeysUnreadableError, type TokenKeys } from './issuer-keys.ts'
import { audiencesOf, challengeOf, type Resource, scopesOf, type TokenFault } from './rules.ts'
import type { SignedInUser } from './signed-in-user.ts'

export interface SignInDeps {
  clock: Clock
  baseUrl: () => string
  issuerKeys: IssuerKeys
  limits: Pick<Limits, 'endUserTokenBytes'>
}

const ALGORITHMS = ['RS256', 'ES256', 'EdDSA']
const CLOCK_TOLERANCE_S = 30
const MAX_KEYS_TRIED = 4
const BEARER = /^bearer +([\w.~+/-]+=*) *$/i

/** The resource that a runtime's MCP server is; null where its deployment names nobody who signs users in. */
export function resourceOf(
  deps: Pick<SignInDeps, 'baseUrl'>,
  { runtimeId, deployment }: ServingRuntime,
): Resource | null {
  return deployment?.endUsers ? { baseUrl: deps.baseUrl(), runtimeId, endUsers: deployment.endUsers } : null
}

/** The user of an `Authorization` header; undefined where the runtime signs nobody in. Throws 401, or 403 for a lacking scope. */
export async function verifyAuthorization(
  deps: SignInDeps,
  runtime: ServingRuntime,
  authorization: string,
): Promise<SignedInUser | undefined> {
  const resource = resourceOf(deps, runtime)
  if (!resource) return undefined
  const [, token = ''] = BEARER.exec(authorization) ?? []
  const claims = await verify(deps, { runtime, resource }, token)
  const { sub: subject } = claims
  if (typeof subject !== 'string' || subject === '') throw refusal(resource, 'its sub claim is not a text.')
  const { endUsers } = resource
  const scopes = scopesOf(claims)
  if (!(endUsers.scopes ?? []).every((scope) => scopes.includes(scope))) {
    const description = 'The access token lacks a scope that this server asks for.'
    throw refused('forbidden', resource, { error: 'insufficient_scope', description })
  }
  const user: EndUser = { issuer: endUsers.issuer, subject, scopes, claims }
  return {
    told: new Secret(JSON.stringify(user)),
    principal: new Secret(JSON.stringify([user.issuer, subject])),
    acceptedBy: JSON.stringify(endUsers),
  }
}

async function verify(
  { clock, issuerKeys, limits }: SignInDeps,
  { runtime: { ownerId, runtimeId }, resource }: { runtime: ServingRuntime; resource: Resource },
  token: string,
): Promise<JWTPayload> {
  const { endUsers } = resource
  if (token.length > limits.endUserTokenBytes) throw refusal(resource, 'it is too large.')
  try {
    return await verifyWithNewest(token, issuerKeys.keysFor({ ownerId, runtimeId, endUsers }), {
      algorithms: ALGORITHMS,
      issuer: endUsers.issuer,
      audience: audiencesOf(resource),
      requiredClaims: ['exp', 'sub'],
      clockTolerance: CLOCK_TOLERANCE_S,
      currentDate: new Date(clock.now()),
    })
  } catch (error) {
    throw refusal(resource, reasonOf(error))
  }
}

/** A new key has no name either where its issuer names none: it is found by the signature alone. */
async function verifyWithNewest(token: string, keys: TokenKeys, options: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return await verifyWithAny(token, keys.keyOf, options)
  } catch (error) {
    const isOfOtherKey = error instanceof errors.JWSSignatureVerificationFailed
    if (!isOfOtherKey || decodeProtectedHeader(token).kid !== undefined || !(await keys.readAgain())) throw error
    return await verifyWithAny(token, keys.keyOf, options)
  }
}

/** A token that does not name its key is verified with each that may have signed it. */
async function verifyWithAny(token: string, keyOf: JWTVerifyGetKey, options: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, keyOf, options)).payload
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    let keysLeft = MAX_KEYS_TRIED
    for await (const key of error) {
      const verified = await jwtVerify(token, key, options).catch((fault: unknown) => {
        if (!(fault instanceof errors.JWSSignatureVerificationFailed)) throw fault
      })
      if (verified) return verified.payload
      keysLeft -= 1
      if (keysLeft === 0) break
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}

/** In words of ours: those of the library may quote the token. */
function reasonOf(error: unknown): string {
  if (error instanceof KeysUnreadableError) return 'the keys of its issuer cannot be read at the moment.'
  if (error instanceof errors.JWTExpired) return 'it has expired.'
  if (error instanceof errors.JWTClaimValidationFailed)
    return `its ${error.claim} claim is not one that is accepted here.`
  if (error instanceof errors.JOSEAlgNotAllowed) return `it is not signed with ${ALGORITHMS.join(', ')}.`
  if (error instanceof errors.JWKSNoMatchingKey) return 'its issuer has no such key.'
  return 'its form or its signature is not valid.'
}

function refusal(resource: Resource, why: string): AppError {
  const description = `The access token is refused: ${why}`
  return refused('unauthorized', resource, { error: 'invalid_token', description })
}

function refused(code: 'unauthorized' | 'forbidden', resource: Resource, fault: TokenFault): AppError {
  return new AppError(code, fault.description, { headers: { 'www-authenticate': challengeOf(resource, fault) } })
}

/** Throws 401 for a token that the deployment of a moment ago accepted, and the one that serves now may not. */
export function requireSameSignIn(
  deps: Pick<SignInDeps, 'baseUrl'>,
  runtime: ServingRuntime,
  user: SignedInUser | undefined,
): void {
  if (!user || user.acceptedBy === JSON.stringify(runtime.deployment?.endUsers)) return
  const resource = resourceOf(deps, runtime)
  const why = 'the runtime has been deployed with another sign-in meanwhile.'
  throw resource ? refusal(resource, why) : new AppError('unauthorized', `The access token is refused: ${why}`)
}

/** 401 of a call without a token, which its client may repeat with one. */
export function signInNeeded(resource: Resource, message: string): AppError {
  return new AppError('unauthorized', message, { headers: { 'www-authenticate': challengeOf(resource) } })
}
