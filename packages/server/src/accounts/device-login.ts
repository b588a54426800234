import { randomBytes } from 'node:crypto'
import type { DeviceDecision, DeviceLogin, DevicePoll, WaitingDevice } from '@svc/contract'
import { mintCredential } from '../credentials/credentials.ts'
import { TOO_MANY_LOGINS } from '../credentials/rules.ts'
import { forbidden, invalidField, limited, notFound, sessionRequired } from '../errors.ts'
import { isoTime } from '../lib/clock.ts'
import type { CoreDeps } from '../lib/core-deps.ts'
import { networkOf } from '../lib/network.ts'
import { toAccount } from './accounts.ts'
import { countAttempt } from './attempts.ts'
import type { Caller } from './caller.ts'
import * as rules from './device-login-rules.ts'
import * as store from './device-login-store.ts'
import { listMembers } from './member-store.ts'
import { IPV6_BITS } from './rules.ts'
import { findOwner } from './store.ts'

/** Gives a device the two codes of RFC 8628: one to poll with, and one for the account's owner to confirm. */
export async function beginDeviceLogin(deps: CoreDeps, machine: string, ip: string): Promise<DeviceLogin> {
  deps.diskSpace.require()
  // The bucket of the whole service bounds how many device logins are stored.
  await countAttempt(deps, [
    ['device-code/network', networkOf(ip, IPV6_BITS.signUp)],
    ['device-code/service', ''],
  ])
  const now = deps.clock.now()
  const deviceCode = randomBytes(32).toString('base64url')
  const login = {
    device_hash: deps.keyring.hash(`device-code:${deviceCode}`),
    machine: rules.cleanName(machine),
    network: rules.cleanName(networkOf(ip, IPV6_BITS.attempts)).slice(0, 64),
    status: 'pending' as const,
    requested_at: now,
    expires_at: now + rules.DEVICE_LOGIN_MS,
  }
  let code: string
  do code = rules.randomUserCode()
  while (!(await store.insertDeviceLogin(deps.db, { ...login, user_hash: deps.keyring.hash(`user-code:${code}`) })))
  const userCode = rules.formatUserCode(code)
  const verificationUri = new URL('/dashboard/device', deps.baseUrl()).href
  const verificationUriComplete = `${verificationUri}?code=${userCode}`
  const times = { expiresIn: rules.DEVICE_LOGIN_MS / 1000, interval: rules.POLL_MS / 1000 }
  return { deviceCode, userCode, verificationUri, verificationUriComplete, ...times }
}

/** The state of a device login. The first poll after its confirmation creates the key, so no key is stored in clear text. */
export async function pollDeviceLogin(deps: CoreDeps, deviceCode: string): Promise<DevicePoll> {
  const now = deps.clock.now()
  const hashes = deps.keyring.hashes(`device-code:${deviceCode}`)
  const login = await store.findDeviceLogin(deps.db, { by: 'device_hash', hashes, now })
  if (!login) throw expired()
  const waitMs = login.polled_at + rules.POLL_MS - now
  if (waitMs > 0) throw slowDown(waitMs)
  if (!(await store.changeDeviceLogin(deps.db, login, { polled_at: now }))) throw slowDown(rules.POLL_MS)
  if (login.status === 'denied') throw forbidden('The owner declined this log-in (access_denied).')
  if (login.owner_id === null) return { status: 'authorization_pending' }
  return makeKey(deps, login, login.owner_id)
}

// The key has the role of its member, whichever that is at the time.
async function makeKey(deps: CoreDeps, login: store.DeviceLoginRow, ownerId: string): Promise<DevicePoll> {
  deps.diskSpace.require()
  const owner = await findOwner(deps.db, ownerId)
  const member = (await listMembers(deps.db, ownerId)).find(({ memberId }) => memberId === login.member_id)
  if (!owner || !member) throw expired()
  const named = { kind: 'account' as const, name: `svc on ${login.machine}` }
  const { key, row } = mintCredential(deps, ownerId, { ...named, memberId: member.memberId })
  const outcome = await store.exchangeForKey(deps.db, login, row)
  if (outcome === 'gone') throw expired()
  if (outcome === 'full') throw forbidden(TOO_MANY_LOGINS)
  return {
    status: 'authorized',
    account: toAccount(owner, { role: member.role, member }),
    keyId: row.credential_id,
    key: key.reveal(),
  }
}

interface TypedCode {
  userCode: string
  ip: string
}

/** The device that waits under a user code, for the owner to confirm. */
export async function waitingDevice(deps: CoreDeps, caller: Caller, typed: TypedCode): Promise<WaitingDevice> {
  const { code, login } = await findWaiting(deps, caller, typed)
  const { machine, network, requested_at: requestedAt, expires_at: expiresAt } = login
  const times = { requestedAt: isoTime(requestedAt), expiresAt: isoTime(expiresAt) }
  return { userCode: rules.formatUserCode(code), machine, network, ...times }
}

/** Grants or denies a device a key of the member's, once. Throws 403 for an API key: keys make no keys. */
export async function answerDevice(
  deps: CoreDeps,
  caller: Caller,
  { status, ...typed }: TypedCode & DeviceDecision,
): Promise<DeviceDecision> {
  const { owner, member, keyId } = caller
  if (!member || keyId !== null) throw sessionRequired('to answer a device')
  const { login } = await findWaiting(deps, caller, typed)
  const whose = { owner_id: owner.ownerId, member_id: member.memberId }
  if (!(await store.changeDeviceLogin(deps.db, login, { ...whose, status }))) throw noDevice()
  return { status }
}

// An attempt is counted before its code is looked up: concurrent guesses stay within the bound.
async function findWaiting(deps: CoreDeps, { owner, member }: Caller, { userCode, ip }: TypedCode) {
  const code = rules.parseUserCode(userCode)
  if (code === null) throw noDevice()
  await countAttempt(deps, [
    ['user-code/member', member?.memberId ?? owner.ownerId],
    ['user-code/network', networkOf(ip, IPV6_BITS.attempts)],
  ])
  const hashes = deps.keyring.hashes(`user-code:${code}`)
  const login = await store.findDeviceLogin(deps.db, { by: 'user_hash', hashes, now: deps.clock.now() })
  if (login?.status !== 'pending') throw noDevice()
  return { code, login }
}

const slowDown = (waitMs: number) =>
  limited('Too many polls (slow_down). Leave five seconds between two of them.', waitMs)
const expired = () =>
  invalidField('deviceCode', 'is not known, was used, or has expired (expired_token). Ask for a new one.')
const noDevice = () => notFound('A device that waits under this code')
