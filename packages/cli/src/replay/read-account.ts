import type { z } from 'zod'
import type { AccountSource } from '../control-plane/account-source.ts'
import { accountKeyNotAccepted, refused } from '../control-plane/faults.ts'
import { request } from '../control-plane/request.ts'
import type { CliDeps } from '../deps.ts'

const TIMEOUT_MS = 10_000

/** Reads one document of the account’s; a refusal throws. */
export type Read = <T>(path: string, answer: z.ZodType<T>) => Promise<T>

export function accountReader(deps: Pick<CliDeps, 'fetch'>, source: AccountSource): Read {
  const caller = {
    baseUrl: source.baseUrl,
    bearer: source.accountKey,
    notAccepted: () => accountKeyNotAccepted(source),
  }
  return async (path, answer) => {
    const read = await request(deps, caller, { method: 'GET', path, timeoutMs: TIMEOUT_MS, answer })
    if (!read.ok) throw refused(read.refusal)
    return read.value
  }
}
