import { createHash } from 'node:crypto'
import { JsonObject } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Deps } from '../../deps.ts'
import { describeApi } from './document.ts'
import type { Operation } from './operations.ts'

const DESCRIPTION = {
  summary: 'This description of the API',
  tags: ['Service'],
  operationId: 'getOpenApi',
  response: { 200: JsonObject, 304: z.void() },
} as const

/** Public plane: the API's description. It is written at the first request, when every route and the address are known. */
export function openApiRoutes(
  plane: FastifyInstance,
  deps: Pick<Deps, 'baseUrl' | 'version'>,
  operations: () => Operation[],
): void {
  let written: { body: string; etag: string } | undefined

  plane.get('/openapi.json', { schema: DESCRIPTION }, async (request, reply) => {
    written ??= write(describeApi(operations(), { baseUrl: deps.baseUrl(), version: deps.version }))
    reply.headers({ etag: written.etag, 'cache-control': 'public, max-age=0' })
    if (request.headers['if-none-match']?.includes(written.etag)) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(written.body)
  })
}

function write(document: object) {
  const body = JSON.stringify(document)
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` }
}
