import type { ReactNode } from 'react'
import { Card } from '../../ui/card.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Chat } from '../chat/chat.tsx'
import { useRuntime } from './use-runtime.ts'

/** A talk with the runtime, in the owner’s own name. */
export function TryTab(): ReactNode {
  const { runtimeId, deployment, capabilities } = useRuntime()
  const needsUser = capabilities.filter(({ requiresEndUser }) => requiresEndUser).map(({ name }) => name)
  return (
    <>
      {!deployment && (
        <Notice kind="info">Nothing is deployed yet: it can talk, and has nothing that it could call.</Notice>
      )}
      {needsUser.length > 0 && (
        <Notice kind="info">
          You are no end user here: {needsUser.join(', ')} will refuse, as for a visitor who has not signed in.
        </Notice>
      )}
      <Card isFlush>
        <Chat runtimeId={runtimeId} />
      </Card>
    </>
  )
}
