import { basename, dirname } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { notFound } from '../errors.ts'
import { docsRoutes } from './docs-routes.ts'
import type { WebFiles } from './web-files.ts'

/** Everything comes from this origin and nothing is inline, so that injected content cannot run. */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  vary: 'accept-encoding',
}

const SCRIPT_HEADERS = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
  vary: 'accept-encoding',
}

const HIDDEN = { schema: { hide: true } }
const MAX_LISTENERS = 30

/** Public plane: the API reference, the dashboard, which routes its own pages below /dashboard, and the widget's script. */
export function webRoutes(plane: FastifyInstance, { web: { dashboard, widget } }: { web: WebFiles }): void {
  plane.register(fastifyStatic, { root: dashboard ?? import.meta.dirname, serve: false, preCompressed: true })

  // Streaming a file takes so many listeners, beside those of every request, that Node would warn of a leak.
  plane.addHook('onRequest', (_request, reply, done) => {
    reply.raw.setMaxListeners(MAX_LISTENERS)
    done()
  })

  docsRoutes(plane)

  plane.get('/dashboard', HIDDEN, async (_request, reply) => sendPage(reply, dashboard))

  plane.get<{ Params: { '*': string } }>('/dashboard/*', HIDDEN, async (request, reply) => {
    const path = request.params['*']
    if (dashboard === null || !isFile(path)) return sendPage(reply, dashboard)
    // Names under assets/ carry a hash of the file.
    const cache = path.startsWith('assets/') ? { maxAge: '1y', immutable: true } : { maxAge: '5m' }
    return reply.headers(PAGE_HEADERS).sendFile(path, dashboard, cache)
  })

  plane.get('/widget.js', HIDDEN, async (_request, reply) => {
    reply.headers(SCRIPT_HEADERS)
    if (widget === null) return notBuilt(reply, 'The chat widget')
    return reply.sendFile(basename(widget), dirname(widget), { maxAge: '5m' })
  })
}

/** Pages have no dot in the last part of their address, files do. */
function isFile(path: string): boolean {
  if (path.split('/').some((part) => part.startsWith('.'))) throw notFound('The route')
  return basename(path).includes('.')
}

function sendPage(reply: FastifyReply, dashboard: string | null): FastifyReply {
  if (dashboard === null) return notBuilt(reply, 'The dashboard')
  reply.headers({ ...PAGE_HEADERS, 'cache-control': 'no-cache' })
  return reply.sendFile('index.html', dashboard, { cacheControl: false })
}

function notBuilt(reply: FastifyReply, what: string): FastifyReply {
  return reply
    .code(404)
    .headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    .type('text/plain; charset=utf-8')
    .send(`${what} is not built. Run “npm run build” in the folder of the service and start it again.\n`)
}
