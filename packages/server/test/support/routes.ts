import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Plane } from '../../src/http/typed.ts'

export interface CollectedRoute {
  method: string
  path: string
  plane: Plane | undefined
  /** Whether its schema says what its body must be. */
  takesBody: boolean
  /** The names of what its query and its body can hold. */
  queryFields: readonly string[]
  bodyFields: readonly string[]
}

/** The app's own table of routes, preflights and HEAD left out. Ask before its first request; read after `ready()`. */
export async function collectRoutes(app: FastifyInstance): Promise<CollectedRoute[]> {
  const routes: CollectedRoute[] = []
  app.addHook('onRoute', (route) => {
    for (const method of [route.method].flat()) {
      if (method === 'OPTIONS' || method === 'HEAD') continue
      routes.push({
        method,
        path: route.url,
        // A plane names itself on its routes after this hook has run.
        get plane() {
          return route.config?.plane
        },
        takesBody: route.schema?.body !== undefined,
        queryFields: fieldsOf(route.schema?.querystring),
        bodyFields: fieldsOf(route.schema?.body),
      })
    }
  })
  await app.ready()
  return routes
}

function fieldsOf(schema: unknown): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
}
