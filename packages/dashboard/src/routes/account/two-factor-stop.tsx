import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api, bodyOf } from '../../api/client.ts'
import { twoFactorQuery } from '../../api/queries.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { toast } from '../../ui/toasts.tsx'
import { CodeField } from './code-field.tsx'
import { CurrentPasswordField } from './current-password-field.tsx'

/** Turns two-factor sign-in off, with everything that signing in needs. */
export function TwoFactorStop({ onClose }: { onClose: () => void }): ReactNode {
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const queryClient = useQueryClient()
  const stopping = useMutation({
    mutationFn: () => bodyOf(api.DELETE('/v1/auth/totp', { body: { password, code } })),
    onSuccess: (state) => {
      queryClient.setQueryData(twoFactorQuery.queryKey, state)
      toast('Two-factor authentication is off.')
      onClose()
    },
  })
  return (
    <Dialog title="Turn off two-factor authentication" onClose={onClose}>
      <Form
        sending={stopping}
        onSend={() => stopping.mutate()}
        fields={['password', 'code']}
        action="Turn off"
        actionKind="danger"
        onCancel={onClose}
      >
        <p className="text-sm text-muted">The password alone is enough to log in from then on.</p>
        <CurrentPasswordField value={password} onChange={setPassword} />
        <CodeField takesRecoveryCode value={code} onChange={setCode} />
      </Form>
    </Dialog>
  )
}
