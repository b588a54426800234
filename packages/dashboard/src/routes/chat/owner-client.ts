import { createExecutionClient, type ExecutionClient } from '@svc/widget'

/** The widget’s client at the owner’s door: the same stream, for whoever is signed in instead of for a public key. */
export function createOwnerClient(runtimeId: string): Pick<ExecutionClient, 'stream'> {
  return createExecutionClient({
    baseUrl: location.origin,
    publicKey: '',
    fetch: (_address, request) => askAsOwner(runtimeId, request),
  })
}

function askAsOwner(runtimeId: string, request: RequestInit = {}): Promise<Response> {
  const headers = new Headers(request.headers)
  headers.delete('authorization')
  const body: unknown = JSON.parse(String(request.body))
  return fetch('/v1/executions', {
    ...request,
    headers,
    credentials: 'same-origin',
    body: JSON.stringify({ ...Object(body), runtimeId }),
  })
}
