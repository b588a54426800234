import type { Role } from '@svc/contract'
import type { FastifyInstance, FastifyTypeProvider } from 'fastify'
import { type ZodType, z } from 'zod'
import type { AppError } from '../errors.ts'

/** The tags of the OpenAPI document, in the order of the API reference. */
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

/** A group of routes, by the credential that they ask for. */
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
    /** Taken also while this replica drains: no other one holds the events of its streams. */
    isTakenWhileDraining?: boolean
    /** Each answer counts against the runtime's rate limit and carries its headers. */
    isRateLimited?: boolean
    /** `settings`: counted against a limit of its own, of the same size, so that page views never use up that of the chat. */
    rate?: 'settings'
    /** Its requests are not queued by account: the route itself limits how many an account runs at once. */
    skipsAccountQueue?: boolean
    /** The route may read many or large rows: one account runs one such request at a time. */
    readsMuch?: boolean
    /** A sign-in: its requests have a share of their own, beside that of other callers without a credential. */
    isSignIn?: boolean
    /** Fields of the body that are passed on: 400 where a number in them would be rounded to a double. */
    exactFields?: readonly string[]
    /** Makes error bodies, on routes of a protocol that has its own; else the error envelope. */
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
