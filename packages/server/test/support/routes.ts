import type { FastifyInstance } from 'fastify'
import type { Plane } from '../../src/http/planes.ts'

export interface CollectedRoute {
  method: string
  path: string
  plane: Plane | undefined
  /** Whether its schema says what its body must be. */
  takesBody: boolean
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
      })
    }
  })
  await app.ready()
  return routes
}
