import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { api, bodyOf } from '../../api/client.ts'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { CredentialsPage } from './credentials-page.tsx'

/** A mail with a link for an owner who cannot log in. */
export function ForgotPassword(): ReactNode {
  const [email, setEmail] = useState('')
  const asking = useMutation({ mutationFn: () => bodyOf(api.POST('/v1/auth/password-reset', { body: { email } })) })
  const footer = (
    <Link to="/sign-in" className="font-medium text-accent underline underline-offset-2">
      Back to log in
    </Link>
  )
  return (
    <CredentialsPage title="Forgot your password?" lead="We mail you a link to set a new one." footer={footer}>
      {asking.isSuccess ? (
        <div role="status">
          <Notice kind="ok">
            If {email} has an account, a mail with a link is on its way. The link works once, for 30 minutes.
          </Notice>
        </div>
      ) : (
        <Form sending={asking} onSend={() => asking.mutate()} fields={['email']} action="Send a link" isWide isFocused>
          <TextField
            label="E-mail"
            name="email"
            type="email"
            autoComplete="username"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </Form>
      )}
    </CredentialsPage>
  )
}
