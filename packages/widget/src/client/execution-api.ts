import type { JsonObject } from '@svc/contract'

/** A way in to one runtime: where its requests go, and in whose name. */
export interface ExecutionApi {
  /** Where a conversation is sent, such as `/v1/runtime/execute`. */
  executePath: string
  /** Where a capability is called without a model. */
  capabilityPath(capability: string): string
  /** Where a streamed execution is resumed and cancelled. Without it a lost connection ends the execution. */
  runPath?: ((executionId: string) => string) | undefined
  /** Where what the owner deployed for chats is read. */
  settingsPath?: string | undefined
  /** Whether answers can be rated under `runPath`. */
  takesFeedback?: boolean | undefined
  /** Where an approval is decided and read. Without it no call is approved by this way in. */
  approvalPath?: ((approvalId: string) => string) | undefined
  /** Sent with each request, such as `{authorization: 'Bearer …'}`. */
  headers: Readonly<Record<string, string>>
  /** `same-origin` where a cookie is the credential. */
  credentials: 'omit' | 'same-origin'
  /** Put into the body of each execution and call, such as `{runtimeId}` where the credential names no runtime. */
  body: JsonObject
}

/** The way in of pages. The runtime is the key’s. */
export function publicKeyApi(publicKey: string): ExecutionApi {
  return {
    executePath: '/v1/runtime/execute',
    capabilityPath: () => '/v1/runtime/capability',
    runPath: (executionId) => `/v1/runtime/executions/${encodeURIComponent(executionId)}`,
    takesFeedback: true,
    settingsPath: '/v1/runtime/widget',
    approvalPath: (approvalId) => `/v1/runtime/approvals/${encodeURIComponent(approvalId)}`,
    headers: { authorization: `Bearer ${publicKey}` },
    credentials: 'omit',
    body: {},
  }
}
