import { type AnyCapability, createHandler, defineRuntime, type FailedCall, type HandlerOptions } from '@svc/sdk'
import { callBody, fakeClock, RUNTIME_ID, read, SECRET, signedRequest } from './signed-calls.ts'

export interface Reported {
  readonly error: unknown
  readonly call: FailedCall | undefined
}

/** A handler of some capabilities, with a signed call to it, and what it told `onError`. */
export function serve(capabilities: readonly AnyCapability[], overrides: Partial<HandlerOptions> = {}) {
  const reported: Reported[] = []
  const handler = createHandler({
    runtime: defineRuntime({ capabilities }),
    runtimeId: RUNTIME_ID,
    secret: SECRET,
    clock: fakeClock(),
    onError: (error, call) => reported.push({ error, call }),
    ...overrides,
  })
  const call = async (capability: string, fields: Record<string, unknown> = {}, signal?: AbortSignal) =>
    read(await handler(await signedRequest({ body: callBody(capability, fields), ...(signal && { signal }) })))
  return { handler, call, reported }
}

/** The answer to a call that failed. */
export function failure(code: string, message: unknown) {
  return { status: 200, body: { output: null, error: { code, message } } }
}
