import { createHandler, createMemoryEffectStore, defineRuntime, type HandlerOptions, type Runtime } from '@svc/sdk'
import { fastifyCapabilities } from '@svc/sdk/fastify'
import Fastify, { type FastifyInstance } from 'fastify'
import { addRoutes } from './api.ts'
import { collectCapabilities } from './route-capabilities.ts'
import { createStations } from './stations.ts'

export interface Service {
  app: FastifyInstance
  /** The routes that are marked as capabilities. */
  runtime: Runtime
}

/** The weather service, which does not listen yet. */
export function createService(now: () => number = Date.now): Service {
  const app = Fastify()
  const capabilities = collectCapabilities(app)
  addRoutes(app, createStations(now))
  return { app, runtime: defineRuntime({ capabilities, effects: createMemoryEffectStore({ clock: { now } }) }) }
}

/** Answers signed calls at `/svc`, beside the routes. The options are what registering the runtime gave. */
export function serveCapabilities({ app, runtime }: Service, options: Omit<HandlerOptions, 'runtime'>): void {
  app.register(fastifyCapabilities, { handler: createHandler({ ...options, runtime }), path: '/svc' })
}
