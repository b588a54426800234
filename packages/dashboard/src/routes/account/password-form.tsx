import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api, bodyOf } from '../../api/client.ts'
import { Card } from '../../ui/card.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { toast } from '../../ui/toasts.tsx'
import { NewPasswordField } from './new-password-field.tsx'

export function PasswordForm(): ReactNode {
  const [currentPassword, setCurrent] = useState('')
  const [newPassword, setNew] = useState('')
  const changing = useMutation({
    meta: { isSignIn: true },
    mutationFn: () => bodyOf(api.POST('/v1/account/password', { body: { currentPassword, newPassword } })),
    onSuccess: () => {
      setCurrent('')
      setNew('')
      toast('Password changed.')
    },
  })
  return (
    <Card title="Password" description="Changing it logs out every other session.">
      <Form
        className="max-w-sm"
        sending={changing}
        onSend={() => changing.mutate()}
        fields={['currentPassword', 'newPassword']}
        action="Change password"
      >
        <TextField
          label="Current password"
          name="currentPassword"
          type="password"
          autoComplete="current-password"
          value={currentPassword}
          onChange={(event) => setCurrent(event.target.value)}
        />
        <NewPasswordField label="New password" name="newPassword" value={newPassword} onChange={setNew} />
      </Form>
    </Card>
  )
}
