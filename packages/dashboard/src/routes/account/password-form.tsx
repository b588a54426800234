import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { messageBeside, messagesFor } from '../../api/api-error.ts'
import { api, bodyOf } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { TextField } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { toast } from '../../ui/toasts.tsx'

export function PasswordForm(): ReactNode {
  const [currentPassword, setCurrent] = useState('')
  const [newPassword, setNew] = useState('')
  const changing = useMutation({
    meta: { isSignIn: true },
    mutationFn: () => bodyOf(api.POST('/v1/account/password', { body: { currentPassword, newPassword } })),
    onSuccess: () => {
      setCurrent('')
      setNew('')
      toast('The password is changed.')
    },
  })
  const problem = messageBeside(changing.error, ['currentPassword', 'newPassword'])
  return (
    <Card title="Password" description="Every other session of the account ends when it is changed.">
      <form
        className="flex max-w-sm flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          changing.mutate()
        }}
      >
        <TextField
          label="Current password"
          type="password"
          autoComplete="current-password"
          value={currentPassword}
          onChange={(event) => setCurrent(event.target.value)}
          errors={messagesFor(changing.error, 'currentPassword')}
        />
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          hint="10 characters or more."
          value={newPassword}
          onChange={(event) => setNew(event.target.value)}
          errors={messagesFor(changing.error, 'newPassword')}
        />
        {problem !== null && <Notice kind="bad">{problem}</Notice>}
        <div>
          <Button kind="primary" type="submit" isBusy={changing.isPending}>
            Change the password
          </Button>
        </div>
      </form>
    </Card>
  )
}
