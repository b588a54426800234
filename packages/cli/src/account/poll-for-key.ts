import { type DeviceLogin, DevicePoll } from '@svc/contract'
import type { Refusal } from '../control-plane/answer.ts'
import { request } from '../control-plane/request.ts'
import type { CliDeps } from '../deps.ts'
import { CommandFailure, commandFailure } from '../failures.ts'

const TIMEOUT_MS = 10_000
const SLOW_DOWN_MS = 5_000
const MAX_INTERVAL_MS = 60_000
// Past it a timer of Node's would fire at once.
const MAX_WAIT_MS = 3_600_000

/** Polls, as RFC 8628 has it, until the owner has answered or the codes have expired. */
export async function pollForKey(
  deps: Pick<CliDeps, 'fetch' | 'timers'>,
  baseUrl: string,
  { deviceCode, expiresIn, interval }: DeviceLogin,
): Promise<Extract<DevicePoll, { status: 'authorized' }>> {
  const expiresAt = deps.timers.now() + Math.min(expiresIn * 1000, MAX_WAIT_MS)
  const input = { method: 'POST', path: '/v1/auth/device/token', body: { deviceCode }, timeoutMs: TIMEOUT_MS } as const
  let intervalMs = Math.max(interval, 1) * 1000
  for (;;) {
    const pauseMs = Math.min(intervalMs, Math.max(expiresAt - deps.timers.now(), 0))
    await new Promise<void>((resolve) => deps.timers.after(pauseMs, resolve))
    const isLast = deps.timers.now() >= expiresAt
    const answer = await request(deps, { baseUrl, bearer: null }, { ...input, answer: DevicePoll }).catch(
      (error: unknown) => {
        if (isLast || !(error instanceof CommandFailure)) throw error
        return null
      },
    )
    if (answer?.ok && answer.value.status === 'authorized') return answer.value
    if (answer?.ok === false && isFinal(answer.refusal)) throw failureOf(answer.refusal)
    if (isLast) throw expired()
    if (!answer?.ok) intervalMs = nextInterval(intervalMs, answer?.refusal)
  }
}

function isFinal({ status }: Refusal): boolean {
  return status < 500 && status !== 429
}

// Told to slow down, it adds five seconds for good; out of reach, it waits twice as long.
function nextInterval(intervalMs: number, refusal: Refusal | undefined): number {
  if (refusal?.status !== 429) return Math.min(intervalMs * 2, MAX_INTERVAL_MS)
  return Math.max(intervalMs + SLOW_DOWN_MS, (refusal.retryAfterSeconds ?? 0) * 1000)
}

function failureOf({ status, message }: Refusal): CommandFailure {
  return status === 400 ? expired() : commandFailure(`The log-in failed: ${message}`)
}

function expired(): CommandFailure {
  return commandFailure('The code has expired, or its key was told already.', [
    'Run `svc login` again. If you had confirmed it, end its key in the dashboard, under “Account”.',
  ])
}
