import * as contract from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { describeRoutes } from '../http/describe-routes.ts'
import { ListQuery } from '../http/params.ts'
import { callerOf, ownerOf } from '../http/planes.ts'
import { typed } from '../http/typed.ts'
import type { WebhookDeps } from './deps.ts'
import * as webhooks from './webhooks.ts'

const PATH = '/v1/webhooks/:webhookId'
const params = z.object({ webhookId: z.string().describe('The id of a webhook, `wh_…`.') })
const deliveryParams = params.extend({ deliveryId: z.string().describe('The id of a delivery, `msg_…`.') })

const describeRoute = describeRoutes('Webhooks')
const LIST = describeRoute('listWebhooks', 'List webhooks', {
  description: 'A viewer sees origins in place of URLs.',
  response: { 200: contract.WebhookList },
})
const CREATE = describeRoute('createWebhook', 'Create a webhook; the answer alone holds its secret', {
  body: contract.CreateWebhookRequest,
  response: { 201: contract.CreatedWebhook },
})
const DETAIL = describeRoute('getWebhook', 'Fetch a webhook', {
  description: 'A viewer sees the origin in place of its URL.',
  params,
  response: { 200: contract.Webhook },
})
const DELETE = describeRoute('deleteWebhook', 'Delete a webhook and the events that wait for it', {
  params,
  response: { 200: contract.Webhook },
})
const DELIVERIES = describeRoute('listWebhookDeliveries', 'List a webhook’s deliveries, newest first', {
  params,
  querystring: ListQuery,
  response: { 200: contract.WebhookDeliveryList },
})
const REDELIVER = describeRoute('redeliverWebhookEvent', 'Send an event again, under the same id', {
  params: deliveryParams,
  response: { 200: contract.WebhookDelivery },
})

const EVENTS = describeRoute('listEvents', 'List what happened in the account lately, newest first', {
  description: 'The events that webhooks are told of, whether or not there is a webhook. The latest 200 are kept.',
  querystring: ListQuery,
  response: { 200: contract.AccountEventList },
})

/** Owner plane: the events of the account, and where they are sent. */
export function webhookRoutes(plane: FastifyInstance, deps: WebhookDeps): void {
  const routes = typed(plane)

  routes.get('/v1/events', { schema: EVENTS }, (request) =>
    webhooks.listOwnEvents(deps, ownerOf(request), request.query),
  )

  routes.get('/v1/webhooks', { schema: LIST }, (request) => webhooks.listOwnWebhooks(deps, callerOf(request)))

  routes.post('/v1/webhooks', { schema: CREATE }, async (request, reply) =>
    reply.code(201).send(await webhooks.createWebhook(deps, ownerOf(request), request.body)),
  )

  routes.get(PATH, { schema: DETAIL }, (request) =>
    webhooks.readWebhook(deps, callerOf(request), request.params.webhookId),
  )

  routes.delete(PATH, { schema: DELETE }, (request) =>
    webhooks.removeWebhook(deps, ownerOf(request), request.params.webhookId),
  )

  routes.get(`${PATH}/deliveries`, { schema: DELIVERIES }, (request) =>
    webhooks.listOwnDeliveries(deps, ownerOf(request), { ...request.query, ...request.params }),
  )

  routes.post(`${PATH}/deliveries/:deliveryId/redeliver`, { schema: REDELIVER }, (request) =>
    webhooks.sendAgain(deps, ownerOf(request), request.params),
  )
}
