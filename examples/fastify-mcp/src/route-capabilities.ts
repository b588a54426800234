import { type AnyCapability, CapabilityError, defineCapability } from '@svc/sdk'
import type { FastifyInstance, RouteOptions } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Makes the route a capability of this name. */
    capability?: { name: string; description: string }
  }
}

interface ObjectSchema {
  properties: Record<string, object>
  required?: string[]
}

/** Every route added from now on that has `config.capability`, as a capability that calls the route. */
export function collectCapabilities(app: FastifyInstance): AnyCapability[] {
  const capabilities: AnyCapability[] = []
  app.addHook('onRoute', (route) => {
    // Fastify adds a HEAD route to each GET.
    if (route.config?.capability && route.method !== 'HEAD') capabilities.push(capabilityOf(app, route))
  })
  return capabilities
}

function capabilityOf(app: FastifyInstance, { method, url, config, schema = {} }: RouteOptions): AnyCapability {
  const [params, query, body] = [schema.params, schema.querystring, schema.body].map(toObjectSchema)
  const parts = [params, query, body].filter((part) => part !== undefined)
  const output = (schema.response as { 200?: Record<string, unknown> } | undefined)?.[200]
  const given = (part: ObjectSchema | undefined, input: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(input).filter(([name]) => part && Object.hasOwn(part.properties, name)))

  return defineCapability({
    name: config?.capability?.name ?? '',
    description: config?.capability?.description,
    version: '1.0.0',
    effect: method === 'GET' ? 'read' : 'write',
    input: {
      type: 'object',
      properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
      required: parts.flatMap(({ required = [] }) => required),
      additionalProperties: false,
    },
    ...(output && { output }),
    // Through the application itself: its validation, its hooks and its error handler hold for assistants, too.
    async handler(input: Record<string, unknown>, { callId }) {
      const path = url.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(input[name])))
      const answer = await app.inject({
        method: method === 'GET' ? 'GET' : 'POST',
        url: path,
        query: given(query, input) as Record<string, string>,
        headers: { 'idempotency-key': callId },
        ...(body && { payload: given(body, input) }),
      })
      if (answer.statusCode >= 500) throw new Error(`${path} answered ${answer.statusCode}`)
      if (answer.statusCode >= 400) throw new CapabilityError(answer.json().message)
      return answer.json()
    },
  })
}

function toObjectSchema(schema: unknown): ObjectSchema | undefined {
  return schema as ObjectSchema | undefined
}
