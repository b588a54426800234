import type { FastifyContextConfig, FastifyInstance, FastifySchema } from 'fastify'
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
  isRateLimited: boolean
  /** It is answered however much there is to do. */
  isHealth: boolean
  schema: FastifySchema
  /** By status, in ascending order. */
  answers: readonly Answer[]
}

/** An answer that a route names. `body` is null where there is none. */
export interface Answer {
  status: number
  mediaType: string
  body: ZodType | null
}

/** Notes every route as it is added. The function gives the documented ones; ask once the app is ready. */
export function collectOperations(app: FastifyInstance): () => Operation[] {
  const routes: { method: string; route: CollectedRoute }[] = []
  app.addHook('onRoute', (route) => {
    for (const method of [route.method].flat()) {
      if (method !== 'OPTIONS' && method !== 'HEAD') routes.push({ method: method.toLowerCase(), route })
    }
  })
  return () => routes.filter(({ route }) => !route.schema?.hide).map(({ method, route }) => toOperation(method, route))
}

/** A plane names itself on its routes after the hook above has run, so they are read late. */
interface CollectedRoute {
  url: string
  schema?: FastifySchema
  config?: FastifyContextConfig
}

function toOperation(method: string, { url, schema = {}, config }: CollectedRoute): Operation {
  if (config?.plane === undefined) throw new Error(`${method} ${url} is on no plane`)
  const answers = answersOf(schema.response)
  const { plane, isRateLimited = false, load } = config
  return { method, path: url, plane, isRateLimited, isHealth: load === 'health', schema, answers }
}

const WithContent = z.object({ content: z.record(z.string(), z.object({ schema: z.instanceof(z.ZodType) })) })

function answersOf(response: unknown): Answer[] {
  if (typeof response !== 'object' || response === null) return []
  return Object.entries(response).flatMap(([code, described]: [string, unknown]): Answer[] => {
    const status = Number(code)
    if (described instanceof z.ZodVoid) return [{ status, mediaType: '', body: null }]
    if (described instanceof z.ZodType) return [{ status, mediaType: 'application/json', body: described }]
    const { content } = WithContent.parse(described)
    return Object.entries(content).map(([mediaType, { schema }]) => ({ status, mediaType, body: schema }))
  })
}

/** A part of a route’s schema that must be a zod schema where it is there at all. */
export function zodPart(schema: unknown): ZodType | null {
  return schema instanceof z.ZodType ? schema : null
}
