import { createHandler, type HandlerOptions } from '../calls/create-handler.ts'
import type { AnyCapability } from '../capabilities/define-capability.ts'
import { defineRuntime } from '../capabilities/define-runtime.ts'
import { type CallResult, readResult } from './call-result.ts'
import type { CallInput, CallOutput } from './call-types.ts'
import { type CallFields, signRequest } from './sign-call.ts'

export interface CallOptions extends CallFields, Pick<HandlerOptions, 'clock' | 'exposeErrors' | 'onError'> {
  /** The permissions that the end user holds. Default: every one that the capability asks for. */
  readonly permissions?: readonly string[] | undefined
  /** Aborting it is the caller leaving before the answer. */
  readonly signal?: AbortSignal | undefined
}

// Known to nobody else, and to no other call: each has a handler of its own.
const IDENTITY = { runtimeId: 'rt_test', secret: 'the-signing-secret-of-a-call-in-process' } as const

/**
 * Calls one capability in process, by the whole way of a real call: signed request, verification, end user, permissions,
 * validation, handler, JSON. Never rejects for what the capability does. Of a runtime, call `runtime.find(name)`. A capability
 * with `confirm` runs as if a person had approved it.
 * @example
 * const result = await callCapability(orderStatus, { orderNumber: 'A-1001' }, { endUserToken: 'session-of-alice' })
 * expect(result).toEqual({ ok: true, output: { status: 'shipped' } })
 */
export async function callCapability<Capability extends AnyCapability>(
  capability: Capability,
  input: CallInput<Capability>,
  options?: CallOptions,
): Promise<CallResult<CallOutput<Capability>>>
export async function callCapability(
  capability: AnyCapability,
  input: unknown,
  options: CallOptions = {},
): Promise<CallResult> {
  const { permissions = capability.permissions ?? [], clock, exposeErrors, onError, ...call } = options
  const handler = createHandler({
    ...IDENTITY,
    ...{ clock, exposeErrors, onError },
    runtime: defineRuntime({ capabilities: [{ ...capability, confirm: false }] }),
    nonceStore: { claim: async () => true },
    permissionsOf: () => permissions,
  })
  return readResult(
    await handler(await signRequest({ ...IDENTITY, ...call, clock, capability: capability.name, input })),
  )
}
