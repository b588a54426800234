import { Link, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, bodyOf } from '../../api/client.ts'
import { CredentialsForm } from './credentials-form.tsx'
import { CredentialsPage } from './credentials-page.tsx'
import { CurrentPasswordField } from './current-password-field.tsx'

export function SignIn(): ReactNode {
  const search = useSearch({ from: '/sign-in' })
  const footer = (
    <>
      No account yet?{' '}
      <Link to="/sign-up" search={search} className="font-medium text-accent underline underline-offset-2">
        Sign up
      </Link>
    </>
  )
  return (
    <CredentialsPage title="Log in" lead="To your runtimes, executions and keys." footer={footer}>
      <CredentialsForm
        action="Log in"
        PasswordField={PasswordOrForgotten}
        next={search.next}
        send={(body) => bodyOf(api.POST('/v1/auth/sign-in', { body }))}
      />
    </CredentialsPage>
  )
}

function PasswordOrForgotten(field: { value: string; onChange: (password: string) => void }): ReactNode {
  const hint = (
    <Link to="/forgot-password" className="font-medium text-accent underline underline-offset-2">
      Forgot your password?
    </Link>
  )
  return <CurrentPasswordField {...field} hint={hint} />
}
