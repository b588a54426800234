import type { CapabilityHandler } from '../calls/create-handler.ts'
import { checkHandler } from './check-handler.ts'
import { listenWith } from './node-exchange.ts'
import type { NodeListener } from './to-node-listener.ts'

const RAW_BODY_ADVICE =
  "In Express that is before app.use(express.json()); or put express.raw({ type: '*/*', limit: '2mb' }) on the path, ahead of it."

/**
 * Serves a handler in Express, 4 or 5. Mount it before any body parser: the signature covers the raw bytes.
 * It answers every request that reaches it, failures included: neither `next` nor an error handler is called.
 * @example
 * app.use('/svc', toExpressHandler(createHandler({ runtime, runtimeId, secret })))
 * app.use(express.json())
 */
export function toExpressHandler(handler: CapabilityHandler): NodeListener {
  checkHandler('toExpressHandler', handler)
  return listenWith({ handler, rawBodyAdvice: RAW_BODY_ADVICE })
}
