import { abbreviateKey } from '@svc/contract'
import { type CommandFailure, commandFailure, projectFailure, serverFailure } from '../failures.ts'
import { fieldLines } from '../terminal/field-lines.ts'
import { errorCode } from '../thrown.ts'
import type { AccountCredential } from './account-key.ts'
import type { Credential, Refusal } from './answer.ts'

/** A refusal that the caller has no more to say about. */
export function refused(refusal: Refusal): CommandFailure {
  const message = `The control plane refused: ${refusal.message}`
  const { retryAfterSeconds: seconds } = refusal
  const again = seconds === null ? [] : [`Try again in ${seconds === 1 ? '1 second' : `${seconds} seconds`}.`]
  const lines = [...fieldLines(refusal.details?.fieldErrors ?? {}), ...again]
  if (refusal.status === 400) return projectFailure(message, lines)
  if (refusal.status === 403 || refusal.status === 404) return serverFailure(message, lines)
  return commandFailure(message, lines)
}

export function unreachable(baseUrl: string, error: unknown, timeoutMs: number): CommandFailure {
  return serverFailure(
    `The control plane at ${baseUrl} cannot be reached: ${reasonOf(error, timeoutMs)}.`,
    [adviceFor((error instanceof Error && errorCode(error.cause)) || '')],
    error,
  )
}

export function keyNotAccepted(who: Credential): CommandFailure {
  return serverFailure(`The key ${abbreviateKey(who.apiKey)} is not valid at ${who.baseUrl}.`, [
    'Copy the runtime’s deploy key again, or rotate it, and set SVC_API_KEY to it.',
    'If the runtime is registered elsewhere, set SVC_BASE_URL to that control plane’s address.',
  ])
}

export function accountKeyNotAccepted({ baseUrl, accountKey, source }: AccountCredential): CommandFailure {
  return serverFailure(`The account key ${abbreviateKey(accountKey)} is not valid at ${baseUrl}.`, [
    source === 'svc login'
      ? 'It was revoked since `svc login` saved it: run `svc login` again.'
      : 'Make a new one in the dashboard, under “Account”, and set SVC_ACCOUNT_KEY to it; or correct SVC_BASE_URL.',
  ])
}

export function redirected(baseUrl: string, location: string): CommandFailure {
  return serverFailure(`${baseUrl} answered with a redirect to ${location}.`, [
    'Redirects are not followed, so that no key goes to another address. Set SVC_BASE_URL to the control plane’s own.',
  ])
}

export function notAControlPlane(baseUrl: string, what: string): CommandFailure {
  return serverFailure(`${baseUrl} does not answer like a control plane: ${what}.`, [
    'Set SVC_BASE_URL to the address of the control plane.',
  ])
}

function adviceFor(code: string): string {
  if (/CERT|ISSUER|SIGNATURE/.test(code)) {
    return 'Its certificate is not trusted here: set NODE_EXTRA_CA_CERTS to the file of the authority that issued it.'
  }
  if (/SSL|TLS|EPROTO/.test(code))
    return 'It does not speak https: check whether SVC_BASE_URL should start with http://.'
  return 'Is it running? If it is elsewhere, set SVC_BASE_URL to its address.'
}

function reasonOf(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} s`
  const message = error.cause instanceof Error ? error.cause.message : ''
  return errorCode(error.cause) ?? (message || error.message)
}
