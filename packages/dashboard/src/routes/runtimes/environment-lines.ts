import type { Schemas } from '../../api/client.ts'

type Credentials = Pick<Schemas['CreatedRuntime'], 'runtimeId' | 'deployKey' | 'publicKey' | 'secret'>

/** What goes into `.env`, as `svc init` would write it. */
export function environmentLines(runtime: Credentials, baseUrl: string): string {
  return [
    `SVC_BASE_URL=${baseUrl}`,
    `SVC_RUNTIME_ID=${runtime.runtimeId}`,
    `SVC_API_KEY=${runtime.deployKey}`,
    `SVC_PUBLIC_KEY=${runtime.publicKey}`,
    `SVC_RUNTIME_SECRET=${runtime.secret}`,
  ].join('\n')
}
