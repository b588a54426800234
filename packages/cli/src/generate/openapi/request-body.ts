import type { Capability, JsonObject } from '@svc/contract'
import { examplesOf, fits } from './schema-examples.ts'
import type { MediaType, Operation, Schema } from './types.ts'

const FOR_END_USERS =
  'Proves to the service’s owner who the end user is, in the owner’s own form. It is passed on as it is, and kept nowhere.'
const OPEN =
  'Tells the service’s owner who the end user is, where there is one. It is passed on as it is, and kept nowhere.'
const METADATA = 'Anything that should stand in the trace of the call. Keep secrets out of it.'

/** The body of a broker call of a capability. `input` is the schema of its input, as the document has it. */
export function requestBodyOf({ actions, requiresEndUser }: Capability, input: Schema): Operation['requestBody'] {
  const inputSchema = actions[0]?.inputSchema
  const required = [...(needsInput(inputSchema) ? ['input'] : []), ...(requiresEndUser ? ['endUserToken'] : [])]
  const schema = {
    type: 'object',
    properties: {
      input,
      metadata: { type: 'object', description: METADATA },
      endUserToken: requiresEndUser
        ? { type: 'string', minLength: 1, description: FOR_END_USERS }
        : { type: 'string', description: OPEN },
    },
    ...(required.length > 0 && { required }),
  }
  const token = requiresEndUser ? { endUserToken: 'what-the-owner-gave-the-end-user' } : {}
  const bodies = inputSchema ? examplesOf(inputSchema).map((value) => ({ input: value, ...token })) : []
  return { required: required.length > 0, content: { 'application/json': { schema, ...named(bodies) } } }
}

/** Examples under names, as a media type has them; nothing where there are none. */
export function named(values: readonly unknown[]): Pick<MediaType, 'examples'> {
  if (values.length === 0) return {}
  const entries = values.map((value, index) => [index === 0 ? 'example' : `example${index + 1}`, { value }])
  return { examples: Object.fromEntries(entries) }
}

// Input that is left out is judged as an empty object.
function needsInput(schema: JsonObject | undefined): boolean {
  return schema !== undefined && !fits(schema, {})
}
