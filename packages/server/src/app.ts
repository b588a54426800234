import { type FastifyInstance, fastify } from 'fastify'
import { deploymentRoutes, discoveryRoutes } from './deployments/routes.ts'
import type { Deps } from './deps.ts'
import { brokerRoutes } from './executions/broker-routes.ts'
import { executionRoutes } from './executions/owner-routes.ts'
import { publicKeyRoutes } from './executions/public-key-routes.ts'
import { logAccess } from './http/access-log.ts'
import { watchConnections } from './http/connections.ts'
import { answerErrors } from './http/error-handler.ts'
import { allowAnyOrigin } from './http/gate.ts'
import { acceptJson } from './http/json-body.ts'
import { refuseMalformed } from './http/malformed.ts'
import { deployPlane, ownerPlane, publicKeyPlane, publicPlane } from './http/planes.ts'
import { answerRequestIds } from './http/request-id.ts'
import { serverOptions } from './http/server-options.ts'
import { serviceRoutes } from './http/service-routes.ts'
import { validateWithZod } from './http/validate.ts'
import { checkInRoutes, runtimeRoutes } from './runtimes/routes.ts'

/** The API's table of contents: its planes, in the order of the interface. */
export function createApp(deps: Deps): FastifyInstance {
  const app = fastify(serverOptions(deps))
  acceptJson(app, deps.limits)
  validateWithZod(app)
  answerRequestIds(app)
  watchConnections(app)
  refuseMalformed(app)
  answerErrors(app, deps)
  logAccess(app, deps)

  publicPlane(app, (plane) => {
    serviceRoutes(plane, deps)
  })
  publicPlane(app, (plane) => {
    allowAnyOrigin(plane)
    discoveryRoutes(plane, deps)
    brokerRoutes(plane, deps)
  })
  publicKeyPlane(app, deps, (plane) => {
    publicKeyRoutes(plane, deps)
  })
  deployPlane(app, deps, (plane) => {
    deploymentRoutes(plane, deps)
    checkInRoutes(plane, deps)
  })
  ownerPlane(app, deps, (plane) => {
    runtimeRoutes(plane, deps)
    executionRoutes(plane, deps)
  })
  return app
}
