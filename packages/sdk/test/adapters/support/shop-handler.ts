import {
  CapabilityError,
  type CapabilityHandler,
  createHandler,
  defineCapability,
  defineRuntime,
  type HandlerOptions,
} from '@svc/sdk'
import { fakeClock, RUNTIME_ID, SECRET } from '../../support/signed-calls.ts'

const version = '1.0.0'

/** Serves `echo`, `wait` (which ends as `onCall` does), `breaks` and `refuses`, at the time of the signed calls. */
export function shopHandler(
  onCall?: (signal: AbortSignal) => unknown,
  options: Partial<HandlerOptions> = {},
): CapabilityHandler {
  const capabilities = [
    defineCapability({ name: 'echo', version, handler: (input) => input }),
    defineCapability({ name: 'wait', version, handler: (_input, { signal }) => onCall?.(signal) }),
    defineCapability({ name: 'breaks', version, handler: () => Promise.reject(new Error('Out of paper.')) }),
    defineCapability({
      name: 'refuses',
      version,
      handler: () => {
        throw new CapabilityError('There are only 3 left.')
      },
    }),
  ]
  return createHandler({
    runtime: defineRuntime({ capabilities }),
    runtimeId: RUNTIME_ID,
    secret: SECRET,
    clock: fakeClock(),
    ...options,
  })
}

/** What a `wait` call does until its caller leaves: `entered` is its signal once it runs. */
export function waitForDeparture(): { entered: Promise<AbortSignal>; onCall: (signal: AbortSignal) => unknown } {
  let enter = (_signal: AbortSignal) => {}
  const entered = new Promise<AbortSignal>((resolve) => {
    enter = resolve
  })
  const onCall = (signal: AbortSignal) => {
    enter(signal)
    return new Promise((_, reject) => {
      const leave = () => reject(new CapabilityError('left'))
      if (signal.aborted) leave()
      else signal.addEventListener('abort', leave)
    })
  }
  return { entered, onCall }
}
