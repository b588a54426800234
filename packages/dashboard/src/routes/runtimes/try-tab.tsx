import { type ReactNode, useState } from 'react'
import { Card } from '../../ui/card.tsx'
import { TextField } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Chat } from '../chat/chat.tsx'
import { NeedsRole } from '../needs-role.tsx'
import { useMay } from '../role.ts'
import { useRuntime } from './use-runtime.ts'

/** A talk with the runtime, as a visitor or as an end user. The token is kept in this screen alone. */
export function TryTab(): ReactNode {
  const { runtimeId, deployment, capabilities } = useRuntime()
  const { change } = useMay()
  const [token, setToken] = useState('')
  const needsUser = capabilities.filter(({ requiresEndUser }) => requiresEndUser).map(({ name }) => name)
  if (!change) return <NeedsRole />
  return (
    <>
      {!deployment && (
        <Notice kind="info">Nothing is deployed yet. The model answers, but has no capabilities to call.</Notice>
      )}
      <Card isFlush>
        <Chat runtimeId={runtimeId} capabilities={capabilities} endUserToken={token.trim()} />
      </Card>
      <Card
        title="Act as an end user"
        description={
          needsUser.length === 0
            ? 'The token goes to your endpoint with each call, as the widget sends it for a signed-in user.'
            : `Without a token, ${needsUser.join(', ')} will refuse, as for a visitor who is not signed in.`
        }
      >
        <div className="max-w-lg">
          <TextField
            label="End-user token"
            type="password"
            autoComplete="off"
            spellCheck={false}
            hint="Kept in this tab’s memory until you leave this screen. It is never stored."
            value={token}
            onChange={(event) => setToken(event.target.value)}
          />
        </div>
      </Card>
    </>
  )
}
