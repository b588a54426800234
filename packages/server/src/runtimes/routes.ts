import * as contract from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import type { AccountQueues } from '../http/account-queues.ts'
import { answerPreflights } from '../http/cors.ts'
import { describeRoutes } from '../http/describe-routes.ts'
import { ListQuery, ProjectIdParam, RuntimeParams as params } from '../http/params.ts'
import { ownerOf, runtimeOf } from '../http/planes.ts'
import { cachedRuntimeOf, stateOf } from '../http/request-state.ts'
import { typed } from '../http/typed.ts'
import type { RuntimeDeps } from './deps.ts'
import { examineEndpoint, examineOwnEndpoint } from './doctor.ts'
import { registerRuntime } from './registration.ts'
import { heartbeat, listOwnRuntimes, runtimeDetail, runtimeStatus, setAllowedOrigins } from './runtimes.ts'

const describeOwnerRoute = describeRoutes('Runtimes')
const REGISTER = describeOwnerRoute('registerRuntime', 'Register a runtime, or update it', {
  description:
    'Idempotent on `runtimeId`. A new runtime answers 201 with its keys and its signing secret; one that exists answers 200 without them, and what the request leaves out stays as it was.',
  body: contract.RegisterRuntimeRequest,
  response: { 200: contract.UpdatedRuntime, 201: contract.CreatedRuntime },
})
const LIST = describeOwnerRoute('listRuntimes', 'List runtimes, newest first', {
  querystring: ListQuery.extend({ projectId: ProjectIdParam.optional() }),
  response: { 200: contract.RuntimeList },
})
const DETAIL = describeOwnerRoute('getRuntime', 'Fetch a runtime', {
  params,
  response: { 200: contract.RuntimeDetail },
})
const ORIGINS = describeOwnerRoute('setAllowedOrigins', 'Replace the list of allowed origins', {
  description: 'The origins whose pages may use the public key. An empty list lets every origin.',
  params,
  body: contract.AllowedOriginsRequest,
  response: { 200: contract.AllowedOrigins },
})

/** Owner plane: registering runtimes and looking at them. */
export function runtimeRoutes(plane: FastifyInstance, deps: RuntimeDeps): void {
  const routes = typed(plane)

  routes.post('/v1/runtimes', { schema: REGISTER }, async (request, reply) => {
    const runtime = await registerRuntime(deps, ownerOf(request), request.body)
    return reply.code('secret' in runtime ? 201 : 200).send(runtime)
  })

  routes.get('/v1/runtimes', { schema: LIST }, (request) => listOwnRuntimes(deps, ownerOf(request), request.query))

  routes.get('/v1/runtimes/:runtimeId', { schema: DETAIL }, (request) =>
    runtimeDetail(deps, ownerOf(request), request.params.runtimeId),
  )

  routes.put('/v1/runtimes/:runtimeId/allowed-origins', { schema: ORIGINS }, (request) =>
    setAllowedOrigins(deps, ownerOf(request), { ...request.params, ...request.body }),
  )
}

const describeDeployRoute = describeRoutes('Deployments')
const STATUS = describeDeployRoute('getRuntimeStatus', 'Look at the serving deployment, and check in', {
  response: { 200: contract.RuntimeStatus },
})
const HEARTBEAT = describeDeployRoute('sendHeartbeat', 'Check in', { response: { 200: contract.Heartbeat } })

interface DoctorDeps extends RuntimeDeps {
  accountQueues: AccountQueues
}

const EXAMINATION = {
  description:
    'Calls it in right and in false ways: a replay, a changed body, wrong times, secrets and signatures. Nothing is charged or recorded. One at a time for each account, six a minute, else 429. It takes up to half a minute.',
  body: contract.DoctorRequest,
  response: { 200: contract.DoctorReport, 429: contract.ErrorBody },
}
const DOCTOR = describeDeployRoute('examineEndpoint', 'Examine the endpoint', EXAMINATION)
const OWN_DOCTOR = describeOwnerRoute('examineRuntime', 'Examine the endpoint of a runtime', {
  ...EXAMINATION,
  params,
})

// The examination has a queue of its own: it would hold up the account's other requests.
const OWN_QUEUE = { skipsAccountQueue: true }

/** Deploy plane: a runtime's own operator checks in, and has its endpoint examined. */
export function checkInRoutes(plane: FastifyInstance, deps: DoctorDeps): void {
  const routes = typed(plane)
  routes.get('/v1/runtime/status', { schema: STATUS }, (request) => runtimeStatus(deps, runtimeOf(request)))
  routes.post('/v1/runtime/heartbeat', { schema: HEARTBEAT }, (request) => heartbeat(deps, runtimeOf(request)))
  routes.post('/v1/runtime/doctor', { schema: DOCTOR, config: OWN_QUEUE }, (request) => {
    const runtime = runtimeOf(request)
    const asked = { ...request.body, signal: stateOf(request).closed }
    return deps.accountQueues.examinations.run(runtime.ownerId, () => examineEndpoint(deps, runtime, asked))
  })
}

/** Owner plane: the doctor for a runtime of the account. */
export function ownerDoctorRoutes(plane: FastifyInstance, deps: DoctorDeps): void {
  typed(plane).post('/v1/runtimes/:runtimeId/doctor', { schema: OWN_DOCTOR, config: OWN_QUEUE }, (request) => {
    const owner = ownerOf(request)
    const asked = { ...request.body, ...request.params, signal: stateOf(request).closed }
    return deps.accountQueues.examinations.run(owner.ownerId, () => examineOwnEndpoint(deps, owner, asked))
  })
}

const WIDGET_PATH = '/v1/runtime/widget'
const WIDGET = describeRoutes('Chat')('readWidgetSettings', 'Read what a chat shows where its page says nothing', {
  description:
    'Name and colour of the deployed `website`, and what to say first. May be kept for five minutes. It has a rate limit of its own, the same figure again.',
  response: { 200: contract.WidgetSettings },
})

/** Public-key plane: what the owner deployed for chats. */
export function widgetRoutes(plane: FastifyInstance): void {
  const config = { isRateLimited: true, rate: 'settings' } as const
  answerPreflights(plane, [WIDGET_PATH], 'GET')
  typed(plane).get(WIDGET_PATH, { schema: WIDGET, config }, async (request, reply) => {
    const cached = cachedRuntimeOf(request)
    // No admission confirms that the key still works.
    if (!cached.isFresh) await cached.refresh()
    const { deployment } = cached.runtime
    // A page may have chats of several runtimes: their keys tell the answers apart.
    reply.header('cache-control', 'private, max-age=300').header('vary', 'origin, authorization')
    const { name = null, color = null } = deployment?.website ?? {}
    return { name, accent: color, suggestions: deployment?.suggestions ?? [] }
  })
}
