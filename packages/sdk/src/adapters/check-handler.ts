import type { CapabilityHandler } from '../calls/create-handler.ts'

/** Throws a `TypeError` at start, in the name of the adapter, for what is no handler: a runtime, or nothing. */
export function checkHandler(adapter: string, handler: CapabilityHandler): void {
  if (typeof handler === 'function') return
  throw new TypeError(`${adapter}: handler must be what createHandler() returned.`)
}
