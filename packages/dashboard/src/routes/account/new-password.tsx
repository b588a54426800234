import { useMutation } from '@tanstack/react-query'
import { Link, useLocation, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { messagesFor } from '../../api/api-error.ts'
import { api, bodyOf } from '../../api/client.ts'
import { Form } from '../../ui/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { toast } from '../../ui/toasts.tsx'
import { CredentialsPage } from './credentials-page.tsx'
import { NewPasswordField } from './new-password-field.tsx'

/** Where the link of a mail leads. Its token stands behind “#”, which no server is sent. */
export function NewPassword(): ReactNode {
  const token = useLocation({ select: ({ hash }) => hash })
  const [password, setPassword] = useState('')
  const [revokeKeys, setRevokeKeys] = useState(false)
  const navigate = useNavigate()
  const setting = useMutation({
    mutationFn: () => bodyOf(api.POST('/v1/auth/password-reset/confirm', { body: { token, password, revokeKeys } })),
    onSuccess: async () => {
      toast('Password set. Log in with it.')
      await navigate({ to: '/sign-in', replace: true })
    },
  })
  const isOver = token === '' || messagesFor(setting.error, 'token').length > 0
  const footer = (
    <Link to="/forgot-password" className="font-medium text-accent underline underline-offset-2">
      Ask for a new link
    </Link>
  )
  return (
    <CredentialsPage title="Set a new password" footer={footer}>
      {isOver ? (
        <Notice kind="bad">This link is not valid: it was used, has expired, or was replaced by a newer one.</Notice>
      ) : (
        <Form
          sending={setting}
          onSend={() => setting.mutate()}
          fields={['password']}
          action="Set password"
          isWide
          isFocused
        >
          <NewPasswordField
            label="New password"
            note="All your sessions end."
            value={password}
            onChange={setPassword}
          />
          <label className="flex items-start gap-2 text-sm">
            <input
              type="checkbox"
              className="mt-0.5"
              checked={revokeKeys}
              onChange={(event) => setRevokeKeys(event.target.checked)}
            />
            <span>
              Revoke API keys, too. If somebody else may have had your password, they may have created keys. Programs
              that use one are refused at once.
            </span>
          </label>
        </Form>
      )}
    </CredentialsPage>
  )
}
