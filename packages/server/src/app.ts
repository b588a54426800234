import { type FastifyInstance, fastify } from 'fastify'
import { memberRoutes } from './accounts/member-routes.ts'
import { accountRoutes } from './accounts/routes.ts'
import { signInRoutes } from './accounts/sign-in-routes.ts'
import { analyticsRoutes } from './analytics/routes.ts'
import { ownerApprovalRoutes, pageApprovalRoutes } from './approvals/routes.ts'
import { billingRoutes } from './billing/routes.ts'
import { testCheckoutRoutes } from './billing/test-checkout-routes.ts'
import { paymentWebhookRoutes } from './billing/webhook-routes.ts'
import { accountKeyRoutes, runtimeKeyRoutes } from './credentials/routes.ts'
import { deletionRoutes } from './deletions/routes.ts'
import { deploymentHistoryRoutes, deploymentRoutes, discoveryRoutes } from './deployments/routes.ts'
import type { Deps } from './deps.ts'
import { protectedResourceRoutes } from './end-users/routes.ts'
import { brokerRoutes } from './executions/broker-routes.ts'
import { feedbackRoutes } from './executions/feedback-routes.ts'
import { executionRoutes, traceRoutes } from './executions/owner-routes.ts'
import { publicKeyRoutes } from './executions/public-key-routes.ts'
import { limitConnections } from './http/connections.ts'
import { allowAnyOrigin } from './http/cors.ts'
import { discardUnreadBodies } from './http/discard-bodies.ts'
import { answerErrors } from './http/error-handler.ts'
import { limitInFlight } from './http/in-flight.ts'
import { acceptJson } from './http/json-body.ts'
import { followRequests } from './http/lifecycle.ts'
import { collectOperations } from './http/openapi/operations.ts'
import { deployPlane, ownerPlane, publicKeyPlane, publicPlane } from './http/planes.ts'
import { serverOptions } from './http/server-options.ts'
import { openApiRoutes, serviceRoutes } from './http/service-routes.ts'
import { validateWithZod } from './http/validate.ts'
import { mcpRoutes, serverJsonRoutes } from './mcp/routes.ts'
import { projectRoutes } from './projects/routes.ts'
import { checkInRoutes, ownerDoctorRoutes, runtimeRoutes, widgetRoutes } from './runtimes/routes.ts'
import { peerRoutes } from './streams/peer-routes.ts'
import { resumeRoutes } from './streams/routes.ts'
import { webRoutes } from './web/web-routes.ts'
import { webhookRoutes } from './webhooks/routes.ts'

/** The API's table of contents: its planes, in the order of the interface. */
export function createApp(deps: Deps): FastifyInstance {
  const app = fastify(serverOptions(deps))
  const operations = collectOperations(app)
  acceptJson(app, deps)
  validateWithZod(app)
  limitConnections(app, deps)
  followRequests(app, deps)
  limitInFlight(app, deps)
  discardUnreadBodies(app)
  answerErrors(app, deps)

  publicPlane(app, (plane) => serviceRoutes(plane, deps))
  publicPlane(app, (plane) => {
    allowAnyOrigin(plane)
    openApiRoutes(plane, deps, operations)
    discoveryRoutes(plane, deps)
    serverJsonRoutes(plane, deps)
    protectedResourceRoutes(plane, deps)
    brokerRoutes(plane, deps)
  })
  publicPlane(app, (plane) => mcpRoutes(plane, deps))
  publicPlane(app, (plane) => webRoutes(plane, deps))
  paymentPages(app, deps)
  publicKeyPlane(app, deps, (plane) => {
    publicKeyRoutes(plane, deps)
    resumeRoutes(plane, deps)
    feedbackRoutes(plane, deps)
    widgetRoutes(plane)
    pageApprovalRoutes(plane, deps)
  })
  publicPlane(app, (plane) => peerRoutes(plane, deps))
  deployPlane(app, deps, (plane) => {
    deploymentRoutes(plane, deps)
    checkInRoutes(plane, deps)
  })
  publicPlane(app, (plane) => signInRoutes(plane, deps))
  ownerPlane(app, deps, (plane) => {
    accountRoutes(plane, deps)
    memberRoutes(plane, deps)
    runtimeRoutes(plane, deps)
    deletionRoutes(plane, deps)
    ownerDoctorRoutes(plane, deps)
    deploymentHistoryRoutes(plane, deps)
    runtimeKeyRoutes(plane, deps)
    accountKeyRoutes(plane, deps)
    executionRoutes(plane, deps)
    ownerApprovalRoutes(plane, deps)
    traceRoutes(plane, deps)
    projectRoutes(plane, deps)
    analyticsRoutes(plane, deps)
    webhookRoutes(plane, deps)
    billingRoutes(plane, deps)
  })
  return app
}

/** Public planes of the payment provider: Stripe's webhook, or the pages of the test provider. */
function paymentPages(app: FastifyInstance, deps: Deps): void {
  const { provider, webhook } = deps.payments ?? {}
  if (provider && webhook) publicPlane(app, (plane) => paymentWebhookRoutes(plane, deps, { provider, webhook }))
  if (provider === 'test') publicPlane(app, (plane) => testCheckoutRoutes(plane, deps))
}
