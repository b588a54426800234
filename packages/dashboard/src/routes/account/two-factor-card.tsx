import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { twoFactorQuery } from '../../api/queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { formatTime } from '../../ui/format.ts'
import { Loading } from '../../ui/loading.tsx'
import { LoadError, Notice } from '../../ui/notice.tsx'
import { TwoFactorSetup } from './two-factor-setup.tsx'
import { TwoFactorStop } from './two-factor-stop.tsx'

/** Two-factor sign-in: a code of an app, besides the password. */
export function TwoFactorCard(): ReactNode {
  const state = useQuery(twoFactorQuery)
  const [opened, setOpened] = useState<'setup' | 'stop' | null>(null)
  const isOn = state.data?.isOn === true
  const action = isOn ? (
    <Button onClick={() => setOpened('stop')}>Turn off</Button>
  ) : (
    <Button onClick={() => setOpened('setup')}>Set up</Button>
  )
  return (
    <Card
      title="Two-factor authentication"
      description="A code of an app on your phone, besides the password, each time you log in. API keys work without it."
      {...(state.data && { actions: action })}
    >
      {state.isPending && <Loading rows={1} />}
      {state.isError && <LoadError error={state.error} onRetry={() => void state.refetch()} />}
      {state.data && <State state={state.data} />}
      {opened === 'setup' && <TwoFactorSetup onClose={() => setOpened(null)} />}
      {opened === 'stop' && <TwoFactorStop onClose={() => setOpened(null)} />}
    </Card>
  )
}

function State({ state: { isOn, since, recoveryCodesLeft } }: { state: Schemas['TwoFactor'] }): ReactNode {
  if (!isOn || since === null) return <Badge>Off</Badge>
  return (
    <div className="flex flex-col gap-3 text-sm">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge tone="ok">On</Badge>
        <span>since {formatTime(since)}</span>
        <span className="text-muted">Recovery codes left: {recoveryCodesLeft}</span>
      </p>
      {recoveryCodesLeft < 3 && <Notice kind="warn">Turn it off and set it up again to get new recovery codes.</Notice>}
    </div>
  )
}
