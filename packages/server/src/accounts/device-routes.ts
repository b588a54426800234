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
import { ownerOf } from '../http/planes.ts'
import { typed } from '../http/typed.ts'
import type { AccountDeps } from './deps.ts'
import { answerDevice, beginDeviceLogin, pollDeviceLogin, waitingDevice } from './device-login.ts'

const BEGIN = {
  summary: 'Ask for a device code',
  description: 'The device authorization request of RFC 8628, for a program on a machine of the owner’s.',
  tags: ['Account'],
  operationId: 'beginDeviceLogin',
  body: DeviceLoginRequest,
  response: { 201: DeviceLogin, 403: ErrorBody },
} as const

const POLL = {
  summary: 'Ask whether a device was confirmed, and for its key',
  description: '403 where the owner declined, 429 where the last poll was less than `interval` seconds ago.',
  tags: ['Account'],
  operationId: 'pollDeviceLogin',
  body: DevicePollRequest,
  response: { 200: DevicePoll, 403: ErrorBody },
} as const

const UserCode = z.object({ userCode: z.string().max(64).describe('The code that the device shows, `WDJB-MJHT`.') })

const WAITING = {
  summary: 'Which device waits under a user code',
  tags: ['Account'],
  operationId: 'getWaitingDevice',
  params: UserCode,
  response: { 200: WaitingDevice },
} as const

const ANSWER = {
  summary: 'Let a device have a key of the account, or refuse it',
  tags: ['Account'],
  operationId: 'answerDevice',
  params: UserCode,
  body: DeviceDecision,
  response: { 200: DeviceDecision },
} as const

const SMALL = { maxBodyBytes: 8 * 1024, isSignIn: true }

/** Public plane, behind the hook of the sign-in routes that refuses pages of other origins. */
export function deviceLoginRoutes(plane: FastifyInstance, deps: AccountDeps): void {
  const routes = typed(plane)

  routes.post('/v1/auth/device', { schema: BEGIN, config: SMALL }, async (request, reply) => {
    const login = await beginDeviceLogin(deps, { ...request.body, ip: request.ip })
    return reply.code(201).send(login)
  })

  routes.post('/v1/auth/device/token', { schema: POLL, config: SMALL }, (request) =>
    pollDeviceLogin(deps, request.body.deviceCode),
  )
}

/** Owner plane: devices that wait for a confirmation. */
export function deviceRoutes(plane: FastifyInstance, deps: AccountDeps): void {
  const routes = typed(plane)

  routes.get('/v1/account/devices/:userCode', { schema: WAITING }, (request) =>
    waitingDevice(deps, ownerOf(request), { ...request.params, ip: request.ip }),
  )

  routes.post('/v1/account/devices/:userCode', { schema: ANSWER }, (request) =>
    answerDevice(deps, ownerOf(request), { ...request.params, ...request.body, ip: request.ip }),
  )
}
