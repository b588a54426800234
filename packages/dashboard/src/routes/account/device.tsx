import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useRef, useState } from 'react'
import { messageBeside } from '../../api/api-error.ts'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { accountQuery, waitingDeviceQuery } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Facts } from '../../ui/facts.tsx'
import { TextField } from '../../ui/field.tsx'
import { Loading } from '../../ui/loading.tsx'
import { LoadError, Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Ago } from '../../ui/time.tsx'

/** Where a machine that ran `svc login` is let in or refused. */
export function Device(): ReactNode {
  const { code } = useSearch({ from: '/app/session/device' })
  return (
    <Page title="Log in from a terminal" description="A machine that ran “svc login” waits for your confirmation.">
      {code === undefined ? (
        <Card>
          <CodeForm />
        </Card>
      ) : (
        <Waiting key={code} code={code} />
      )}
    </Page>
  )
}

function CodeForm(): ReactNode {
  const [code, setCode] = useState('')
  const navigate = useNavigate()
  return (
    <form
      className="flex max-w-md items-end gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (code.trim() !== '') void navigate({ to: '/device', search: { code: code.trim() } })
      }}
    >
      <div className="flex-1">
        <TextField
          label="Code shown in the terminal"
          placeholder="WDJB-MJHT"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
      </div>
      <Button kind="primary" type="submit">
        Continue
      </Button>
    </form>
  )
}

function Waiting({ code }: { code: string }): ReactNode {
  const device = useQuery(waitingDeviceQuery(code))
  if (device.isPending) return <Loading />
  if (device.data) return <Question device={device.data} />
  return (
    <Card>
      <div className="flex flex-col gap-5">
        <LoadError error={device.error} />
        <p className="text-sm text-muted">
          A code works once, within ten minutes. Type it again, or run “svc login” again.
        </p>
        <CodeForm />
      </div>
    </Card>
  )
}

type Answer = Schemas['DeviceDecision']['status']

const OUTCOMES: Readonly<Record<Answer, string>> = {
  authorized: 'Confirmed. The terminal continues within a few seconds. You can close this page.',
  denied: 'Declined. The terminal got no key.',
}

function Question({ device }: { device: Schemas['WaitingDevice'] }): ReactNode {
  const { data: account } = useQuery(accountQuery)
  const outcome = useRef<HTMLDivElement>(null)
  const params = { path: { userCode: device.userCode } }
  const answering = useMutation({
    mutationFn: (status: Answer) => bodyOf(api.POST('/v1/account/devices/{userCode}', { params, body: { status } })),
    // The buttons go, and the focus with them.
    onSuccess: () => outcome.current?.focus(),
  })
  const problem = messageBeside(answering.error, [])
  const button = (answer: Answer) => ({
    isBusy: answering.isPending && answering.variables === answer,
    disabled: answering.isPending,
    onClick: () => answering.mutate(answer),
  })
  return (
    <Card title="Give this machine access?">
      <div className="flex flex-col gap-5">
        <Facts
          facts={[
            ['Code', <code key="code">{device.userCode}</code>],
            ['Machine name, as sent', device.machine],
            ['Network', device.network],
            ['Requested', <Ago key="asked" at={device.requestedAt} />],
            ['Account', account?.email],
          ]}
        />
        <div ref={outcome} tabIndex={-1} role="status" className="outline-none">
          {answering.data && <Notice kind="ok">{OUTCOMES[answering.data.status]}</Notice>}
        </div>
        {problem !== null && <Notice kind="bad">{problem}</Notice>}
        {!answering.data && (
          <>
            <Notice kind="warn">
              Confirm only if you have just run “svc login” and the terminal shows this code. The machine gets an API
              key of your account, which you can revoke under “Account”.
            </Notice>
            <div className="flex flex-wrap gap-2">
              <Button kind="primary" {...button('authorized')}>
                Confirm
              </Button>
              <Button {...button('denied')}>Decline</Button>
            </div>
          </>
        )}
      </div>
    </Card>
  )
}
