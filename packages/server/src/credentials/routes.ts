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
import type { Deps } from '../deps.ts'
import { encodeCursor } from '../http/page.ts'
import { ListQuery, RuntimeParams } from '../http/params.ts'
import { ownerOf } from '../http/planes.ts'
import { typed } from '../http/typed.ts'
import { rotateSecret } from '../runtimes/signing-secret.ts'
import { createAccountKey, listOwnKeys, revokeAccountKey } from './account-keys.ts'
import { revealKey, revokeKey, rotateKey } from './runtime-keys.ts'

const KeyParams = z.object({ keyId: z.string().describe('The id of an account’s key, `key_…`.') })

const REVEAL_KEY = {
  summary: 'Reveal a key in full',
  tags: ['Keys'],
  operationId: 'revealKey',
  params: RuntimeParams,
  body: RevealKeyRequest,
  response: { 200: RevealedKey },
} as const

const ROTATE_KEY = {
  summary: 'Replace a key; the old one works on for a grace period',
  tags: ['Keys'],
  operationId: 'rotateKey',
  params: RuntimeParams,
  body: RotateKeyRequest,
  response: { 200: RotatedKey },
} as const

const REVOKE_KEY = {
  summary: 'End a key at once, without a replacement',
  tags: ['Keys'],
  operationId: 'revokeKey',
  params: RuntimeParams,
  body: RevokeKeyRequest,
  response: { 200: RevokedKey },
} as const

const ROTATE_SECRET = {
  summary: 'Replace the signing secret; the old one works on for a grace period',
  tags: ['Keys'],
  operationId: 'rotateSecret',
  params: RuntimeParams,
  body: RotateSecretRequest,
  response: { 200: RotatedSecret },
} as const

/** Owner plane: a runtime's two keys and its signing secret. POST throughout, so that no key stands in a history or a log. */
export function runtimeKeyRoutes(plane: FastifyInstance, deps: Deps): void {
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
export function accountKeyRoutes(plane: FastifyInstance, deps: Deps): void {
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
