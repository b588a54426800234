import type { ReactNode } from 'react'
import { KeyCard } from './key-card.tsx'
import { SecretCard } from './secret-card.tsx'
import { useRuntime } from './use-runtime.ts'

/** The runtime’s two keys and its signing secret. */
export function KeysTab(): ReactNode {
  const runtime = useRuntime()
  const { runtimeId, name } = runtime
  return (
    <>
      <KeyCard
        runtimeId={runtimeId}
        runtimeName={name}
        type="deploy"
        prefix={runtime.deployKeyPrefix}
        previousEndsAt={runtime.previousDeployKeyExpiresAt}
        title="Deploy key"
        description="Publishes deployments. Keep it on your machine and in your CI."
      />
      <KeyCard
        runtimeId={runtimeId}
        runtimeName={name}
        type="public"
        prefix={runtime.publicKeyPrefix}
        previousEndsAt={runtime.previousPublicKeyExpiresAt}
        title="Public key"
        description="For your pages, where everybody can read it. The allowed origins limit which pages can use it."
      />
      <SecretCard runtimeId={runtimeId} runtimeName={name} previousEndsAt={runtime.previousSecretExpiresAt} />
    </>
  )
}
