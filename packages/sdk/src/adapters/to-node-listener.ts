import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CapabilityHandler } from '../calls/create-handler.ts'
import { checkHandler } from './check-handler.ts'
import { listenWith } from './node-exchange.ts'

/** A listener for `http.createServer`, and for every framework that takes one. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Serves a handler with Node’s own HTTP server. Mount it before any body parser: the signature covers the raw bytes.
 * The signal that a capability is given aborts when the client leaves before the answer. Bodies are read as far as the
 * handler asks for them; past its `maxBodyBytes` the answer is 413, and the connection is closed.
 * @example
 * http.createServer(toNodeListener(createHandler({ runtime, runtimeId, secret }))).listen(8788)
 */
export function toNodeListener(handler: CapabilityHandler): NodeListener {
  checkHandler('toNodeListener', handler)
  return listenWith({ handler })
}
