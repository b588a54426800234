import {
  DeviceDecision,
  DeviceLogin,
  DeviceLoginRequest,
  DevicePoll,
  DevicePollRequest,
  ErrorBody,
  WaitingDevice,
} from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { describeRoutes } from '../http/describe-routes.ts'
import { callerOf } from '../http/planes.ts'
import { typed } from '../http/typed.ts'
import type { CoreDeps } from '../lib/core-deps.ts'
import { answerDevice, beginDeviceLogin, pollDeviceLogin, waitingDevice } from './device-login.ts'
import { SMALL } from './routes.ts'

const params = z.object({ userCode: z.string().max(64).describe('The code that the device shows, `WDJB-MJHT`.') })

const describeRoute = describeRoutes('Account')
const BEGIN = describeRoute('beginDeviceLogin', 'Ask for a device code', {
  description: 'The device authorization request of RFC 8628, for a program on a machine of the owner’s.',
  body: DeviceLoginRequest,
  response: { 201: DeviceLogin, 403: ErrorBody },
})
const POLL = describeRoute('pollDeviceLogin', 'Ask whether a device was confirmed, and for its key', {
  description: '403 where the owner declined, 429 where the last poll was less than `interval` seconds ago.',
  body: DevicePollRequest,
  response: { 200: DevicePoll, 403: ErrorBody },
})
const WAITING = describeRoute('getWaitingDevice', 'Which device waits under a user code', {
  params,
  response: { 200: WaitingDevice },
})
const ANSWER = describeRoute('answerDevice', 'Let a device have a key of one’s own, or refuse it', {
  description: 'With a session.',
  params,
  body: DeviceDecision,
  response: { 200: DeviceDecision },
})

/** Public plane, behind the hook of the sign-in routes that refuses pages of other origins. */
export function deviceLoginRoutes(plane: FastifyInstance, deps: CoreDeps): void {
  const routes = typed(plane)

  routes.post('/v1/auth/device', { schema: BEGIN, config: SMALL }, async (request, reply) =>
    reply.code(201).send(await beginDeviceLogin(deps, request.body.machine, request.ip)),
  )

  routes.post('/v1/auth/device/token', { schema: POLL, config: SMALL }, (request) =>
    pollDeviceLogin(deps, request.body.deviceCode),
  )
}

/** Owner plane: devices that wait for a confirmation. */
export function deviceRoutes(plane: FastifyInstance, deps: CoreDeps): void {
  const routes = typed(plane)

  routes.get('/v1/account/devices/:userCode', { schema: WAITING }, (request) =>
    waitingDevice(deps, callerOf(request), { ...request.params, ip: request.ip }),
  )

  routes.post('/v1/account/devices/:userCode', { schema: ANSWER }, (request) =>
    answerDevice(deps, callerOf(request), { ...request.params, ...request.body, ip: request.ip }),
  )
}
