import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CapabilityHandler } from '../calls/create-handler.ts'
import { checkHandler } from './check-handler.ts'
import { listenWith } from './node-exchange.ts'

export interface NodeListenerOptions {
  /** Bodies past this many bytes are answered 413 and the connection is closed. Default 2 MiB. */
  readonly maxBodyBytes?: number | undefined
}

/** A listener for `http.createServer`, and for every framework that takes one. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Serves a handler with Node’s own HTTP server. Mount it before any body parser: the signature covers the raw bytes.
 * The signal that a capability is given aborts when the client leaves before the answer.
 * @example
 * http.createServer(toNodeListener(createHandler({ runtime, runtimeId, secret }))).listen(8788)
 */
export function toNodeListener(handler: CapabilityHandler, options: NodeListenerOptions = {}): NodeListener {
  checkHandler('toNodeListener', handler)
  return listenWith({ ...options, handler })
}
