import * as z from 'zod'
import { Account } from './accounts.ts'
import { Timestamp } from './json.ts'

const MACHINE = 'must have 1 to 64 characters.'

/** Body of `POST /v1/auth/device`: the device authorization request of RFC 8628. */
export const DeviceLoginRequest = z.strictObject({
  machine: z
    .string()
    .trim()
    .min(1, MACHINE)
    .max(64, MACHINE)
    .describe('The name of the machine that asks: shown to the owner, and part of the key’s name.'),
})
export type DeviceLoginRequest = z.infer<typeof DeviceLoginRequest>

/** The code that a program polls with, and the code that it shows to its user. Times in seconds. */
export const DeviceLogin = z.object({
  deviceCode: z.string(),
  userCode: z.string(),
  verificationUri: z.string(),
  verificationUriComplete: z.string(),
  expiresIn: z.int(),
  interval: z.int(),
})
export type DeviceLogin = z.infer<typeof DeviceLogin>

/** Body of `POST /v1/auth/device/token`. */
export const DevicePollRequest = z.strictObject({ deviceCode: z.string().min(1).max(100) })
export type DevicePollRequest = z.infer<typeof DevicePollRequest>

/** Answer to a poll. The key is shown this once. */
export const DevicePoll = z.discriminatedUnion('status', [
  z.object({ status: z.literal('authorization_pending') }),
  z.object({ status: z.literal('authorized'), account: Account, keyId: z.string(), key: z.string() }),
])
export type DevicePoll = z.infer<typeof DevicePoll>

/** The device that waits under a user code. */
export const WaitingDevice = z.object({
  userCode: z.string(),
  machine: z.string(),
  network: z.string(),
  requestedAt: Timestamp,
  expiresAt: Timestamp,
})
export type WaitingDevice = z.infer<typeof WaitingDevice>

/** The owner’s answer to a device: body and answer of `POST /v1/account/devices/<user_code>`. */
export const DeviceDecision = z.strictObject({ status: z.enum(['authorized', 'denied']) })
export type DeviceDecision = z.infer<typeof DeviceDecision>
