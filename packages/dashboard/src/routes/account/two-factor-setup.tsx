import { useMutation, useQueryClient } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { twoFactorQuery } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { CodeField } from './code-field.tsx'
import { CurrentPasswordField } from './current-password-field.tsx'

const QrCode = lazy(() => import('./qr-code.tsx').then((module) => ({ default: module.QrCode })))

/** Three steps: the password, the app and its first code, the recovery codes. */
export function TwoFactorSetup({ onClose }: { onClose: () => void }): ReactNode {
  const [started, setStarted] = useState<Schemas['StartedTwoFactor'] | null>(null)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  return (
    <Dialog title="Set up two-factor authentication" onClose={onClose}>
      {started === null && <PasswordStep onStarted={setStarted} onClose={onClose} />}
      {started && codes === null && <AppStep started={started} onOn={setCodes} onClose={onClose} />}
      {codes && <CodesStep codes={codes} onClose={onClose} />}
    </Dialog>
  )
}

function PasswordStep({
  onStarted,
  onClose,
}: {
  onStarted: (started: Schemas['StartedTwoFactor']) => void
  onClose: () => void
}): ReactNode {
  const [password, setPassword] = useState('')
  const starting = useMutation({
    gcTime: 0,
    mutationFn: () => bodyOf(api.POST('/v1/auth/totp', { body: { password } })),
    onSuccess: onStarted,
  })
  return (
    <Form
      sending={starting}
      onSend={() => starting.mutate()}
      fields={['password']}
      action="Continue"
      onCancel={onClose}
    >
      <CurrentPasswordField value={password} onChange={setPassword} />
    </Form>
  )
}

interface AppStepProps {
  started: Schemas['StartedTwoFactor']
  onOn: (codes: readonly string[]) => void
  onClose: () => void
}

function AppStep({ started: { secret, uri }, onOn, onClose }: AppStepProps): ReactNode {
  const [code, setCode] = useState('')
  const queryClient = useQueryClient()
  const confirming = useMutation({
    gcTime: 0,
    mutationFn: () => bodyOf(api.POST('/v1/auth/totp/confirm', { body: { code } })),
    onSuccess: ({ recoveryCodes }) => {
      onOn(recoveryCodes)
      void queryClient.invalidateQueries({ queryKey: twoFactorQuery.queryKey })
    },
  })
  return (
    <Form sending={confirming} onSend={() => confirming.mutate()} fields={['code']} action="Turn on" onCancel={onClose}>
      <p className="text-sm text-muted">
        Scan the picture with an authenticator app, or{' '}
        <a href={uri} className="text-accent underline underline-offset-2">
          open it in an app
        </a>{' '}
        on this device. Then type the code that the app shows.
      </p>
      <Suspense fallback={<div className="size-48" />}>
        <QrCode text={uri} />
      </Suspense>
      <p className="text-sm">Or type this key into the app:</p>
      <CodeBlock text={secret} label="the key for the app" />
      <CodeField takesFocus value={code} onChange={setCode} />
    </Form>
  )
}

function CodesStep({ codes, onClose }: { codes: readonly string[]; onClose: () => void }): ReactNode {
  return (
    <>
      <Notice kind="ok">
        Two-factor authentication is on. Keep these recovery codes: each one works once in place of a code, and they are
        shown only now.
      </Notice>
      <CodeBlock text={codes.join('\n')} label="the recovery codes" />
      <div className="flex justify-end">
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </>
  )
}
