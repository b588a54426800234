import type { ExecutionApi } from '@svc/widget'

/** The chat’s requests on the owner plane, without an end user. Polls go through the broker, as an anonymous caller’s do. */
export function ownerApi(runtimeId: string): ExecutionApi {
  return {
    executePath: '/v1/executions',
    capabilityPath: (capability) => `/v1/capabilities/${runtimeId}/${capability}`,
    approvalPath: (approvalId) => `/v1/executions/approvals/${approvalId}`,
    headers: {},
    credentials: 'same-origin',
    body: { runtimeId },
  }
}
