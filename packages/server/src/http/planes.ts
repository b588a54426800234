import { abbreviateKey } from '@svc/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { authenticateOwner, type Owner } from '../accounts/accounts.ts'
import type { KeyCaller } from '../accounts/caller.ts'
import { includesRole, leastRole } from '../accounts/role-rules.ts'
import { looksLikeSession } from '../accounts/session-token.ts'
import { authenticateSession } from '../accounts/sessions.ts'
import { roleNeeded, sessionRequired, unauthorized } from '../errors.ts'
import { createCoalescer } from '../lib/coalesce.ts'
import { authenticateDeployKey, type RuntimeIdentity } from '../runtimes/runtimes.ts'
import { lookUpByPublicKey, revalidating } from '../runtimes/serving-cache.ts'
import { queueHandlers } from './account-queues.ts'
import { checkOrigin, echoOrigin, guardOrigin } from './cors.ts'
import { requireOwnOrigin } from './csrf.ts'
import type { HttpDeps } from './deps.ts'
import { toAppError } from './error-handler.ts'
import { takeRate, takeVisitorRate } from './rate-limit.ts'
import { type RequestCaller, type RequestSession, setCachedRuntime, setRuntime, stateOf } from './request-state.ts'
import { cookieName, readSessionCookie, setSessionCookie } from './session-cookie.ts'
import type { Plane } from './typed.ts'

/** A group of routes behind one kind of credential. */
export type Routes = (plane: FastifyInstance) => void

/** The credentials that open each plane, as OpenAPI security requirements. */
export const SECURITY: Readonly<Record<Plane, readonly Record<string, readonly string[]>[]>> = {
  public: [],
  'public-key': [{ publicKey: [] }],
  deploy: [{ deployKey: [] }],
  owner: [{ accountKey: [] }, { session: [] }, { sessionCookie: [] }],
}

/** The OpenAPI security schemes that {@link SECURITY} names. */
export function securitySchemes(baseUrl: string) {
  const bearer = (bearerFormat: string, description: string) =>
    ({ type: 'http', scheme: 'bearer', bearerFormat, description }) as const
  const cookie =
    'A browser’s session. A request that changes something must come from a page of the service’s own origin.'
  return {
    publicKey: bearer('svc_pk_…', 'A runtime’s public key. It may stand in page source; the runtime is the key’s.'),
    deployKey: bearer('svc_sk_…', 'A runtime’s deploy key. It stays on your machine and in your CI.'),
    accountKey: bearer('svc_ak_…', 'An API key of the account.'),
    session: bearer('session token', 'The token of a session, as signing in answers it.'),
    sessionCookie: { type: 'apiKey', in: 'cookie', name: cookieName(baseUrl), description: cookie },
  }
}

/** No credential. */
export function publicPlane(app: FastifyInstance, routes: Routes): void {
  openPlane(app, 'public', routes)
}

/** `svc_pk_`, from pages whose origin the runtime allows. The runtime comes from the key alone. */
export function publicKeyPlane(app: FastifyInstance, deps: HttpDeps, routes: Routes): void {
  openPlane(app, 'public-key', (plane) => {
    plane.addHook('onRequest', async (request, reply) => {
      if (request.method === 'OPTIONS') return
      echoOrigin(request, reply)
      const found = guardOrigin(await lookUpByPublicKey(deps, bearer(request)), request, reply)
      await revalidating(found, (runtime) => checkOrigin(runtime, request, reply))
      setCachedRuntime(request, found)
      const { rate = 'page' } = request.routeOptions.config
      await takeRate(deps, { cached: found, routes: rate }, request, reply)
    })
    plane.addHook('preValidation', (request, _reply, done) => {
      takeVisitorRate(deps, request)
      done()
    })
    // The body is validated before admission confirms the key. A caller whose key has ended meanwhile gets the 401 alone.
    plane.setErrorHandler(async (error, request) => {
      // Of a body that could not be read no end user is known: the visitor is the network.
      takeVisitorRate(deps, request)
      const { cachedRuntime: cached } = stateOf(request)
      if (cached && !cached.isFresh && toAppError(error, deps).code === 'validation_error') await cached.refresh()
      throw error
    })
    routes(plane)
  })
}

/** `svc_sk_`. */
export function deployPlane(app: FastifyInstance, deps: HttpDeps, routes: Routes): void {
  // The account queue needs the account: until it is requireIdentity, the requests of one key share one database connection.
  const reads = createCoalescer<RuntimeIdentity>()
  openPlane(app, 'deploy', (plane) => {
    queueHandlers(plane, deps.accountQueues)
    plane.addHook('onRequest', async (request) => {
      const key = bearer(request)
      setRuntime(request, await reads.read(key, () => authenticateDeployKey(deps, key)))
    })
    routes(plane)
  })
}

/**
 * An account's API key or a session, with the role that the route asks for. With a session cookie, requests that change
 * something must come from a page of the service's own origin.
 */
export function ownerPlane(app: FastifyInstance, deps: HttpDeps, routes: Routes): void {
  const reads = createCoalescer<KeyCaller>()
  const callerOfKey = (key: string) => reads.read(key, () => authenticateOwner(deps, key))
  openPlane(app, 'owner', (plane) => {
    queueHandlers(plane, deps.accountQueues)
    plane.addHook('onRoute', ({ schema, config = {} }) => {
      config.leastRole = leastRole(schema?.operationId ?? '')
    })
    plane.addHook('onRequest', async (request, reply) => {
      const session = await readSession(deps, request)
      const caller = session ?? (await callerOfKey(bearer(request)))
      if (session?.isFromCookie) guardCookieSession(deps, session, request, reply)
      Object.assign(stateOf(request), { caller, accountId: caller.owner.ownerId })
      const { leastRole: least } = stateOf(request).config
      // Undefined: `accounts/role-rules.ts` has no row for the route.
      if (least === undefined || !includesRole(caller.role, least)) throw roleNeeded(least ?? null, caller.role)
    })
    routes(plane)
  })
}

/** The session token of a request: its bearer credential, or its cookie where there is no `Authorization` header. */
export function presentedSession(deps: Pick<HttpDeps, 'baseUrl'>, request: FastifyRequest): string | undefined {
  if (request.headers.authorization === undefined) return readSessionCookie(request, deps.baseUrl())
  const presented = bearerOf(request)
  return presented !== null && looksLikeSession(presented) ? presented : undefined
}

async function readSession(deps: HttpDeps, request: FastifyRequest): Promise<RequestSession | undefined> {
  const presented = presentedSession(deps, request)
  if (presented === undefined) return undefined
  return { ...(await authenticateSession(deps, presented)), isFromCookie: request.headers.authorization === undefined }
}

function guardCookieSession(
  deps: HttpDeps,
  session: RequestSession,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const baseUrl = deps.baseUrl()
  requireOwnOrigin(request, baseUrl)
  if (!session.isRenewed) return
  const cookie = { value: readSessionCookie(request, baseUrl) ?? '', expiresAt: session.validUntil }
  setSessionCookie(reply, baseUrl, cookie, deps.clock.now())
}

/** The account of a request on the owner plane. */
export function ownerOf(request: FastifyRequest): Owner {
  return callerOf(request).owner
}

/** Who asks on the owner plane. */
export function callerOf(request: FastifyRequest): RequestCaller {
  return requireIdentity(stateOf(request).caller)
}

/** The session of a request on the owner plane; null for an API key. */
export function sessionOfRequest(request: FastifyRequest): RequestSession | null {
  const caller = callerOf(request)
  return caller.keyId === null ? caller : null
}

/** The same where an API key is not enough for `what`. Throws 403. */
export function signedIn(request: FastifyRequest, what?: string): RequestSession {
  const session = sessionOfRequest(request)
  if (!session) throw sessionRequired(what)
  return session
}

/** The runtime of a request on the deploy plane. */
export function runtimeOf(request: FastifyRequest): RuntimeIdentity {
  return requireIdentity(stateOf(request).runtime)
}

/** The key of a request on the deploy plane, abbreviated. */
export function deployKeyOf(request: FastifyRequest): string {
  return abbreviateKey(bearer(request))
}

function openPlane(app: FastifyInstance, name: Plane, routes: Routes): void {
  const define = async (plane: FastifyInstance) => {
    plane.addHook('onRoute', (route) => {
      route.config = { ...route.config, plane: name }
    })
    routes(plane)
  }
  // For a function without a name Fastify goes through every loaded module.
  app.register(Object.assign(define, { [Symbol.for('fastify.display-name')]: name }))
}

function bearer(request: FastifyRequest): string {
  const credential = bearerOf(request)
  if (credential === null) throw unauthorized()
  return credential
}

function bearerOf(request: FastifyRequest): string | null {
  const [scheme, credential, ...rest] = (request.headers.authorization ?? '').split(' ')
  return scheme?.toLowerCase() === 'bearer' && credential && rest.length === 0 ? credential : null
}

// A route outside its plane is a programming error: it must not treat its caller as anonymous.
function requireIdentity<T>(identity: T | null): T {
  if (identity === null) throw new Error('this route is not on the plane that it was written for')
  return identity
}
