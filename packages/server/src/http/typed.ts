import type { Role } from '@svc/contract'
import type { FastifyInstance, FastifyTypeProvider } from 'fastify'
import { type ZodType, z } from 'zod'
import type { AppError } from '../errors.ts'

/** The chapters of the API reference, in their order. */
export const TAGS = [
  { name: 'Service', description: 'Who answers here, and how to talk to it.' },
  { name: 'Discovery', description: 'What runtimes publish, for anybody.' },
  { name: 'Broker', description: 'Anonymous calls of single capabilities.' },
  { name: 'MCP', description: 'Runtimes as servers of the Model Context Protocol.' },
  { name: 'Chat', description: 'What a web page does with a runtime’s public key.' },
  { name: 'Deployments', description: 'Publishing capabilities and checking in, with a runtime’s deploy key.' },
  { name: 'Runtimes', description: 'Registering runtimes and looking at them.' },
  { name: 'Keys', description: 'The keys and the signing secret of runtimes, and the account’s own keys.' },
  { name: 'Executions', description: 'Running the agent in one’s own name, and what became of all executions.' },
  { name: 'Traces', description: 'What is kept of each execution.' },
  { name: 'Projects', description: 'Groups of runtimes.' },
  { name: 'Analytics', description: 'Figures over time.' },
  { name: 'Webhooks', description: 'Where events of the account are sent.' },
  { name: 'Billing', description: 'Plans, usage and payment.' },
  { name: 'Account', description: 'Signing up, in and out.' },
  { name: 'Members', description: 'Who works in the account, in which role.' },
] as const

/** Which credential a route asks for. */
export type Plane = 'public' | 'public-key' | 'deploy' | 'owner'

declare module 'fastify' {
  /** How a route describes itself to `/openapi.json`, besides its zod schemas. */
  interface FastifySchema {
    /** A few words without a full stop. */
    summary?: string
    description?: string
    tags?: readonly (typeof TAGS)[number]['name'][]
    /** A camelCase name, unique in the API. Generated clients name their methods after it. */
    operationId?: string
    /** The events that replace the 200 body for a caller who accepts `text/event-stream`. */
    events?: ZodType
    /** Keeps the route out of the description. */
    hide?: boolean
  }

  interface FastifyContextConfig {
    plane?: Plane
    /** On the owner plane: what the table of roles says of it. Undefined: nobody may use it. */
    leastRole?: Role | undefined
    /**
     * The class of the route under load. `execution` is refused while the event loop is late or the account is at its
     * in-flight limit, `health` never. Any other route is refused only where its body or answer has no room.
     */
    load?: 'execution' | 'health'
    /** Taken by a replica that drains, too: no other one can answer. */
    isForHeldRun?: boolean
    /** Each answer counts against the runtime's rate limit and carries its headers. */
    isRateLimited?: boolean
    /** `settings`: a rate of its own, the same figure again, so that views of a page never spend what its chat needs. */
    rate?: 'settings'
    /** The route limits how many of its requests one account runs at once, so the account queue leaves it out. */
    hasOwnBound?: boolean
    /** The route may read many or large rows: one account runs one such request at a time. */
    readsMuch?: boolean
    /** A sign-in: its requests count apart from those of other callers without a credential. */
    isSignIn?: boolean
    /** Fields of the body whose numbers are passed on: a number that a double would round is refused. */
    exactFields?: readonly string[]
    /** The body of a refusal, on routes of a protocol that has its own; else the one envelope. */
    errorBody?: (fault: AppError, status: number, request: FastifyRequest) => object
    /** The largest body in bytes, where the route takes less than the service does. */
    maxBodyBytes?: number
  }
}

interface ZodTypes extends FastifyTypeProvider {
  validator: this['schema'] extends ZodType ? z.output<this['schema']> : unknown
  serializer: this['schema'] extends ZodType ? z.output<this['schema']> : unknown
}

export function isZod(schema: unknown): schema is ZodType {
  return schema instanceof z.ZodType
}

/** The same plane, with request types inferred from each route's zod schemas. */
export function typed(plane: FastifyInstance) {
  return plane.withTypeProvider<ZodTypes>()
}
