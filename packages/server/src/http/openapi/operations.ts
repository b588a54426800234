import type { FastifyContextConfig, FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import { type ZodType, z } from 'zod'
import type { Plane } from '../typed.ts'

/** A documented route: its method in lower case, and its path in the router's form, `/v1/runtimes/:runtimeId`. */
export interface Operation {
  method: string
  path: string
  plane: Plane
  config: FastifyContextConfig
  schema: FastifySchema
  /** Response bodies by status; `z.void()` for none. */
  answers: Readonly<Record<string, ZodType>>
}

const Answers = z.record(z.string(), z.instanceof(z.ZodType)).default({})

/** Collects routes as they are added. The function returns the documented ones; call it once the app is ready. */
export function collectOperations(app: FastifyInstance): () => Operation[] {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => void routes.push(route))
  // A plane sets its name on a route after the hook above has run.
  return () => routes.filter(({ schema }) => !schema?.hide).flatMap(operationsOf)
}

function operationsOf({ method, url, schema = {}, config = {} }: RouteOptions): Operation[] {
  const { plane } = config
  if (plane === undefined) throw new Error(`${method} ${url} is on no plane`)
  const methods = [method].flat().filter((one) => one !== 'HEAD' && one !== 'OPTIONS')
  const described = { path: url, plane, config, schema, answers: Answers.parse(schema.response) }
  return methods.map((one) => ({ method: one.toLowerCase(), ...described }))
}
