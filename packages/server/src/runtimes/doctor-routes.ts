import { DoctorReport, DoctorRequest, ErrorBody } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import type { AccountQueues } from '../http/account-queues.ts'
import { describeRoutes } from '../http/describe-routes.ts'
import { RuntimeParams as params } from '../http/params.ts'
import { ownerOf, runtimeOf } from '../http/planes.ts'
import { stateOf } from '../http/request-state.ts'
import { typed } from '../http/typed.ts'
import type { RuntimeDeps } from './deps.ts'
import { examineEndpoint, examineOwnEndpoint } from './doctor.ts'

interface DoctorDeps extends RuntimeDeps {
  accountQueues: AccountQueues
}

const EXAMINATION = {
  description:
    'Calls it in right and in false ways: a replay, a changed body, wrong times, secrets and signatures. Nothing is charged or recorded. One at a time for each account, six a minute, else 429. It takes up to half a minute.',
  body: DoctorRequest,
  response: { 200: DoctorReport, 429: ErrorBody },
}
const DOCTOR = describeRoutes('Deployments')('examineEndpoint', 'Examine the endpoint', EXAMINATION)
const OWN = describeRoutes('Runtimes')('examineRuntime', 'Examine the endpoint of a runtime', {
  ...EXAMINATION,
  params,
})

// The examination has a queue of its own: it would hold up the account's other requests.
const config = { skipsAccountQueue: true }

/** Deploy plane: the runtime of the key. */
export function doctorRoutes(plane: FastifyInstance, deps: DoctorDeps): void {
  typed(plane).post('/v1/runtime/doctor', { schema: DOCTOR, config }, (request) => {
    const runtime = runtimeOf(request)
    const asked = { ...request.body, signal: stateOf(request).closed }
    return deps.accountQueues.examinations.run(runtime.ownerId, () => examineEndpoint(deps, runtime, asked))
  })
}

/** Owner plane: any runtime of the account. */
export function ownerDoctorRoutes(plane: FastifyInstance, deps: DoctorDeps): void {
  typed(plane).post('/v1/runtimes/:runtimeId/doctor', { schema: OWN, config }, (request) => {
    const owner = ownerOf(request)
    const asked = { ...request.body, ...request.params, signal: stateOf(request).closed }
    return deps.accountQueues.examinations.run(owner.ownerId, () => examineOwnEndpoint(deps, owner, asked))
  })
}
