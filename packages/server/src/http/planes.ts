import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { authenticateOwner, type Owner } from '../accounts/accounts.ts'
import type { Deps } from '../deps.ts'
import { unauthorized } from '../errors.ts'
import { authenticateDeployKey, type RuntimeIdentity } from '../runtimes/runtimes.ts'
import { confirming, type Located, locateByPublicKey } from '../runtimes/serving.ts'
import { checkOrigin, echoOrigin } from './gate.ts'

export type Plane = 'public' | 'public-key' | 'deploy' | 'owner'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The plane that a route is on. */
    plane?: Plane
  }
}

/** A group of routes behind one kind of credential. */
export type Routes = (plane: FastifyInstance) => void

const owners = new WeakMap<FastifyRequest, Owner>()
const runtimes = new WeakMap<FastifyRequest, RuntimeIdentity>()
const located = new WeakMap<FastifyRequest, Located>()

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
      located.set(request, found)
    })
    routes(plane)
  })
}

/** `svc_sk_`. */
export function deployPlane(app: FastifyInstance, deps: Deps, routes: Routes): void {
  openPlane(app, 'deploy', (plane) => {
    plane.addHook('onRequest', async (request) => {
      runtimes.set(request, await authenticateDeployKey(deps, bearer(request)))
    })
    routes(plane)
  })
}

/** An account's API key. */
export function ownerPlane(app: FastifyInstance, deps: Deps, routes: Routes): void {
  openPlane(app, 'owner', (plane) => {
    plane.addHook('onRequest', async (request) => {
      owners.set(request, await authenticateOwner(deps, bearer(request)))
    })
    routes(plane)
  })
}

/** The account that a request on the owner plane comes from. */
export function ownerOf(request: FastifyRequest): Owner {
  return known(owners.get(request))
}

/** The runtime whose deploy key a request carries. */
export function runtimeOf(request: FastifyRequest): RuntimeIdentity {
  return known(runtimes.get(request))
}

/** The runtime whose public key a request carries. */
export function locatedOf(request: FastifyRequest): Located {
  return known(located.get(request))
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
    plane.addHook('onSend', async (_request, reply) => {
      if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
    })
    routes(plane)
  })
}

function bearer(request: FastifyRequest): string {
  const [scheme, credential, ...rest] = (request.headers.authorization ?? '').split(' ')
  if (scheme?.toLowerCase() !== 'bearer' || !credential || rest.length > 0) throw unauthorized()
  return credential
}

// A route outside its plane is a mistake of ours, and must not pass for an anonymous caller.
function known<T>(identity: T | undefined): T {
  if (identity === undefined) throw new Error('this route is not on the plane that it was written for')
  return identity
}
