import type { FastifyContextConfig, FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import { type ZodType, z } from 'zod'
import type { Plane } from '../planes.ts'

declare module 'fastify' {
  interface FastifySchema {
    /** A few words for lists of operations, without a full stop. */
    summary?: string
    /** What a caller should know beyond the summary. */
    description?: string
    /** The chapter of the reference that the operation is in; see `TAGS`. */
    tags?: readonly string[]
    /** A camelCase name, unique in the API: generated clients call their methods by it. */
    operationId?: string
    /** What is sent event by event, in place of the 200 body, to a caller who accepts `text/event-stream`. */
    events?: ZodType
    /** Keeps the route out of the description: it is for browsers or for us. */
    hide?: boolean
  }

  interface FastifyContextConfig {
    /** Set where every answer counts against the runtime’s rate limit and says so in its headers. */
    isRateLimited?: boolean
  }
}

/** One documented route, as its own schema describes it. */
export interface Operation {
  /** Lower case. */
  method: string
  /** In the router’s form, `/v1/runtimes/:runtimeId`. */
  path: string
  plane: Plane
  config: FastifyContextConfig
  schema: FastifySchema
  /** Bodies that the route names, by status; `z.void()` where there is none. */
  answers: Readonly<Record<string, ZodType>>
}

/** Notes every route as it is added. The function gives the documented ones; ask once the app is ready. */
export function collectOperations(app: FastifyInstance): () => Operation[] {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => {
    routes.push(route)
  })
  // A plane names itself on its routes after the hook above has run, so they are read late.
  return () => routes.filter(({ schema }) => !schema?.hide).flatMap(operationsOf)
}

function operationsOf({ method, url, schema = {}, config = {} }: RouteOptions): Operation[] {
  const { plane } = config
  if (plane === undefined) throw new Error(`${method} ${url} is on no plane`)
  const answers = Object.fromEntries(Object.entries({ ...Object(schema.response) }).filter(isZodEntry))
  const methods = [method].flat().filter((one) => one !== 'HEAD' && one !== 'OPTIONS')
  return methods.map((one) => ({ method: one.toLowerCase(), path: url, plane, config, schema, answers }))
}

export function isZod(schema: unknown): schema is ZodType {
  return schema instanceof z.ZodType
}

function isZodEntry(entry: [string, unknown]): entry is [string, ZodType] {
  return isZod(entry[1])
}
