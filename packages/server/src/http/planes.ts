import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { authenticateOwner, type Owner } from '../accounts/accounts.ts'
import { looksLikeSession } from '../accounts/session-token.ts'
import { authenticateSession, type LiveSession } from '../accounts/sessions.ts'
import type { Deps } from '../deps.ts'
import { unauthorized } from '../errors.ts'
import { createCoalescer } from '../lib/coalesce.ts'
import { authenticateDeployKey, type RuntimeIdentity } from '../runtimes/runtimes.ts'
import { confirming, type Located, locateByPublicKey } from '../runtimes/serving.ts'
import { takeTurns } from './account-turns.ts'
import { atOnce } from './at-once.ts'
import { toAppError } from './error-handler.ts'
import { checkOrigin, echoOrigin } from './gate.ts'
import { judgeVisitor, takeRate } from './limit-rate.ts'
import { requireOwnOrigin } from './own-origin.ts'
import { noteAccount, noteLocated, noteRuntime, notesOf } from './request-notes.ts'
import { readSessionCookie, setSessionCookie } from './session-cookie.ts'

export type Plane = 'public' | 'public-key' | 'deploy' | 'owner'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The plane that a route is on. */
    plane?: Plane
  }
}

/** A group of routes behind one kind of credential. */
export type Routes = (plane: FastifyInstance) => void

/** The session that a request on the owner plane came with, and whether its browser sent it along unasked. */
export interface RequestSession extends LiveSession {
  isFromCookie: boolean
}

const owners = new WeakMap<FastifyRequest, Owner>()
const sessions = new WeakMap<FastifyRequest, RequestSession>()
const runtimes = new WeakMap<FastifyRequest, RuntimeIdentity>()

/** No credential. */
export function publicPlane(app: FastifyInstance, routes: Routes): void {
  openPlane(app, 'public', routes)
}

/** `svc_pk_`, from pages whose origin the runtime allows. The runtime comes from the key alone. */
export function publicKeyPlane(app: FastifyInstance, deps: Deps, routes: Routes): void {
  openPlane(app, 'public-key', (plane) => {
    plane.addHook('onRequest', async (request, reply) => {
      if (request.method === 'OPTIONS') return
      echoOrigin(request, reply)
      const found = guardOrigin(await locateByPublicKey(deps, bearer(request)), request, reply)
      await confirming(found, (runtime) => checkOrigin(runtime, request, reply))
      noteLocated(request, found)
      await takeRate(deps, { located: found, routes: 'page' }, request, reply)
    })
    plane.addHook('preValidation', (request, _reply, done) => atOnce(() => judgeVisitor(deps, request), done))
    // A body is judged before admission confirms the key: whose key has ended meanwhile learns that and nothing else.
    plane.setErrorHandler(async (error, request) => {
      // A body that could not be read names no end user: its network is the visitor.
      judgeVisitor(deps, request)
      const { located: found } = notesOf(request)
      if (found && !found.isFresh && toAppError(error, deps).code === 'validation_error') await found.refresh()
      throw error
    })
    routes(plane)
  })
}

/** `svc_sk_`. */
export function deployPlane(app: FastifyInstance, deps: Deps, routes: Routes): void {
  // Turns begin once the account is known: until then the requests of one key take one connection to the database.
  const reads = createCoalescer<RuntimeIdentity>()
  openPlane(app, 'deploy', (plane) => {
    takeTurns(plane, deps.accountTurns)
    plane.addHook('onRequest', async (request) => {
      const key = bearer(request)
      const runtime = await reads.read(key, () => authenticateDeployKey(deps, key))
      runtimes.set(request, runtime)
      noteRuntime(request, runtime)
    })
    routes(plane)
  })
}

/** An account's API key or a session. A session that comes as a cookie changes things for pages of our own alone. */
export function ownerPlane(app: FastifyInstance, deps: Deps, routes: Routes): void {
  const reads = createCoalescer<Owner>()
  const ownerOf = (key: string) => reads.read(key, () => authenticateOwner(deps, key))
  openPlane(app, 'owner', (plane) => {
    takeTurns(plane, deps.accountTurns)
    plane.addHook('onRequest', async (request, reply) => {
      const session = await sessionBehind(deps, request)
      const owner = session?.owner ?? (await ownerOf(bearer(request)))
      if (session?.isFromCookie) admitCookie(deps, session, request, reply)
      if (session) sessions.set(request, session)
      owners.set(request, owner)
      noteAccount(request, owner.ownerId)
    })
    routes(plane)
  })
}

/**
 * What a request presents as a session: the bearer credential, or, where there is no `Authorization` at all, the cookie.
 * Undefined where it presents none.
 */
export function presentedSession(deps: Pick<Deps, 'baseUrl'>, request: FastifyRequest): string | undefined {
  if (request.headers.authorization === undefined) return readSessionCookie(request, deps.baseUrl())
  const presented = bearerOf(request)
  return presented !== null && looksLikeSession(presented) ? presented : undefined
}

async function sessionBehind(deps: Deps, request: FastifyRequest): Promise<RequestSession | null> {
  const presented = presentedSession(deps, request)
  if (presented === undefined) return null
  const isFromCookie = request.headers.authorization === undefined
  return { ...(await authenticateSession(deps, presented)), isFromCookie }
}

function admitCookie(deps: Deps, session: RequestSession, request: FastifyRequest, reply: FastifyReply): void {
  requireOwnOrigin(request, deps.baseUrl())
  if (!session.isRenewed) return
  const cookie = { value: readSessionCookie(request, deps.baseUrl()) ?? '', expiresAt: session.validUntil }
  setSessionCookie(reply, deps.baseUrl(), cookie, deps.clock.now())
}

/** The account that a request on the owner plane comes from. */
export function ownerOf(request: FastifyRequest): Owner {
  return known(owners.get(request))
}

/** The session that a request on the owner plane came with; undefined where it came with an API key. */
export function sessionOfRequest(request: FastifyRequest): RequestSession | undefined {
  return sessions.get(request)
}

/** The runtime whose deploy key a request carries. */
export function runtimeOf(request: FastifyRequest): RuntimeIdentity {
  return known(runtimes.get(request))
}

// A runtime that is read again may have another list of origins by then.
function guardOrigin(found: Located, request: FastifyRequest, reply: FastifyReply): Located {
  return {
    get runtime() {
      return found.runtime
    },
    get isFresh() {
      return found.isFresh
    },
    async refresh() {
      await found.refresh()
      checkOrigin(found.runtime, request, reply)
    },
  }
}

function openPlane(app: FastifyInstance, name: Plane, routes: Routes): void {
  app.register(async (plane) => {
    plane.addHook('onRoute', (route) => {
      route.config = { ...route.config, plane: name }
    })
    routes(plane)
  })
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

// A route outside its plane is a mistake of ours, and must not pass for an anonymous caller.
function known<T>(identity: T | undefined): T {
  if (identity === undefined) throw new Error('this route is not on the plane that it was written for')
  return identity
}
