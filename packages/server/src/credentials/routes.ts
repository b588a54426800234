import * as contract from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { describeRoutes } from '../http/describe-routes.ts'
import { ListQuery, RuntimeParams as params } from '../http/params.ts'
import { callerOf, ownerOf } from '../http/planes.ts'
import { typed } from '../http/typed.ts'
import type { CoreDeps } from '../lib/core-deps.ts'
import { createAccountKey, keysFor, listOwnKeys, revokeOwnKey } from './account-keys.ts'
import { revealKey, revokeKey, rotateKey, rotateSecret } from './runtime-keys.ts'

const describeKeyRoute = describeRoutes('Keys')
const REVEAL_KEY = describeKeyRoute('revealKey', 'Reveal a key in full', {
  params,
  body: contract.RevealKeyRequest,
  response: { 200: contract.RevealedKey },
})
const ROTATE_KEY = describeKeyRoute('rotateKey', 'Replace a key; the old one works on for a grace period', {
  params,
  body: contract.RotateKeyRequest,
  response: { 200: contract.RotatedKey },
})
const REVOKE_KEY = describeKeyRoute('revokeKey', 'End a key at once, without a replacement', {
  params,
  body: contract.RevokeKeyRequest,
  response: { 200: contract.RevokedKey },
})
const SECRET = 'Replace the signing secret; the old one works on for a grace period'
const ROTATE_SECRET = describeKeyRoute('rotateSecret', SECRET, {
  params,
  body: contract.RotateSecretRequest,
  response: { 200: contract.RotatedSecret },
})

/** Owner plane: a runtime's two keys and its signing secret. All are POST, so that no log or history holds a key. */
export function runtimeKeyRoutes(plane: FastifyInstance, deps: CoreDeps): void {
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

const describeAccountRoute = describeRoutes('Account')
const LIST = describeAccountRoute('listAccountKeys', 'List the account’s API keys, newest first', {
  description: 'An owner sees all of them; others see those that their own `svc login` made.',
  querystring: ListQuery,
  response: { 200: contract.AccountKeyList },
})
const CREATE = describeAccountRoute('createAccountKey', 'Create an API key of the account', {
  description: 'It has a role as members have, and stays when the member who made it leaves.',
  body: contract.CreateAccountKeyRequest,
  response: { 201: contract.CreatedAccountKey },
})
const REVOKE = describeAccountRoute('revokeAccountKey', 'End an API key of the account at once', {
  description: 'Owners end any, others those that their own `svc login` made.',
  params: z.object({ keyId: z.string().describe('The id of an account’s key, `key_…`.') }),
  response: { 200: contract.AccountKey },
})

/** Owner plane: the API keys of the account itself. */
export function accountKeyRoutes(plane: FastifyInstance, deps: CoreDeps): void {
  const routes = typed(plane)

  routes.get('/v1/account/keys', { schema: LIST }, (request) =>
    listOwnKeys(deps, keysFor(callerOf(request)), request.query),
  )

  routes.post('/v1/account/keys', { schema: CREATE }, async (request, reply) =>
    reply.code(201).send(await createAccountKey(deps, callerOf(request), request.body)),
  )

  routes.post('/v1/account/keys/:keyId/revoke', { schema: REVOKE }, (request) =>
    revokeOwnKey(deps, callerOf(request), request.params.keyId),
  )
}
