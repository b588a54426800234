import type { JsonObject } from '@svc/contract'
import type { Runtime } from '@svc/sdk'
import { callCapability, createFakeControlPlane } from '@svc/sdk/testing'
import type { CliDeps } from '../deps.ts'
import { commandFailure } from '../failures.ts'
import { messageOf } from '../thrown.ts'

/** How a call ended, as it is compared. */
export type Outcome = { readonly output: unknown } | { readonly error: string }

/** Calls one capability; only those that the sender was made for. */
export type SendRead = (capability: string, input: JsonObject) => Promise<Outcome>

const TIMEOUT_MS = 30_000

type Target =
  | { readonly endpoint: string; readonly runtimeId: string; readonly secret: string }
  | { readonly runtime: Runtime }

type Options = { readonly reads: ReadonlySet<string>; readonly endUserToken: string | null }

/** Makes the one way by which replay calls anything: what is not among `reads` throws before anything is sent. */
export function readSender(deps: Pick<CliDeps, 'fetch'>, target: Target, { reads, endUserToken }: Options): SendRead {
  const options = { endUserToken: endUserToken ?? undefined, executionId: 'exec_replay' }
  const call = 'runtime' in target ? here(target.runtime) : there(deps, target)
  return async (capability, input) => {
    if (!reads.has(capability)) throw new Error(`${capability} is not a capability that only reads`)
    const result = await call(capability, input, options)
    return result.ok ? { output: result.output } : { error: result.message }
  }
}

type CallOptions = { readonly endUserToken: string | undefined; readonly executionId: string }

function here(runtime: Runtime) {
  return async (name: string, input: JsonObject, options: CallOptions) => {
    const capability = runtime.find(name)
    if (capability) return callCapability(capability, input, options)
    return { ok: false as const, message: `There is no capability “${name}” in this project.` }
  }
}

function there({ fetch }: Pick<CliDeps, 'fetch'>, { endpoint, ...identity }: Extract<Target, { endpoint: string }>) {
  const controlPlane = createFakeControlPlane(endpoint, { ...identity, fetch })
  let calls = 0
  return async (name: string, input: JsonObject, options: CallOptions) => {
    calls += 1
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const callId = `call_replay_${Date.now().toString(36)}_${calls}`
    try {
      return await controlPlane.callByName(name, input, { ...options, callId, signal })
    } catch (error) {
      const cause = error instanceof Error && error.cause ? messageOf(error.cause) : messageOf(error)
      throw commandFailure(`${endpoint} cannot be called: ${cause}.`, ['Is it running, and its address right?'], error)
    }
  }
}
