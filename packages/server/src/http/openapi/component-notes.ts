import type { JsonSchema } from './types.ts'

/**
 * What the reference says of a component beyond its structure: what it is, and rules that a schema’s checks hold in code
 * and a converter cannot see.
 */
export const COMPONENT_NOTES: Readonly<Record<string, JsonSchema>> = {
  CapabilityName: {
    description: 'A letter, then up to 63 letters, digits or hyphens. Unique in a deployment, whatever the case.',
    pattern: '^[A-Za-z][A-Za-z0-9-]{0,63}$',
  },
  Namespace: {
    description: 'Two or more segments in the manner of reverse DNS, each of the form of a capability name.',
    pattern: '^[A-Za-z][A-Za-z0-9-]{0,63}(\\.[A-Za-z][A-Za-z0-9-]{0,63})+$',
  },
  RuntimeId: { description: 'Chosen by its owner, or minted at registration.' },
  SemVer: { description: 'A version after Semantic Versioning 2.0.' },
  Endpoint: {
    description:
      'The absolute address that receives every capability call: https, or http on localhost, 127.0.0.1 and [::1]. No user name, no fragment.',
    format: 'uri',
  },
  Origin: { description: 'A bare web origin: scheme, host and, where it is not the default, port.', format: 'uri' },
  WebUrl: { description: 'An absolute address, http or https.' },
  Timestamp: { description: 'ISO 8601 in UTC, with milliseconds.' },
  JsonObject: { description: 'Any JSON object.' },
  Tier: { description: 'The plan of the account. It follows from billing, never from a request.' },
  ConnectionStatus: {
    description: '`pending` before the first check-in; `online` for 5 minutes after one or after a call that worked.',
  },
  Health: {
    description:
      '`degraded` when a fifth or more of the last 20 calls failed on their way, in the last 15 minutes; `unreachable` while calls are held back because the endpoint does not answer.',
  },
  ErrorBody: { description: 'The one form of every refusal and fault.' },
  FieldErrors: {
    description:
      'Messages by dotted field path, `manifest.capabilities.0.name`; a fault of the whole body stands under `body`.',
  },
  Failure: { description: 'What went wrong, in words fit for whoever called.' },
  FinishReason: {
    description:
      '`stop`: the model was done. `length`: the step budget ran out. `error`. `cancelled`: the caller left.',
  },
  ExecutionKind: { description: 'Which doorway it came through: a chat, a page’s single call, or the broker.' },
  Transcript: {
    description: 'A conversation. Every `tool_call` is answered by a `tool_result` of the tool turn that follows it.',
  },
  PublicTranscript: {
    description:
      'A conversation from page source. Every `tool_call` is answered by a `tool_result` of the tool turn that follows it; no turn may speak as `system`.',
  },
  StreamEvent: {
    description: 'What one event’s `data` holds; its name is repeated under `type`. `done` comes last on every stream.',
  },
  ExecuteResponse: {
    description:
      '`messages` holds the turns that this execution added. A failed execution is a result: check `status`.',
  },
  Trace: {
    description:
      'Shapes, counts and capability payloads, never message text. A payload of more than 64 KiB is kept as `{truncated, bytes, preview}`.',
  },
  DiscoveryManifest: { description: 'A document of the Agent Discovery Specification 0.3.0.' },
  CreatedRuntime: { description: 'The one time that the signing secret is shown. The two keys can be revealed later.' },
  UpdatedRuntime: { description: 'What was registered before goes on: neither its keys nor its secret are shown.' },
}
