import {
  AccountKey,
  AccountKeyList,
  CreateAccountKeyRequest,
  CreatedAccountKey,
  RevealedKey,
  RevealKeyRequest,
  RevokedKey,
  RevokeKeyRequest,
  RotatedKey,
  RotatedSecret,
  RotateKeyRequest,
  RotateSecretRequest,
} from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { encodeCursor } from '../http/page.ts'
import { ListQuery, RuntimeParams } from '../http/params.ts'
import { ownerOf } from '../http/planes.ts'
import { typed } from '../http/typed.ts'
import { rotateSecret } from '../runtimes/signing-secret.ts'
import { createAccountKey, listOwnKeys, revokeAccountKey } from './account-keys.ts'
import type { CredentialDeps } from './deps.ts'
import { revealKey, revokeKey, rotateKey } from './runtime-keys.ts'

const KeyParams = z.object({ keyId: z.string().describe('The id of an account’s key, `key_…`.') })

/** The schema of a route that acts on a key or the secret of one runtime. */
function keyRoute<Body extends z.ZodType, Answer extends z.ZodType>(
  route: { operationId: string; summary: string },
  body: Body,
  answer: Answer,
) {
  return { ...route, tags: ['Keys'], params: RuntimeParams, body, response: { 200: answer } } as const
}

const REVEAL_KEY = keyRoute(
  { operationId: 'revealKey', summary: 'Reveal a key in full' },
  RevealKeyRequest,
  RevealedKey,
)

const ROTATE_KEY = keyRoute(
  { operationId: 'rotateKey', summary: 'Replace a key; the old one works on for a grace period' },
  RotateKeyRequest,
  RotatedKey,
)

const REVOKE_KEY = keyRoute(
  { operationId: 'revokeKey', summary: 'End a key at once, without a replacement' },
  RevokeKeyRequest,
  RevokedKey,
)

const ROTATE_SECRET = keyRoute(
  { operationId: 'rotateSecret', summary: 'Replace the signing secret; the old one works on for a grace period' },
  RotateSecretRequest,
  RotatedSecret,
)

/** Owner plane: a runtime's two keys and its signing secret. All are POST, so that no log or history holds a key. */
export function runtimeKeyRoutes(plane: FastifyInstance, deps: CredentialDeps): void {
  const routes = typed(plane)

  routes.post('/v1/runtimes/:runtimeId/reveal-key', { schema: REVEAL_KEY }, (request) =>
    revealKey(deps, ownerOf(request), { ...request.params, ...request.body }),
  )

  routes.post('/v1/runtimes/:runtimeId/rotate-key', { schema: ROTATE_KEY }, (request) =>
    rotateKey(deps, ownerOf(request), { ...request.params, ...request.body }),
  )

  routes.post('/v1/runtimes/:runtimeId/revoke-key', { schema: REVOKE_KEY }, (request) =>
    revokeKey(deps, ownerOf(request), { ...request.params, ...request.body }),
  )

  routes.post('/v1/runtimes/:runtimeId/rotate-secret', { schema: ROTATE_SECRET }, (request) =>
    rotateSecret(deps, ownerOf(request), { ...request.params, ...request.body }),
  )
}

const LIST_ACCOUNT_KEYS = {
  summary: 'List the account’s API keys, newest first',
  tags: ['Account'],
  operationId: 'listAccountKeys',
  querystring: ListQuery,
  response: { 200: AccountKeyList },
} as const

const CREATE_ACCOUNT_KEY = {
  summary: 'Create an API key of the account',
  tags: ['Account'],
  operationId: 'createAccountKey',
  body: CreateAccountKeyRequest,
  response: { 201: CreatedAccountKey },
} as const

const REVOKE_ACCOUNT_KEY = {
  summary: 'End an API key of the account at once',
  tags: ['Account'],
  operationId: 'revokeAccountKey',
  params: KeyParams,
  response: { 200: AccountKey },
} as const

/** Owner plane: the API keys of the account itself. */
export function accountKeyRoutes(plane: FastifyInstance, deps: CredentialDeps): void {
  const routes = typed(plane)

  routes.get('/v1/account/keys', { schema: LIST_ACCOUNT_KEYS }, async (request) => {
    const { limit, cursor } = request.query
    const page = await listOwnKeys(deps, ownerOf(request), { limit, after: cursor })
    return { keys: page.keys, nextCursor: encodeCursor(page.next) }
  })

  routes.post('/v1/account/keys', { schema: CREATE_ACCOUNT_KEY }, async (request, reply) => {
    const key = await createAccountKey(deps, ownerOf(request), request.body)
    reply.code(201)
    return key
  })

  routes.post('/v1/account/keys/:keyId/revoke', { schema: REVOKE_ACCOUNT_KEY }, (request) =>
    revokeAccountKey(deps, ownerOf(request), request.params.keyId),
  )
}
