import type { ExecutionDoor } from '@svc/widget'

/** The owner’s own way in: whoever is signed in, and no end user. What is waited for is asked for as a stranger does. */
export function ownerDoor(runtimeId: string): ExecutionDoor {
  return {
    executePath: '/v1/executions',
    capabilityPath: (capability) => `/v1/capabilities/${runtimeId}/${capability}`,
    approvalPath: (approvalId) => `/v1/executions/approvals/${approvalId}`,
    headers: {},
    credentials: 'same-origin',
    body: { runtimeId },
  }
}
