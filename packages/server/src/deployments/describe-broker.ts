import {
  BrokerRequest,
  type Capability,
  CapabilityFailure,
  CapabilityOutput,
  DEFAULT_EFFECT,
  type DiscoverySource,
  ErrorBody,
  isJsonObject,
  type JsonObject,
} from '@svc/contract'
import { moveReferences } from '@svc/contract/resolve-references'
import { z } from 'zod'

export interface BrokerSource extends DiscoverySource {
  version: number
}

/** The broker calls of one deployment, as OpenAPI describes them. */
export const BrokerDescription = z
  .looseObject({
    openapi: z.literal('3.1.1'),
    info: z.looseObject({ title: z.string(), version: z.string().describe('The number of the deployment, `7.0.0`.') }),
    servers: z.array(z.object({ url: z.string() })),
    paths: z.record(z.string(), z.looseObject({})),
  })
  .describe('An OpenAPI 3.1 document.')
export type BrokerDescription = z.infer<typeof BrokerDescription>

const SCHEMAS = '#/components/schemas/'

const CALL = describe(BrokerRequest, 'input')
const ANSWER = describe(CapabilityOutput, 'output')
// The names of a capability's schemas have a dot, so that none is equal to one of these.
const SHARED = { Failed: describe(CapabilityFailure, 'output'), Refusal: describe(ErrorBody, 'output') }
const PARTS = {
  RequestRefused: 'The request was refused: the message says why.',
  ServiceFailed: 'A fault of the service, or of the way to it.',
}
const OPEN = { type: 'object' }
const IDEMPOTENCY_KEY = {
  name: 'idempotency-key',
  in: 'header',
  description: 'A repeat within 24 hours, with the same key and body, gets the recorded answer and charges nothing.',
  schema: { type: 'string', minLength: 8, maxLength: 128 },
}

/** The broker calls of a deployment that an anonymous caller may make. What a person approves is not among them. */
export function describeBroker(source: BrokerSource): BrokerDescription {
  const { manifest, version, runtimeId, runtimeName, baseUrl } = source
  const { website } = manifest
  const capabilities = manifest.capabilities.filter(({ confirm }) => !confirm)
  const refusal = { content: json({ $ref: `${SCHEMAS}Refusal` }) }
  return {
    openapi: '3.1.1',
    info: {
      title: website?.name ?? runtimeName,
      version: `${version}.0.0`,
      ...(website?.description !== undefined && { description: website.description }),
    },
    servers: [{ url: baseUrl.replace(/\/+$/, '') }],
    security: [],
    paths: Object.fromEntries(
      capabilities.map((capability) => [
        `/v1/capabilities/${runtimeId}/${capability.name}`,
        { post: describeCall(capability) },
      ]),
    ),
    components: {
      parameters: { IdempotencyKey: IDEMPOTENCY_KEY },
      schemas: Object.assign({ ...SHARED }, ...capabilities.map((capability) => schemasOf(capability, source))),
      responses: Object.fromEntries(
        Object.entries(PARTS).map(([name, description]) => [name, { description, ...refusal }]),
      ),
    },
  }
}

function describeCall(capability: Capability) {
  const { name, description, deprecated, effect = DEFAULT_EFFECT } = capability
  return {
    operationId: name,
    summary: `Call ${name}`,
    ...(description !== '' && { description }),
    ...(deprecated && { deprecated }),
    'x-effect': effect,
    parameters: [{ $ref: '#/components/parameters/IdempotencyKey' }],
    requestBody: { required: requiredFields(capability).length > 0, content: json({ $ref: `${SCHEMAS}${name}.call` }) },
    responses: {
      200: { description: 'The capability answered.', content: json({ $ref: `${SCHEMAS}${name}.done` }) },
      '4XX': { $ref: '#/components/responses/RequestRefused' },
      500: { $ref: '#/components/responses/ServiceFailed' },
      502: { description: 'The capability failed.', content: json({ $ref: `${SCHEMAS}Failed` }) },
    },
  }
}

function json(schema: JsonObject) {
  return { 'application/json': { schema } }
}

function schemasOf(capability: Capability, source: BrokerSource): Record<string, JsonObject> {
  const { name, actions } = capability
  const { inputSchema, outputSchema } = actions[0] ?? {}
  const placed = (kind: 'input' | 'output', schema: JsonObject | undefined) =>
    schema && { [`${name}.${kind}`]: placeSchema(schema, `${name}.${kind}`, source) }
  const refer = (kind: 'input' | 'output', schema: JsonObject | undefined) =>
    schema && { $ref: `${SCHEMAS}${name}.${kind}` }
  const required = requiredFields(capability)
  return {
    [`${name}.call`]: {
      ...withProperties(CALL, { input: refer('input', inputSchema) ?? OPEN }),
      ...(required.length > 0 && { required }),
    },
    [`${name}.done`]: withProperties(ANSWER, { output: refer('output', outputSchema) ?? {} }),
    ...placed('input', inputSchema),
    ...placed('output', outputSchema),
  }
}

// A body without an `input` means an empty one.
function requiredFields({ actions, requiresEndUser }: Capability): string[] {
  const required = actions[0]?.inputSchema?.['required']
  const needsInput = Array.isArray(required) && required.length > 0
  return [...(needsInput ? ['input'] : []), ...(requiresEndUser ? ['endUserToken'] : [])]
}

function placeSchema(schema: JsonObject, place: string, { baseUrl, runtimeId, version }: BrokerSource): JsonObject {
  const address = `${baseUrl.replace(/\/+$/, '')}/v1/runtime/${runtimeId}/schemas/${version}/${place}`
  return moveReferences(schema, `${SCHEMAS}${place}`) ?? { $id: address, ...schema }
}

function withProperties(schema: JsonObject, changed: JsonObject): JsonObject {
  const { properties } = schema
  return { ...schema, properties: { ...(isJsonObject(properties) && properties), ...changed } }
}

function describe(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema: _dialect, ...described } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: open })
  return described
}

// Answers may gain fields: a closed schema would break generated clients when they do.
function open({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
}
