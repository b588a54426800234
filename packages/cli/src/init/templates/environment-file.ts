/** What registering a runtime gives. The secret and the keys are shown this once. */
export type RuntimeCredentials = {
  readonly runtimeId: string
  readonly secret: string
  readonly deployKey: string
  readonly publicKey: string
}

type Values = { readonly baseUrl: string; readonly port: number; readonly credentials: RuntimeCredentials | null }

/** `.env`, or with `credentials` null `.env.example`. */
export function environmentFile({ baseUrl, port, credentials }: Values): string {
  return `# The control plane.
SVC_BASE_URL=${baseUrl}

# The deploy key, for svc.
SVC_API_KEY=${credentials?.deployKey ?? ''}

# Which runtime this is, and the secret that calls to it are signed with.
SVC_RUNTIME_ID=${credentials?.runtimeId ?? ''}
SVC_RUNTIME_SECRET=${credentials?.secret ?? ''}

# For pages that ask questions. This one may be public, the others never.
SVC_PUBLIC_KEY=${credentials?.publicKey ?? ''}

# Where svc dev and src/server.ts listen.
PORT=${port}
`
}
